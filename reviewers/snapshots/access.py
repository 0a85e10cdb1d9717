"""Who opened what, when, and why where that was asked: read out of the record of what was done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from reviewers.accounts.models import Membership, Organisation, ServiceKey
from reviewers.accounts.texts import Surface, Text, hidden_from, masked, name_instead
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.snapshots.models import Snapshot
from reviewers.web.moments import day_begins, day_ends

PAGE_SIZE = 50

WORDS: Mapping[str, str] = {
    Action.SNAPSHOT_VIEWED: "opened",
    Action.RECORD_VIEWED: "read the frozen record of",
    Action.SIGNATURE_READ: "read what was signed of",
    Action.WHY_VIEWED: "read why a provider was suggested in",
    Action.WHY_SEARCHED: "saw suggestions",
    Action.REPORT_ASKED: "asked for a report",
    Action.REPORT_TAKEN: "took a report",
    Action.EXPORTS_SEARCHED: "looked up which reports have a client’s answers",
    Action.ACCESS_EXPLAINED: "said why, before opening",
    Action.TEXT_REVEALED: "revealed masked text of",
    Action.QUEUE_VIEWED: "saw first words in the queue",
    Action.LEDGER_SEARCHED: "searched the ledger",
    Action.QUEUE_SEARCHED: "searched",
}
"""What counts as access to protected text, as the page says it."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What accesses are looked for. ``client`` is a client's reference: protected, so it never stands in an address."""

    person: UUID | None = None
    record: UUID | None = None
    client: str = ""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class AccessRow:
    """One access."""

    at: datetime
    who: str
    words: str
    reason: str
    record_id: UUID | None
    record_name: str
    client: str
    count: int


@dataclass(frozen=True, slots=True)
class AccessPage:
    """A page of accesses, the newest first, and where earlier ones begin."""

    rows: list[AccessRow]
    earlier: UUID | None


def load_page(by: Membership, sought: Sought, before: UUID | None = None) -> AccessPage:
    """The accesses of the member's organisation that match, newest first."""
    organisation = by.organisation
    events = _matching(organisation, sought)
    if before:
        events = events.filter(id__lt=before)
    found = list(events.order_by("-id")[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    hidden = hidden_from(by, Surface.ACCESS)
    return AccessPage([_masked(row, hidden) for row in _rows(organisation, shown)], shown[-1].id if len(found) > PAGE_SIZE else None)


def list_people(organisation: Organisation) -> list[tuple[UUID, str]]:
    """Everybody who is or was a member, by name."""
    people = Membership.objects.filter(organisation=organisation).values_list("user_id", "user__name").distinct()
    return sorted(people, key=lambda person: person[1])


def _matching(organisation: Organisation, sought: Sought) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(organisation_id=organisation.pk, action__in=list(WORDS))
    if sought.person:
        events = events.filter(actor_id=sought.person)
    if sought.record:
        events = events.filter(object_id=sought.record)
    if sought.client:
        records = Snapshot.objects.filter(organisation=organisation, client_reference=sought.client)
        events = events.filter(object_id__in=records.values("pk"))
    spans = [Q(occurred_at__gte=day_begins(sought.since))] if sought.since else []
    spans += [Q(occurred_at__lt=day_ends(sought.until))] if sought.until else []
    return events.filter(*spans)


def _rows(organisation: Organisation, events: Iterable[AuditEvent]) -> list[AccessRow]:
    events = list(events)
    records = Snapshot.objects.filter(organisation=organisation, pk__in={event.object_id for event in events})
    records = records.only("pk", "conversation_id", "external_id", "client_reference")
    by_id, names, reasons = {record.pk: record for record in records}, _names(organisation, events), _reasons(events)
    return [_row(event, by_id.get(event.object_id), names, reasons.get(event.id, "")) for event in events]


def _row(event: AuditEvent, record: Snapshot | None, names: Mapping[UUID, str], reason: str) -> AccessRow:
    details = json.loads(bytes(event.body)).get("details", {})
    return AccessRow(
        at=event.occurred_at,
        who=names.get(event.actor_id, "somebody unknown") if event.actor_id else "the system",
        words=WORDS[event.action],
        reason=reason,
        record_id=record.pk if record else None,
        record_name=(record.conversation_id or record.external_id) if record else "",
        client=record.client_reference if record else "",
        count=len(details.get("shown", ())),
    )


def _masked(row: AccessRow, hidden: frozenset[Text]) -> AccessRow:
    """The row with masks for what somebody is not shown."""
    name = name_instead(row.record_id) if row.record_id and Text.REFERENCES in hidden else row.record_name
    client, reason = masked(row.client, Text.REFERENCES, hidden), masked(row.reason, Text.NOTES, hidden)
    return replace(row, record_name=name, client=client, reason=reason)


def _names(organisation: Organisation, events: Iterable[AuditEvent]) -> dict[UUID, str]:
    """The names of those who acted: people, and programs by the name of their key."""
    ids = {event.actor_id for event in events if event.actor_id}
    keys = ServiceKey.objects.filter(organisation=organisation, pk__in=ids).values_list("pk", "name")
    people = Membership.objects.filter(organisation=organisation, user_id__in=ids).values_list("user_id", "user__name")
    return {key: f"the program “{name}”" for key, name in keys} | dict(people)


def _reasons(events: Iterable[AuditEvent]) -> dict[UUID, str]:
    """What people gave as their reason; its words are kept beside the event, which only commits to them."""
    asked = [event.id for event in events if event.action in (Action.ACCESS_EXPLAINED, Action.TEXT_REVEALED)]
    kept = EventSecret.objects.filter(event_id__in=asked).values_list("event_id", "payload") if asked else []
    return {event_id: _spoken(json.loads(bytes(payload))) for event_id, payload in kept if payload}


def _spoken(parts: Mapping[str, Any]) -> str:
    return str(parts.get("reason", ""))
