"""Requests to have the citations of an answer judged: when it is frozen, when citations were found afterwards, and again by a lead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from procrastinate.contrib.django import app
from procrastinate.types import JSONDict

from attribution import LONGEST_CLAIM, DocumentAttribution, ReferenceStatus
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.citations import Citation, citations_of
from reviewers.snapshots.ingest.freeze import Frozen
from reviewers.snapshots.models import SnapshotAttribution, SupportRequest
from reviewers.web.jobs import priority_behind

MOST_JUDGED = 50
"""The most citations of an answer that are judged, the first ones."""

_CITING = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL, ReferenceStatus.FOUND)
"""States of citations that are for words of the answer."""
_LATELY = timedelta(hours=1)


def citations_to_judge(documents: DocumentAttribution) -> list[Citation]:
    """Return the citations of an answer that can be judged: for not too many of its words, and of a source with a text.

    ``documents`` has the texts. Of an answer that the assistant withheld there are none.
    """
    if documents.abstention_reason:
        return []
    readable = {source.id for source in documents.sources if source.content.strip()}
    found = [each for each in citations_of(documents) if each.source in readable and _is_for_words(each, documents.clean_text)]
    return found[:MOST_JUDGED]


def _is_for_words(citation: Citation, text: str) -> bool:
    span = citation.reference.span
    words = text[slice(*span)].strip() if span else ""
    return citation.reference.status in _CITING and citation.key.start is not None and 0 < len(words) <= LONGEST_CLAIM


@dataclass
class SupportRequests:
    """The requests of one transaction, and an event for each."""

    rows: list[SupportRequest] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


def request_support(fresh: Iterable[Frozen], organisation: Organisation, by: Actor, at: datetime) -> SupportRequests:
    """Return the requests for new snapshots that the organisation's switch asks for. Nothing is written yet."""
    asked = SupportRequests()
    if not organisation.judges_support:
        return asked
    for frozen in fresh:
        if frozen.documents is not None and citations_to_judge(frozen.documents.attribution):
            row = _request(organisation.id, frozen.attribution_id, 1, at)
            asked.rows.append(row)
            asked.events.append(_event(row, frozen.id, by))
    return asked


@transaction.atomic
def request_support_again(*, attribution: SnapshotAttribution, number: int, by: Actor, at: datetime) -> SupportRequest:
    """Request a judgement of an attribution for the ``number``-th time. The database refuses a second one of the same number."""
    row = _request(attribution.organisation_id, attribution.id, number, at)
    row.save(force_insert=True)
    record(_event(row, attribution.snapshot_id, by))
    defer_support([row.id], attribution.organisation_id)
    return row


def defer_support(requests: Sequence[UUID], organisation_id: UUID) -> None:
    """Queue requests; they run once the transaction is committed, the later the more of them an organisation has lately made."""
    if requests:
        arguments: list[JSONDict] = [{"request": str(each), "organisation": str(organisation_id)} for each in requests]
        priority = priority_behind(SupportRequest.objects.filter(organisation=organisation_id), "asked_at", _LATELY)
        app.configure_task("reviewers.snapshots.jobs.judge_support", priority=priority).batch_defer(*arguments)


def _request(organisation_id: UUID, attribution_id: UUID, number: int, at: datetime) -> SupportRequest:
    return SupportRequest(organisation_id=organisation_id, attribution_id=attribution_id, number=number, asked_at=at)


def _event(row: SupportRequest, snapshot_id: UUID, by: Actor) -> Event:
    details = {"request": str(row.id), "attribution": str(row.attribution_id), "number": row.number}
    return Event(Action.SUPPORT_ASKED, row.organisation_id, by, row.asked_at, "snapshot", snapshot_id, details, rows=rows_of([row]))
