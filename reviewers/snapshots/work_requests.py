"""Requests for work on an answer after it is frozen: a search for citations if it came without any, and judgements of those it has.

They are made when an answer is frozen, and again when somebody asks. Each is a row with its event; a worker does the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from procrastinate.contrib.django import app
from procrastinate.types import JSONDict

from attribution import LONGEST_CLAIM, DocumentAttribution, Reference, ReferenceStatus, is_code_only
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation, SearchWay
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.ingest.freeze import Frozen
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, SearchOutcome, SnapshotAttribution, SupportRequest
from reviewers.web.jobs import priority_behind

_LATELY = timedelta(hours=1)


@dataclass
class WorkRequests:
    """The requests of one transaction: searches, the results of those skipped at once, judgements, and an event for each."""

    searches: list[CitationSearch] = field(default_factory=list)
    skipped: list[CitationSearchResult] = field(default_factory=list)
    judgements: list[SupportRequest] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def rows(self) -> list[CitationSearch | CitationSearchResult | SupportRequest]:
        """The rows, in the order in which they are written."""
        return [*self.searches, *self.skipped, *self.judgements]

    def defer(self, organisation_id: UUID) -> None:
        """Queue what a worker has to do; it runs once the transaction is committed."""
        ended = {result.search_id for result in self.skipped}
        _defer_searches([search.id for search in self.searches if search.id not in ended], organisation_id)
        defer_judgements([row.id for row in self.judgements], organisation_id)


def request_work(fresh: Sequence[Frozen], organisation: Organisation, by: Actor, at: datetime) -> WorkRequests:
    """Return the requests for new snapshots that the organisation's switches ask for. Nothing is written yet."""
    asked = WorkRequests()
    if organisation.citation_search != SearchWay.OFF:
        for frozen in fresh:
            _request_search(asked, frozen, organisation.citation_search, by, at)
    if organisation.judges_support:
        for frozen in fresh:
            _request_judgements(asked, frozen, by, at)
    return asked


# Searches for citations.


class SkipReason(StrEnum):
    """The reasons for skipping a search. Stored as the reason of its result."""

    NO_ANSWER = "no_answer"
    CODE_ONLY = "code_only"
    NO_SOURCES = "no_sources"


def _request_search(asked: WorkRequests, frozen: Frozen, method: str, by: Actor, at: datetime) -> None:
    """Add a search for an answer that has sources and cites none. One that makes no sense is skipped at once."""
    if frozen.documents is None or frozen.documents.cited:
        return
    search = _search(frozen.attribution_row, 1, method, at)
    reason = reason_to_skip(frozen.documents)
    skipped = [_skipped(search, reason, at)] if reason else []
    asked.searches.append(search)
    asked.skipped += skipped
    asked.events.append(_search_event(search, frozen.snapshot.id, by, skipped))


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
    search = _search(attribution, number, method, at)
    search.save(force_insert=True)
    record(_search_event(search, attribution.snapshot_id, by))
    _defer_searches([search.id], attribution.organisation_id)
    return search


def _defer_searches(searches: Sequence[UUID], organisation_id: UUID) -> None:
    """Queue searches; they run once the transaction is committed."""
    _defer("look_for_citations", "search", searches, CitationSearch.objects.filter(organisation=organisation_id), organisation_id)


def _search(row: SnapshotAttribution, number: int, method: str, at: datetime) -> CitationSearch:
    return CitationSearch(organisation_id=row.organisation_id, attribution_id=row.id, number=number, method=method, asked_at=at)


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


def _search_event(search: CitationSearch, snapshot_id: UUID, by: Actor, skipped: Sequence[CitationSearchResult] = ()) -> Event:
    details = {"search": str(search.id), "attribution": str(search.attribution_id), "method": search.method, "number": search.number}
    for result in skipped:
        details |= {"outcome": SearchOutcome.SKIPPED.value, "reason": result.reason}
    action = Action.CITATION_SEARCH_ENDED if skipped else Action.CITATION_SEARCH_ASKED
    rows = rows_of([search, *skipped])
    return Event(action, search.organisation_id, by, search.asked_at, "snapshot", snapshot_id, details, rows=rows)


# Judgements of citations by a model.


_CITING = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL, ReferenceStatus.FOUND)
"""States of citations that are for words of the answer."""


def readable_sources(documents: DocumentAttribution) -> set[str]:
    """Return the sources with a text. Of an answer that the assistant withheld there are none."""
    return set() if documents.abstention_reason else {source.id for source in documents.sources if source.content.strip()}


def is_for_words(reference: Reference, text: str) -> bool:
    """Return True if a reference is for words of a text, and for not too many to judge."""
    words = text[slice(*reference.span)].strip() if reference.span else ""
    return reference.status in _CITING and 0 < len(words) <= LONGEST_CLAIM


def _can_be_judged(documents: DocumentAttribution) -> bool:
    """Return True if there is a citation that can be judged: for not too many words of the answer, and of a source with a text."""
    readable, text = readable_sources(documents), documents.clean_text
    return any(is_for_words(each, text) and not readable.isdisjoint(each.sources) for each in documents.references)


def _request_judgements(asked: WorkRequests, frozen: Frozen, by: Actor, at: datetime) -> None:
    """Add a request for an answer with a citation that can be judged."""
    if frozen.documents and _can_be_judged(frozen.documents):
        row = _request(frozen.attribution_row, 1, at)
        asked.judgements.append(row)
        asked.events.append(_request_event(row, frozen.snapshot.id, by))


@transaction.atomic
def request_judgements_again(*, attribution: SnapshotAttribution, number: int, by: Actor, at: datetime) -> SupportRequest:
    """Request judgements of an attribution for the ``number``-th time. The database refuses a second request of the same number."""
    row = _request(attribution, number, at)
    row.save(force_insert=True)
    record(_request_event(row, attribution.snapshot_id, by))
    defer_judgements([row.id], attribution.organisation_id)
    return row


def defer_judgements(requests: Sequence[UUID], organisation_id: UUID) -> None:
    """Queue requests for judgements; they run once the transaction is committed."""
    _defer("judge_support", "request", requests, SupportRequest.objects.filter(organisation=organisation_id), organisation_id)


def _request(row: SnapshotAttribution, number: int, at: datetime) -> SupportRequest:
    return SupportRequest(organisation_id=row.organisation_id, attribution_id=row.id, number=number, asked_at=at)


def _request_event(row: SupportRequest, snapshot_id: UUID, by: Actor) -> Event:
    details = {"request": str(row.id), "attribution": str(row.attribution_id), "number": row.number}
    return Event(Action.SUPPORT_ASKED, row.organisation_id, by, row.asked_at, "snapshot", snapshot_id, details, rows=rows_of([row]))


def _defer(task: str, name: str, rows: Iterable[UUID], made: QuerySet[Any], organisation_id: UUID) -> None:
    """Queue jobs, the later the more requests an organisation has lately ``made``: others get their turn."""
    arguments: list[JSONDict] = [{name: str(row), "organisation": str(organisation_id)} for row in rows]
    if arguments:
        priority = priority_behind(made, "asked_at", _LATELY)
        app.configure_task(f"reviewers.snapshots.jobs.{task}", priority=priority).batch_defer(*arguments)
