"""Requests for searches: for answers without citations when they are frozen, and again after a failed search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from attribution import DocumentAttribution, is_code_only
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation, SearchWay
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots import jobs
from reviewers.snapshots.ingest.freeze import Frozen
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, SearchOutcome, SnapshotAttribution


class SkipReason(StrEnum):
    """The reasons for skipping a search. Stored as the reason of its result."""

    NO_ANSWER = "no_answer"
    CODE_ONLY = "code_only"
    NO_SOURCES = "no_sources"


@dataclass
class SearchRequests:
    """The requests of one transaction: searches, the results of those skipped at once, and an event for each."""

    searches: list[CitationSearch] = field(default_factory=list)
    results: list[CitationSearchResult] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def pending(self) -> list[UUID]:
        """The searches that a worker has to run."""
        ended = {result.search_id for result in self.results}
        return [search.id for search in self.searches if search.id not in ended]


def request_searches(fresh: Iterable[Frozen], organisation: Organisation, by: Actor, at: datetime) -> SearchRequests:
    """Return the searches for new snapshots that the organisation's switch asks for. Nothing is written yet."""
    asked = SearchRequests()
    if organisation.citation_search == SearchWay.OFF:
        return asked
    for frozen in fresh:
        if frozen.documents is None or frozen.documents.attribution.cited:
            continue
        search = _search(organisation.id, frozen.attribution_id, 1, organisation.citation_search, at)
        asked.searches.append(search)
        reason = reason_to_skip(frozen.documents.attribution)
        skipped = [_skipped(search, reason, at)] if reason else []
        asked.results += skipped
        asked.events.append(_event(search, frozen.id, by, skipped))
    return asked


def reason_to_skip(documents: DocumentAttribution) -> SkipReason | None:
    """Return the reason why a search makes no sense, or None if it does."""
    if not documents.clean_text.strip():
        return SkipReason.NO_ANSWER
    if is_code_only(documents.clean_text):
        return SkipReason.CODE_ONLY
    return None if any(source.content.strip() for source in documents.sources) else SkipReason.NO_SOURCES


@transaction.atomic
def request_search_again(*, attribution: SnapshotAttribution, number: int, method: str, by: Actor, at: datetime) -> CitationSearch:
    """Request search ``number`` of an attribution. The database refuses a second one of the same number."""
    search = _search(attribution.organisation_id, attribution.id, number, method, at)
    search.save(force_insert=True)
    record(_event(search, attribution.snapshot_id, by))
    jobs.defer([search.id], attribution.organisation_id)
    return search


def _search(organisation_id: UUID, attribution_id: UUID, number: int, method: str, at: datetime) -> CitationSearch:
    return CitationSearch(organisation_id=organisation_id, attribution_id=attribution_id, number=number, method=method, asked_at=at)


def _skipped(search: CitationSearch, reason: SkipReason, at: datetime) -> CitationSearchResult:
    return CitationSearchResult(
        organisation_id=search.organisation_id,
        search_id=search.id,
        outcome=SearchOutcome.SKIPPED,
        reason=reason.value,
        attempts=0,
        begun_at=at,
        ended_at=at,
    )


def _event(search: CitationSearch, snapshot_id: UUID, by: Actor, skipped: Sequence[CitationSearchResult] = ()) -> Event:
    details = {"search": str(search.id), "attribution": str(search.attribution_id), "method": search.method, "number": search.number}
    for result in skipped:
        details |= {"outcome": SearchOutcome.SKIPPED.value, "reason": result.reason}
    action = Action.CITATION_SEARCH_ENDED if skipped else Action.CITATION_SEARCH_ASKED
    rows = rows_of([search, *skipped])
    return Event(action, search.organisation_id, by, search.asked_at, "snapshot", snapshot_id, details, rows=rows)
