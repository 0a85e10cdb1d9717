"""Reads of the ledger, for its page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils.dateparse import parse_datetime

from reviewers.accounts.models import Membership, User
from reviewers.ledger.events import Action
from reviewers.ledger.logs import newest_key, verifier_of
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log, Pending, Verification
from reviewers.ledger.withholding import hidden_among
from reviewers.ledger.words import WORDS

PAGE = 50
HIDDEN_WORDS = "worked on what is under blind review"


@dataclass(frozen=True, slots=True)
class Sought:
    """What events are looked for."""

    person: UUID | None = None
    object_id: UUID | None = None
    since: date | None = None
    until: date | None = None

    @property
    def is_anything(self) -> bool:
        """Whether the list is narrowed at all."""
        return any((self.person, self.object_id, self.since, self.until))


@dataclass(frozen=True, slots=True)
class Overview:
    """How the log of an organisation stands."""

    origin: str
    size: int
    note: str
    key: str
    epoch: int
    waiting: int
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event in the list. ``index`` is its place in the log, if it is sealed."""

    id: UUID
    at: datetime
    action: str
    actor: str
    object_type: str
    object_id: UUID
    index: int | None
    is_hidden: bool = False

    @property
    def words(self) -> str:
        """What was done, in words."""
        return HIDDEN_WORDS if self.is_hidden else WORDS[self.action]

    @property
    def key(self) -> str:
        """What the next page begins after."""
        return f"{self.at.isoformat()}~{self.id}"


@dataclass(frozen=True, slots=True)
class Page:
    """Some events, the newest first, and where older ones begin."""

    rows: Sequence[EventRow]
    older: str


def load_overview(organisation_id: UUID) -> Overview | None:
    """Nothing where nothing was sealed yet."""
    log = Log.objects.filter(organisation_id=organisation_id).order_by("-epoch").first()
    checkpoint = Checkpoint.objects.filter(log=log).order_by("-size").first() if log else None
    if log is None or checkpoint is None:
        return None
    pending = Pending.objects.filter(organisation_id=organisation_id)
    oldest = AuditEvent.objects.filter(pk__in=pending.values("event_id")).order_by("occurred_at").values_list("occurred_at", flat=True)
    key = verifier_of(newest_key(log), log)
    return Overview(log.origin, checkpoint.size, checkpoint.note, str(key), log.epoch, pending.count(), oldest.first())


def list_people(organisation_id: UUID) -> list[tuple[UUID, str]]:
    """Who is or was a member, by name."""
    members = Membership.objects.filter(organisation=organisation_id).order_by("user__name")
    return list(dict.fromkeys(members.values_list("user_id", "user__name")))


def load_page(by: Membership, sought: Sought, after: str) -> Page:
    """Events, the newest first. Of those that are kept from the member it is not told what was done."""
    events = _matching(by.organisation_id, sought)
    at, _, last = after.partition("~")
    moment = _moment(at)
    if moment and _uuid(last):
        events = events.filter(Q(occurred_at__lt=moment) | Q(occurred_at=moment, id__lt=_uuid(last)))
    events = events.annotate(
        name=Subquery(User.objects.filter(pk=OuterRef("actor_id")).values("name")),
        place=Subquery(Leaf.objects.filter(pk=OuterRef("pk")).values("index")),
    )
    read = list(events.order_by("-occurred_at", "-id")[: PAGE + 1])
    hidden = hidden_among(by, read)
    found = [_row(event, is_hidden=event.id in hidden) for event in read]
    return Page(found[:PAGE], found[PAGE - 1].key if len(found) > PAGE else "")


def last_verification(organisation_id: UUID) -> Verification | None:
    """What came out last."""
    return Verification.objects.filter(organisation_id=organisation_id).order_by("-finished_at").first()


def is_being_verified(organisation_id: UUID) -> datetime | None:
    """Since when somebody waits for a verification that has not come out yet."""
    asked = AuditEvent.objects.filter(organisation_id=organisation_id, object_id=organisation_id, action=Action.VERIFICATION_ASKED.value)
    later = Verification.objects.filter(organisation_id=organisation_id, begun_at__gte=OuterRef("occurred_at"))
    return asked.filter(~Exists(later)).order_by("-occurred_at").values_list("occurred_at", flat=True).first()


def find_event(organisation_id: UUID, event_id: UUID) -> AuditEvent | None:
    """One event of an organisation."""
    return AuditEvent.objects.filter(organisation_id=organisation_id, pk=event_id).first()


def actor_of(event: AuditEvent) -> str:
    """Who did it, as the list of events calls them."""
    name = User.objects.filter(pk=event.actor_id).values_list("name", flat=True).first() if event.actor_id else None
    return _called(name, json.loads(bytes(event.body)))


def read_sought(given: Any) -> Sought:
    """What is looked for, out of a form; what cannot be read is not looked for."""
    return Sought(
        _uuid(given.get("person", "")), _uuid(given.get("object", "")), _date(given.get("since", "")), _date(given.get("until", ""))
    )


def _matching(organisation_id: UUID, sought: Sought) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(organisation_id=organisation_id)
    if sought.person:
        events = events.filter(actor_id=sought.person)
    if sought.object_id:
        events = events.filter(Q(object_id=sought.object_id) | Q(pk=sought.object_id))
    if sought.since:
        events = events.filter(occurred_at__date__gte=sought.since)
    if sought.until:
        events = events.filter(occurred_at__date__lte=sought.until)
    return events


def _row(event: Any, *, is_hidden: bool) -> EventRow:
    body = json.loads(bytes(event.body))
    return EventRow(
        id=event.id,
        at=event.occurred_at,
        action="" if is_hidden else event.action,
        actor=_called(event.name, body),
        object_type=body["object"]["type"],
        object_id=event.object_id,
        index=event.place,
        is_hidden=is_hidden,
    )


def _called(name: str | None, body: Any) -> str:
    return name or {"system": "the system", "service_key": "a service key"}.get(body["actor"]["kind"], "somebody")


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text.strip())
    except ValueError:
        return None


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None
