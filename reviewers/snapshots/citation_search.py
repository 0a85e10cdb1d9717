"""The search for citations in answers that came without any: by words, or with the deployment’s model endpoint."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from psycopg.errors import UniqueViolation

from attribution import (
    CitableSource,
    DocumentAttribution,
    FoundCitations,
    ModelQuestion,
    SearchFailed,
    SearchMethod,
    SearchUnit,
    canonical_bytes,
    digest,
    encode_search,
    find_in_reply,
    question_for_model,
    search_by_words,
)
from attribution import SearchWay as SearchFunction
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.hooks import why_withheld
from reviewers.snapshots.ingest.freeze import thaw_documents
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, SearchOutcome, Snapshot, SupportRequest
from reviewers.snapshots.redaction import lock_snapshot
from reviewers.snapshots.versions.in_use import read_policy
from reviewers.snapshots.work_requests import request_judgements_again
from reviewers.web.models import unpack


def search_by_model(answer: str, sources: Sequence[CitableSource], question: str, unit: SearchUnit = SearchUnit.SENTENCE) -> FoundCitations:
    """Return the citations that the endpoint's model finds; raise ``SearchFailed`` if it gives no result.

    Answer and sources are sent; the user's question is only used here to judge the result. The endpoint is not asked if no source has a
    text. All of it takes MODEL_TIMEOUT seconds at most.
    """
    if not settings.MODEL_URL:
        raise SearchFailed("no model endpoint is set up in this deployment", may_pass=False)
    asked = question_for_model(answer, sources, unit)
    if not asked.sources:
        return find_in_reply(b'{"citations": []}', asked)
    try:
        return _ask(asked, question)
    except SearchFailed as failed:
        failed.model = settings.MODEL_NAME
        raise


def _ask(asked: ModelQuestion, question: str) -> FoundCitations:
    from reviewers.snapshots.model_endpoint import ModelEndpoint  # noqa: PLC0415 — slow to import, and only the worker needs it

    with ModelEndpoint(settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT) as endpoint:
        return endpoint.answer_to(asked, lambda reply: find_in_reply(reply, asked, question, model=settings.MODEL_NAME))


WAYS: dict[str, SearchFunction] = {SearchMethod.WORDS: search_by_words, SearchMethod.MODEL: search_by_model}
"""The function for each method."""

_LONGEST_REASON = 500
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PendingSearch:
    """A pending search with its inputs."""

    row: CitationSearch
    documents: DocumentAttribution
    question: str
    unit: SearchUnit = SearchUnit.SENTENCE


@dataclass(frozen=True, slots=True)
class EndedSearch:
    """The end of a search: its result, or the reason why it failed; ``model`` is the one that was asked, if any."""

    result: FoundCitations | None = None
    document: bytes = b""
    reason: str = ""
    model: str = ""

    @property
    def outcome(self) -> SearchOutcome:
        """The outcome that is stored."""
        if self.result is None:
            return SearchOutcome.FAILED
        return SearchOutcome.FOUND if self.result.found else SearchOutcome.NOTHING


def find_pending(search_id: UUID) -> PendingSearch | None:
    """Return a search without a result, with its inputs; None if it has one."""
    row = _pending().select_related("organisation", "attribution__snapshot", "attribution__documents").filter(pk=search_id).first()
    if row is None:
        return None
    turn = json.loads(bytes(row.attribution.snapshot.record))
    document = unpack(row.attribution.documents.document)
    unit = read_policy(row.attribution.documents.policy).search_unit
    return PendingSearch(row, thaw_documents(document, turn), str(turn.get("user_text") or ""), unit)


def _pending() -> QuerySet[CitationSearch]:
    return CitationSearch.objects.filter(result=None)


def run_search(wanted: PendingSearch) -> EndedSearch:
    """Search by the requested method; raise ``SearchFailed`` for every kind of failure.

    Once an organisation has turned the model off nothing more is sent to it, not even for a search requested before.
    """
    way = WAYS.get(wanted.row.method)
    if way is None:
        raise SearchFailed("this deployment is not set up to look for citations this way", may_pass=False)
    if wanted.row.method == SearchMethod.MODEL and wanted.row.organisation.citation_search != SearchMethod.MODEL:
        raise SearchFailed("looking with a model was turned off before its turn came", may_pass=False)
    documents = wanted.documents
    try:
        result = way(documents.clean_text, documents.sources, wanted.question, wanted.unit)
        return EndedSearch(result, canonical_bytes(encode_search(result, documents, wanted.question)), model=result.model)
    except SearchFailed:
        raise
    except Exception as error:  # noqa: BLE001 — every failure is stored, so that the page can show it
        _log.error("citation_search_broke", search=str(wanted.row.id), error=type(error).__name__)
        raise SearchFailed(f"an error of this site ({type(error).__name__})", may_pass=True) from None


def store_result(*, row: CitationSearch, ended: EndedSearch, attempts: int, begun_at: datetime, ended_at: datetime) -> None:
    """Store the result of a search. If another worker stored one before, nothing changes.

    A result is not stored if parts of its record were redacted meanwhile, or if the answer is under blind review by now.
    """
    try:
        with transaction.atomic():
            lock_snapshot(row.attribution.snapshot_id)
            _store(row, _unless_late(row, ended), attempts, begun_at, ended_at)
    except IntegrityError as error:
        if not isinstance(error.__cause__, UniqueViolation):
            raise


_REDACTED_MEANWHILE = "parts of this record were redacted while it was being looked for"
_BLIND_MEANWHILE = "a blind review of the answer began before it was done; look again once all reviews are in"


def _unless_late(row: CitationSearch, ended: EndedSearch) -> EndedSearch:
    """Return the end of a search, or a failure if its result came too late.

    Citations that come while reviewers read an answer blind would be known as found afterwards.
    """
    snapshot_id, read = row.attribution.snapshot_id, bytes(row.attribution.snapshot.digest)
    if ended.result is None:
        return ended
    if not Snapshot.objects.filter(pk=snapshot_id, digest=read).exists():
        return EndedSearch(reason=_REDACTED_MEANWHILE, model=ended.model)
    return EndedSearch(reason=_BLIND_MEANWHILE, model=ended.model) if why_withheld(snapshot_id) else ended


def _store(row: CitationSearch, ended: EndedSearch, attempts: int, begun_at: datetime, ended_at: datetime) -> None:
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
    if result.outcome == SearchOutcome.FOUND:
        _have_judged(row, ended_at)


def _have_judged(row: CitationSearch, at: datetime) -> None:
    """Request a judgement of the citations that were found, if the organisation has citations judged."""
    if Organisation.objects.filter(pk=row.organisation_id, judges_support=True).exists():
        number = SupportRequest.objects.filter(attribution=row.attribution_id).count() + 1
        request_judgements_again(attribution=row.attribution, number=number, by=SYSTEM, at=at)


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
