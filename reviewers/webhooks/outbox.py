"""The outbox: what happened becomes deliveries, in its own transaction. A body names what it is about and holds no text of it.

A delivery has no event before it is sent: one more event would tell by the size of the log that somebody flagged a place in a blind review.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from reviewers.ledger.events import Action, Event, canonical
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.review.models import QueueItem
from reviewers.web.statements import insert
from reviewers.webhooks.models import Delivery, DueDelivery, Endpoint, EventKind, OffReason


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that endpoints can be told: its kind, and the object that it is about."""

    kind: EventKind
    organisation_id: UUID
    object_id: UUID
    at: datetime

    @property
    def item_id(self) -> UUID | None:
        """The answer that it is about, or None."""
        return self.object_id if self.kind in ABOUT_ANSWERS else None


ABOUT_ANSWERS = frozenset({EventKind.CONTRADICTION, EventKind.FLAG, EventKind.CONFLICT})
"""The kinds whose object is an answer. It may be under blind review by the time that a message is sent, whoever caused it."""


def _item(pk: UUID) -> str:
    return reverse("item", args=[pk])


def _conflict(pk: UUID) -> str:
    return reverse("conflict", args=[pk])


def _export(pk: UUID) -> str:
    return reverse("export", args=[pk])


def _profile(pk: UUID) -> str:
    return reverse("profile", args=[pk])


def _plan(pk: UUID) -> str:
    return reverse("plan", args=[pk])


_PAGES: Mapping[str, Callable[[UUID], str]] = {
    EventKind.CONTRADICTION: _item,
    EventKind.FLAG: _item,
    EventKind.CONFLICT: _conflict,
    EventKind.ALARM: lambda _: reverse("quality"),
    EventKind.REPORT: _export,
    EventKind.REPORT_FAILED: _export,
    EventKind.PROFILE_PROPOSED: _profile,
    EventKind.PROFILE_SUSPENDED: _profile,
    EventKind.PLAN: _plan,
    EventKind.VERIFICATION: lambda _: reverse("ledger"),
    EventKind.ENDPOINT_OFF: lambda pk: reverse("endpoint", args=[pk]),
}
"""The page of the object, by kind."""

_KINDS: Mapping[Action, EventKind] = {
    Action.FINDING_FLAGGED: EventKind.FLAG,
    Action.PLACE_FLAGGED: EventKind.FLAG,
    Action.ALARM_RAISED: EventKind.ALARM,
    Action.REPORT_MADE: EventKind.REPORT,
    Action.REPORT_FAILED: EventKind.REPORT_FAILED,
    Action.PROFILE_PROPOSED: EventKind.PROFILE_PROPOSED,
    Action.PROFILE_SUSPENDED: EventKind.PROFILE_SUSPENDED,
    Action.PLAN_FINISHED: EventKind.PLAN,
}


def add_events(events: Sequence[Event]) -> None:
    """Add what an endpoint may want to know of some events. Other events, such as of reading, cost no query."""
    happenings = [each for event in events if (each := _happening(event))]
    if happenings:
        add(happenings)


def _happening(event: Event) -> Happening | None:
    kind = _KINDS.get(event.action)
    if event.action is Action.LEDGER_VERIFIED and not event.details.get("agrees"):
        kind = EventKind.VERIFICATION
    if event.action is Action.ENDPOINT_SWITCHED and event.details.get("reason") in (OffReason.GONE, OffReason.FAILING):
        kind = EventKind.ENDPOINT_OFF
    if kind is None:
        return None
    return Happening(kind, event.organisation_id, event.object_id, event.at)


def add_contradictions(organisation_id: UUID, item_ids: Sequence[UUID], at: datetime) -> None:
    """Add that answers that were just frozen contradict their records."""
    add([Happening(EventKind.CONTRADICTION, organisation_id, pk, at) for pk in item_ids])


def add_conflict(item: QueueItem, at: datetime) -> None:
    """Add that the labels of an answer conflict."""
    add([Happening(EventKind.CONFLICT, item.organisation_id, item.pk, at)])


def add(happenings: Sequence[Happening]) -> None:
    """Write a delivery for each endpoint that is on and wants it; the worker sends them once the transaction is committed."""
    from reviewers.webhooks.jobs import defer_due  # noqa: PLC0415 — jobs write to the outbox, too

    endpoints = list(Endpoint.objects.filter(organisation=happenings[0].organisation_id, off_reason=""))
    wanted = [(endpoint, each) for endpoint in endpoints for each in happenings if each.kind in endpoint.kinds]
    made = [_delivery(endpoint, each) for endpoint, each in _allowed(wanted)]
    if not made:
        return
    insert([*made, *(due(each, first_time(each)) for each in made)])
    defer_due(made)


def _allowed(wanted: Sequence[tuple[Endpoint, Happening]]) -> list[tuple[Endpoint, Happening]]:
    """Return those that go to an address, or to somebody who is a member and may read the page."""
    from reviewers.webhooks.mail import find_members, kinds_for  # noqa: PLC0415 — it needs what is here

    subscribers = {endpoint.subscriber_id for endpoint, _ in wanted if endpoint.subscriber_id}
    members = find_members(wanted[0][1].organisation_id, subscribers) if subscribers else {}
    kinds = {user_id: kinds_for(member) for user_id, member in members.items()}
    return [(to, each) for to, each in wanted if not to.subscriber_id or each.kind in kinds.get(to.subscriber_id, [])]


def _delivery(endpoint: Endpoint, of: Happening) -> Delivery:
    return Delivery(
        organisation_id=of.organisation_id,
        endpoint=endpoint,
        kind=of.kind,
        object_id=of.object_id,
        item_id=of.item_id,
        happened_at=of.at,
        body=body_of(of.kind, of.object_id, of.at),
    )


MORNING = time(7)
"""The time of the day at which daily mail is sent, in the time zone of pages."""


def first_time(delivery: Delivery) -> datetime:
    """Return the time from which a new delivery is sent: at once, or with the next daily mail."""
    if not delivery.endpoint.is_daily:
        return delivery.happened_at
    there = timezone.localtime(delivery.happened_at)
    day = there.date() if there.time() < MORNING else there.date() + timedelta(days=1)
    return timezone.make_aware(datetime.combine(day, MORNING))


def due(delivery: Delivery, at: datetime) -> DueDelivery:
    """Return the row that has a delivery sent."""
    return DueDelivery(delivery=delivery, organisation_id=delivery.organisation_id, endpoint_id=delivery.endpoint_id, due_at=at)


def body_of(kind: str, object_id: UUID, at: datetime) -> str:
    """Return the body of a message, as canonical JSON: its kind, its time, the object's identifier and the address of its page."""
    told = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    data = {"id": str(object_id), "page": f"{settings.ADDRESS}{page_of(kind, object_id)}"}
    return canonical({"type": str(kind), "timestamp": told, "data": data}).decode()


def page_of(kind: str, object_id: UUID) -> str:
    """Return the path of the page about an object of a kind."""
    return _PAGES[kind](object_id)


NOT_TRIED = "NOT EXISTS (SELECT FROM webhooks_attempt WHERE delivery_id = webhooks_delivery.id)"
"""The condition in SQL for the deliveries that no event tells of yet."""


def check_waiting(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` for a delivery that was never tried and does not wait to be sent."""
    lost = Delivery.objects.filter(organisation=organisation_id, attempts=None, due=None).order_by("pk").first()
    if lost:
        raise LedgerMismatch(Delivery, lost.pk, "was never tried, and does not wait to be sent")
