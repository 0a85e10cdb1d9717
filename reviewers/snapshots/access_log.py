"""Access to protected text: who opened what, when and why, as read from the audit events. Reading it is an audit event too."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from django import forms
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from ninja import Header

from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Membership, Organisation, ServiceKey
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.sessions import OF_WORK
from reviewers.accounts.texts import Surface, Text, hidden_from, masked, name_instead
from reviewers.ledger.actions import record as record_event
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.snapshots.lists import keep_words, kept_words, record_list
from reviewers.snapshots.models import Snapshot
from reviewers.web.dates import DayField, end_of_day, start_of_day

PAGE_SIZE = 50

WORDS: Mapping[str, str] = {
    Action.SNAPSHOT_VIEWED: "opened",
    Action.TURN_VIEWED: "read, in its conversation,",
    Action.RECORD_VIEWED: "read the original record of",
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
    Action.QUALITY_VIEWED: "read why answers were withheld",
    Action.TEXT_SENT: "sent to a webhook endpoint the text of",
    Action.TURNS_EXPORTED: "wrote stored turns to files",
}
"""The actions that count as access to protected text, in the words of the page."""


@dataclass(frozen=True, slots=True)
class AccessFilter:
    """The filters of a search for accesses. ``client`` is a client's reference: protected, so it never appears in an address."""

    person: UUID | None = None
    record: UUID | None = None
    client: str = ""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class AccessRow:
    """An access in the list."""

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
    """A page of accesses, the newest first, and the identifier that earlier ones begin before."""

    rows: list[AccessRow]
    earlier: UUID | None


def load_page(by: Membership, sought: AccessFilter, before: UUID | None = None) -> AccessPage:
    """Return a page of the accesses in the member's organisation, the newest first."""
    organisation = by.organisation
    events = _matching(organisation, sought)
    if before:
        events = events.filter(id__lt=before)
    found = list(events.order_by("-id")[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    hidden = hidden_from(by, Surface.ACCESS)
    return AccessPage([_masked(row, hidden) for row in _rows(organisation, shown)], shown[-1].id if len(found) > PAGE_SIZE else None)


def list_people(organisation: Organisation) -> list[tuple[UUID, str]]:
    """Return current and former members, by name."""
    people = Membership.objects.filter(organisation=organisation).values_list("user_id", "user__name").distinct()
    return sorted(people, key=lambda person: person[1])


def _matching(organisation: Organisation, sought: AccessFilter) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(organisation_id=organisation.pk, action__in=list(WORDS))
    if sought.person:
        events = events.filter(actor_id=sought.person)
    if sought.record:
        events = events.filter(object_id=sought.record)
    if sought.client:
        records = Snapshot.objects.filter(organisation=organisation, client_reference=sought.client)
        events = events.filter(object_id__in=records.values("pk"))
    spans = [Q(occurred_at__gte=start_of_day(sought.since))] if sought.since else []
    spans += [Q(occurred_at__lt=end_of_day(sought.until))] if sought.until else []
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
    """Return the row with masks for texts that the viewer is not shown."""
    name = name_instead(row.record_id) if row.record_id and Text.REFERENCES in hidden else row.record_name
    client, reason = masked(row.client, Text.REFERENCES, hidden), masked(row.reason, Text.NOTES, hidden)
    return replace(row, record_name=name, client=client, reason=reason)


def _names(organisation: Organisation, events: Iterable[AuditEvent]) -> dict[UUID, str]:
    """Return the names of the actors: people, and programs by the name of their key."""
    ids = {event.actor_id for event in events if event.actor_id}
    keys = ServiceKey.objects.filter(organisation=organisation, pk__in=ids).values_list("pk", "name")
    people = Membership.objects.filter(organisation=organisation, user_id__in=ids).values_list("user_id", "user__name")
    return {key: f"the program “{name}”" for key, name in keys} | dict(people)


def _reasons(events: Iterable[AuditEvent]) -> dict[UUID, str]:
    """Return the reasons that people gave, by event. The words are in the event's secret, as the event only commits to them."""
    asked = [event.id for event in events if event.action in (Action.ACCESS_EXPLAINED, Action.TEXT_REVEALED)]
    kept = EventSecret.objects.filter(event_id__in=asked).values_list("event_id", "payload") if asked else []
    return {event_id: _spoken(json.loads(bytes(payload))) for event_id, payload in kept if payload}


def _spoken(parts: Mapping[str, Any]) -> str:
    return str(parts.get("reason", ""))


class AccessForm(forms.Form):
    """The filters in an address; invalid ones are ignored."""

    person = forms.UUIDField(required=False)
    record = forms.UUIDField(required=False)
    since = DayField(required=False)
    until = DayField(required=False)
    before = forms.UUIDField(required=False)

    def value(self, name: str) -> Any:
        """Return the value of a filter, or None."""
        self.is_valid()
        return self.cleaned_data.get(name)


class ClientForm(forms.Form):
    """A client's reference."""

    client = forms.CharField(max_length=200, required=False)


_SEARCHES = f"{OF_WORK}searches for accesses"


@require_GET
@requires(Permission.READ_ACCESS)
def accesses(request: MemberRequest) -> HttpResponse:
    """List the accesses to protected text, the newest first."""
    form = AccessForm(request.GET)
    sought = _sought(request, form)
    with transaction.atomic():
        page = load_page(request.member, sought, form.value("before"))
        _record_view(request, sought, page)
    later = request.GET.copy()
    later["before"] = str(page.earlier or "")
    context = {"page": page, "sought": sought, "people": list_people(request.member.organisation), "earlier": later.urlencode()}
    return render(request, "snapshots/access.html", context)


@require_POST
@requires(Permission.SEARCH_NAMES)
def search_client(request: MemberRequest) -> HttpResponse:
    """Store a client's reference in the session and redirect to the accesses to their records: the address holds a number instead."""
    form = ClientForm(request.POST)
    if not form.is_valid() or not form.cleaned_data["client"]:
        return redirect("accesses")
    number = keep_words(request, _SEARCHES, form.cleaned_data["client"])
    return redirect(f"{reverse('accesses')}?client={number}")


def _sought(request: MemberRequest, form: AccessForm) -> AccessFilter:
    client = kept_words(request, _SEARCHES, request.GET.get("client", ""))
    person, record_id = form.value("person"), form.value("record")
    return AccessFilter(person=person, record=record_id, client=client, since=form.value("since"), until=form.value("until"))


def _record_view(request: MemberRequest, sought: AccessFilter, page: AccessPage) -> None:
    """Record the view with its filters and the records it named; the event only commits to a client's reference."""
    filters = [name for name in ("person", "record", "client", "since", "until") if getattr(sought, name)]
    named: set[UUID] = {row.record_id for row in page.rows if row.record_id}
    parts = [("client", sought.client.encode())] if sought.client else []
    record_list(request, Action.ACCESS_VIEWED, {"filters": filters, "shown": sorted(map(str, named))}, parts)


# Access of programs: the reason that an organisation may ask for, and its events.


LONGEST_REASON = 500
_WHY = "A header: why you read this, in a few words. Needed if the organisation asks why records are opened."
AccessReason = Annotated[str, Header("", alias="Access-Reason", max_length=LONGEST_REASON, description=_WHY)]
"""The header in which a program says why it reads a record."""
NO_REASON = {"place": "Access-Reason", "reason": "this organisation asks why a record is read: say so in this header"}


def lacks_reason(organisation: Organisation, reason: str) -> bool:
    """Return True if an organisation asks why records are opened, and the request does not say it."""
    return organisation.asks_why and not reason.strip()


def record_access(
    action: Action, organisation_id: UUID, snapshot_id: UUID, by: Actor, at: datetime, reason: str, details: Mapping[str, Any] | None = None
) -> None:
    """Record that a program was shown a snapshot and, before it, why, if it said so."""
    if reason.strip():
        record_event(_explained(organisation_id, snapshot_id, by, at, reason.strip()))
    record_event(Event(action, organisation_id, by, at, "snapshot", snapshot_id, details or {}))


def _explained(organisation_id: UUID, snapshot_id: UUID, by: Actor, at: datetime, reason: str) -> Event:
    """Return the event of an explained access. The reason may be protected text, so the event commits to it, and its secret stores it."""
    return Event(
        action=Action.ACCESS_EXPLAINED,
        organisation_id=organisation_id,
        by=by,
        at=at,
        object_type="snapshot",
        object_id=snapshot_id,
        details={"kind": "program"},
        parts=[("reason", reason.encode())],
        kept=frozenset({"reason"}),
    )
