"""Looks for citations in an answer that came without any, and stores what became of it, once."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from psycopg.errors import UniqueViolation

from attribution import (
    DocumentAttribution,
    FoundCitations,
    SearchFailed,
    SearchMethod,
    SearchWay,
    canonical_bytes,
    digest,
    encode_search,
    search_by_words,
)
from reviewers.accounts.announcements import SYSTEM
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.snapshots.freezing_documents import thaw_documents
from reviewers.snapshots.holding import hold
from reviewers.snapshots.model_search import search_by_model
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, SearchOutcome, Snapshot

WAYS: dict[str, SearchWay] = {SearchMethod.WORDS: search_by_words, SearchMethod.MODEL: search_by_model}
"""How each method is gone."""

_LONGEST_REASON = 500
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A pending search with what it reads."""

    row: CitationSearch
    documents: DocumentAttribution
    question: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How a search ended: what it found, or in words why it failed; ``model`` is the one that was asked, if one was."""

    result: FoundCitations | None = None
    document: bytes = b""
    reason: str = ""
    model: str = ""

    @property
    def outcome(self) -> SearchOutcome:
        """In one word."""
        if self.result is None:
            return SearchOutcome.FAILED
        return SearchOutcome.FOUND if self.result.found else SearchOutcome.NOTHING


def find_pending(search_id: UUID) -> Wanted | None:
    """A search that has no result yet; nothing where it has one."""
    row = _pending().select_related("organisation", "attribution__snapshot", "attribution__documents").filter(pk=search_id).first()
    if row is None:
        return None
    turn = json.loads(bytes(row.attribution.snapshot.record))
    document = json.loads(zlib.decompress(bytes(row.attribution.documents.document)))
    return Wanted(row, thaw_documents(document, turn), str(turn.get("user_text") or ""))


def _pending() -> QuerySet[CitationSearch]:
    return CitationSearch.objects.filter(result=None)


def look(wanted: Wanted) -> Ended:
    """Go the way that was asked for. Raises ``SearchFailed``, whatever it is that fails.

    Once an organisation has turned the model off nothing more is sent to it, not even for a search that was asked for before.
    """
    way = WAYS.get(wanted.row.method)
    if way is None:
        raise SearchFailed("this deployment is not set up to look for citations this way", may_pass=False)
    if wanted.row.method == SearchMethod.MODEL and wanted.row.organisation.citation_search != SearchMethod.MODEL:
        raise SearchFailed("looking with a model was turned off before its turn came", may_pass=False)
    documents = wanted.documents
    try:
        result = way(documents.clean_text, documents.sources, wanted.question)
        return Ended(result, canonical_bytes(encode_search(result, documents, wanted.question)), model=result.model)
    except SearchFailed:
        raise
    except Exception as error:  # noqa: BLE001 — a search may fail in ways nobody thought of, and its page has to say so
        _log.error("citation_search_broke", search=str(wanted.row.id), error=type(error).__name__)
        raise SearchFailed(f"an error of this site ({type(error).__name__})", may_pass=True) from None


def store(*, row: CitationSearch, ended: Ended, attempts: int, begun_at: datetime, ended_at: datetime) -> None:
    """Write down how a search ended. Whoever comes second, after another worker did the same, changes nothing.

    What was found in words that were redacted meanwhile is not stored.
    """
    try:
        with transaction.atomic():
            hold(row.attribution.snapshot_id)
            _store(row, _unless_redacted(row, ended), attempts, begun_at, ended_at)
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise


def _unless_redacted(row: CitationSearch, ended: Ended) -> Ended:
    read = bytes(row.attribution.snapshot.digest)
    if ended.result is None or Snapshot.objects.filter(pk=row.attribution.snapshot_id, digest=read).exists():
        return ended
    return Ended(reason="parts of this record were redacted while it was being looked for", model=ended.model)


def _store(row: CitationSearch, ended: Ended, attempts: int, begun_at: datetime, ended_at: datetime) -> None:
    result = CitationSearchResult(
        organisation_id=row.organisation_id,
        search_id=row.id,
        outcome=ended.outcome,
        reason=ended.reason[:_LONGEST_REASON],
        model=ended.model,
        document=zlib.compress(ended.document) if ended.result else None,
        digest=bytes.fromhex(digest(ended.document).removeprefix("sha256:")) if ended.result else None,
        found_count=len(ended.result.found) if ended.result else 0,
        refused_count=len(ended.result.refused) if ended.result else 0,
        attempts=attempts,
        begun_at=begun_at,
        ended_at=ended_at,
    )
    result.save(force_insert=True)
    record(_event(row, result))


def _event(row: CitationSearch, result: CitationSearchResult) -> Event:
    details = {
        "search": str(row.id),
        "attribution": str(row.attribution_id),
        "method": row.method,
        "number": row.number,
        "outcome": result.outcome,
        "attempts": result.attempts,
        "found": result.found_count,
        "refused": result.refused_count,
    }
    details |= {name: value for name, value in (("model", result.model), ("reason", result.reason)) if value}
    parts: list[Part] = [("citation_search.sha256", bytes(result.digest))] if result.digest else []
    return Event(
        Action.CITATION_SEARCH_ENDED,
        row.organisation_id,
        SYSTEM,
        result.ended_at,
        "snapshot",
        row.attribution.snapshot_id,
        details,
        parts,
        rows=rows_of([result]),
    )
