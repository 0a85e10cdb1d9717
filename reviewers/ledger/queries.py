"""Reads of the ledger: redactions, the page of events, and the state of the log and of its verification."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, Subquery

from reviewers.accounts.models import Membership, User
from reviewers.ledger.events import ACTION_WORDS, Action
from reviewers.ledger.hooks import hidden_events, hides_events_from, without_most_hidden
from reviewers.ledger.logs import newest_key, verifier_of
from reviewers.ledger.models import (
    AuditEvent,
    Checkpoint,
    Leaf,
    Log,
    LogKey,
    Pending,
    RedactionBasis,
    RedactionDecision,
    RedactionOutcome,
    Verification,
)
from reviewers.web.dates import PageKey, end_of_day, read_page_key, start_of_day
from reviewers.web.models import read_uuid
from reviewers.web.statements import json_rows

_COLUMNS = ("redaction_id", "object_id", "parts", "basis", "at", "proposer", "approver")


@dataclass(frozen=True, slots=True)
class Redacted:
    """Parts of the record of an object that were redacted together."""

    id: UUID
    object_id: UUID
    parts: Sequence[str]
    basis: RedactionBasis
    at: datetime
    proposer: str
    approver: str

    @property
    def who(self) -> str:
        """The names of both people, as in ``Ada Abbot and Leda Lund``."""
        return f"{self.proposer} and {self.approver}"

    def __str__(self) -> str:
        count = len(self.parts)
        parts = f"{count:,} part{'' if count == 1 else 's'}"
        return f"{parts} redacted on {self.at:%Y-%m-%d} by {self.who}: {self.basis.label}."


def list_redacted(organisation_id: UUID) -> list[Redacted]:
    """Return the redactions of an organisation, the oldest first."""
    return [_read(row) for row in _approved().filter(organisation_id=organisation_id).values(*_COLUMNS)]


def list_redacted_of(object_ids: Iterable[UUID]) -> list[Redacted]:
    """Return the redactions of some objects, the oldest first."""
    return [_read(row) for row in _approved().filter(redaction__object_id__in=list(object_ids)).values(*_COLUMNS)]


_REDACTED_OF = f"""ARRAY(
    SELECT jsonb_build_object(
        'redaction_id', redaction.id, 'object_id', redaction.object_id, 'parts', redaction.parts, 'basis', redaction.basis,
        'at', decision.decided_at, 'proposer', proposer.name, 'approver', approver.name
    )
    FROM ledger_redaction AS redaction JOIN ledger_redactiondecision AS decision ON decision.redaction_id = redaction.id
    LEFT JOIN accounts_user AS proposer ON proposer.id = redaction.proposed_by
    LEFT JOIN accounts_user AS approver ON approver.id = decision.decided_by
    WHERE redaction.object_id = %(expressions)s AND decision.outcome = '{RedactionOutcome.APPROVED.value}'
    ORDER BY decision.decided_at, decision.id
)"""  # noqa: S608 — nothing in it comes from outside


def redacted_of(object_id: str) -> Func:
    """Return an annotation with the redactions of an object; ``object_id`` names the column of its identifier."""
    return json_rows(_REDACTED_OF, object_id)


def read_redacted(annotated: Sequence[Mapping[str, Any]]) -> list[Redacted]:
    """Return the redactions in an annotation by ``redacted_of``."""
    return [
        _read({**each} | {name: UUID(each[name]) for name in ("redaction_id", "object_id")} | {"at": datetime.fromisoformat(each["at"])})
        for each in annotated
    ]


def _approved() -> QuerySet[RedactionDecision]:
    approved = RedactionDecision.objects.filter(outcome=RedactionOutcome.APPROVED).order_by("decided_at", "id")
    return approved.annotate(
        object_id=F("redaction__object_id"),
        parts=F("redaction__parts"),
        basis=F("redaction__basis"),
        at=F("decided_at"),
        proposer=name_of("proposed_by"),
        approver=name_of("decided_by"),
    )


def name_of(column: str) -> Subquery:
    """Return an annotation with the name of the person whose identifier a column holds."""
    return Subquery(User.objects.filter(pk=OuterRef(column)).values("name"))


def _read(row: Mapping[str, Any]) -> Redacted:
    return Redacted(
        row["redaction_id"],
        row["object_id"],
        tuple(row["parts"]),
        RedactionBasis(row["basis"]),
        row["at"],
        row["proposer"] or "somebody",
        row["approver"] or "somebody",
    )


# The page of the ledger.


PAGE = 50
_MOST_READ_AT_ONCE = 2_000
"""Events that are held at once. Others may cause very many that are hidden, such as lists that they filter while a review is blind."""


@dataclass(frozen=True, slots=True)
class EventSearch:
    """The conditions of a search for events."""

    person: UUID | None = None
    object_id: UUID | None = None
    since: date | None = None
    until: date | None = None

    @property
    def is_anything(self) -> bool:
        """True if there is any condition."""
        return any((self.person, self.object_id, self.since, self.until))


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of an organisation's log."""

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
    index: int | None
    action: str = ""
    actor: str = ""
    object_type: str = ""
    object_id: UUID | None = None

    @property
    def words(self) -> str:
        """The action in words."""
        return ACTION_WORDS[self.action]

    @property
    def key(self) -> str:
        """The key that the next page begins after."""
        return f"{self.at.isoformat()}~{self.id}"


@dataclass(frozen=True, slots=True)
class Page:
    """Some events, the newest first, and the key that older ones begin after.

    While events may be left out, whether there are any or not, no row has an index: a gap would show when something hidden happened.
    """

    rows: Sequence[EventRow]
    older: str
    is_part: bool = False


def load_overview(organisation_id: UUID) -> Overview | None:
    """Return the state of an organisation's log, or None if nothing was sealed yet."""
    begun = Exists(Checkpoint.objects.filter(log=OuterRef("pk"))), Exists(LogKey.objects.filter(log=OuterRef("pk")))
    log = Log.objects.filter(*begun, organisation_id=organisation_id).order_by("-epoch").first()
    if log is None:
        return None
    checkpoint = Checkpoint.objects.filter(log=log).latest("size")
    pending = Pending.objects.filter(organisation_id=organisation_id)
    oldest = AuditEvent.objects.filter(pk__in=pending.values("event_id")).order_by("occurred_at").values_list("occurred_at", flat=True)
    key = verifier_of(newest_key(log), log)
    return Overview(log.origin, checkpoint.size, checkpoint.note, str(key), log.epoch, pending.count(), oldest.first())


def list_people(organisation_id: UUID) -> list[tuple[UUID, str]]:
    """Return current and former members, by name."""
    members = Membership.objects.filter(organisation=organisation_id).order_by("user__name")
    return list(dict.fromkeys(members.values_list("user_id", "user__name")))


def load_page(by: Membership, sought: EventSearch, after: str) -> Page:
    """Return a page of events, the newest first, without those that are hidden from the member."""
    found = list(islice(_rows(by, _matching(by.organisation_id, sought), read_page_key(after)), PAGE + 1))
    is_part = hides_events_from(by)
    shown = [replace(row, index=None) for row in found[:PAGE]] if is_part else found[:PAGE]
    return Page(shown, found[PAGE - 1].key if len(found) > PAGE else "", is_part)


def _rows(by: Membership, events: QuerySet[AuditEvent], start: PageKey | None) -> Iterator[EventRow]:
    """Yield events for a member, the newest first. They are read as far as needed, each time twice as many as before, up to a bound."""
    name = Subquery(User.objects.filter(pk=OuterRef("actor_id")).values("name"))
    place = Subquery(Leaf.objects.filter(pk=OuterRef("pk")).values("index"))
    events, size = without_most_hidden(by, events).annotate(name=name, place=place).order_by("-occurred_at", "-id"), PAGE + 1
    while read := list((events.filter(_older(*start)) if start else events)[:size]):
        hidden = hidden_events(by, read)
        yield from (_row(event) for event in read if event.id not in hidden)
        if len(read) < size:
            return
        start, size = (read[-1].occurred_at, read[-1].id), min(size * 2, _MOST_READ_AT_ONCE)


def _older(moment: datetime, last: UUID) -> Q:
    return Q(occurred_at__lte=moment) & (Q(occurred_at__lt=moment) | Q(id__lt=last))


def last_verification(organisation_id: UUID) -> Verification | None:
    """Return the last verification of an organisation, if there is one."""
    return Verification.objects.filter(organisation_id=organisation_id).order_by("-finished_at").first()


def is_being_verified(organisation_id: UUID) -> datetime | None:
    """Return the time of a requested verification that has no result yet, or None."""
    asked = AuditEvent.objects.filter(organisation_id=organisation_id, object_id=organisation_id, action=Action.VERIFICATION_ASKED.value)
    later = Verification.objects.filter(organisation_id=organisation_id, begun_at__gte=OuterRef("occurred_at"))
    return asked.filter(~Exists(later)).order_by("-occurred_at").values_list("occurred_at", flat=True).first()


def find_event(organisation_id: UUID, event_id: UUID) -> AuditEvent | None:
    """Return an event of an organisation, or None."""
    return AuditEvent.objects.filter(organisation_id=organisation_id, pk=event_id).first()


def actor_of(event: AuditEvent) -> str:
    """Return the actor of an event, as the list of events names them."""
    name = User.objects.filter(pk=event.actor_id).values_list("name", flat=True).first() if event.actor_id else None
    return _called(name, json.loads(bytes(event.body)))


def read_event_search(given: Any) -> EventSearch:
    """Return the search that a form asks for. Values that cannot be read are ignored."""
    return EventSearch(
        read_uuid(given.get("person", "").strip()),
        read_uuid(given.get("object", "").strip()),
        _date(given.get("since", "")),
        _date(given.get("until", "")),
    )


def _matching(organisation_id: UUID, sought: EventSearch) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(organisation_id=organisation_id)
    if sought.person:
        events = events.filter(actor_id=sought.person)
    if sought.object_id:
        events = events.filter(Q(object_id=sought.object_id) | Q(pk=sought.object_id))
    if sought.since:
        events = events.filter(occurred_at__gte=start_of_day(sought.since))
    if sought.until:
        events = events.filter(occurred_at__lt=end_of_day(sought.until))
    return events


def _row(event: Any) -> EventRow:
    body = json.loads(bytes(event.body))
    return EventRow(
        event.id,
        event.occurred_at,
        event.place,
        action=event.action,
        actor=_called(event.name, body),
        object_type=body["object"]["type"],
        object_id=event.object_id,
    )


def _called(name: str | None, body: Any) -> str:
    return name or {"system": "the system", "service_key": "a service key"}.get(body["actor"]["kind"], "somebody")


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
