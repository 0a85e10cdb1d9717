"""Reads of endpoints and deliveries as their pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, OuterRef

from reviewers.accounts.models import Membership, Organisation
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.review.models import QueueItem
from reviewers.review.visibility import hides_work_from, is_under_blind_review, viewer_of
from reviewers.webhooks.models import Attempt, Delivery, DueDelivery, Endpoint, EventKind, OffReason

PAGE_SIZE = 50


_OF_DELIVERIES = frozenset({Action.DELIVERY_ATTEMPTED, Action.DELIVERY_ASKED_AGAIN, Action.TEXT_SENT})


def hidden_from(member: Membership, events: Sequence[AuditEvent]) -> set[UUID]:
    """Return the events of deliveries about answers whose work is hidden from a member: an endpoint may ask for flags alone."""
    told = {each.pk: each.object_id for each in events if each.action in _OF_DELIVERIES}
    if not told:
        return set()
    items = QueueItem.objects.filter(hides_work_from(viewer_of(member)), organisation=member.organisation_id)
    about = Delivery.objects.filter(organisation=member.organisation_id, pk__in=set(told.values()), item__in=items)
    hidden = {*about.values_list("pk", flat=True), *items.filter(pk__in=set(told.values())).values_list("pk", flat=True)}
    return {pk for pk, object_id in told.items() if object_id in hidden}


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """An endpoint, by its address or by who gets mail. ``waiting`` counts the deliveries that are still to be sent."""

    id: UUID
    address: str
    is_mail: bool
    includes_text: bool
    kinds: Sequence[str]
    creator: str
    created_at: datetime
    off: str
    switched_at: datetime | None
    waiting: int


def list_endpoints(organisation: Organisation) -> list[EndpointRow]:
    """Return the endpoints of an organisation, the newest first."""
    found = Endpoint.objects.filter(organisation=organisation).select_related("created_by", "subscriber").order_by("-created_at", "-id")
    due = DueDelivery.objects.filter(organisation=organisation).values_list("endpoint").annotate(Count("pk")).order_by()
    waiting = dict(due)
    return [_endpoint(each, waiting.get(each.pk, 0)) for each in found]


def find_endpoint(organisation: Organisation, endpoint_id: UUID) -> EndpointRow | None:
    """Return an endpoint of an organisation, or None."""
    return next((each for each in list_endpoints(organisation) if each.id == endpoint_id), None)


def find_mail(member: Membership) -> Endpoint | None:
    """Return what a member chose to get mail about, or None."""
    return Endpoint.objects.filter(organisation=member.organisation_id, subscriber=member.user_id).first()


def _endpoint(row: Endpoint, waiting: int) -> EndpointRow:
    return EndpointRow(
        id=row.pk,
        address=f"Mail to {row.subscriber.name}, {'once a day' if row.is_daily else 'at once'}" if row.subscriber else row.address,
        is_mail=row.subscriber is not None,
        includes_text=row.includes_text,
        kinds=[EventKind(each).label for each in row.kinds],
        creator=row.created_by.name,
        created_at=row.created_at,
        off=OffReason(row.off_reason).label if row.off_reason else "",
        switched_at=row.switched_at,
        waiting=waiting,
    )


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A delivery with its attempts, oldest first. ``due_at`` is the time of the next one, if there is to be one."""

    id: UUID
    kind: str
    happened_at: datetime
    body: str
    attempts: Sequence[Attempt]
    due_at: datetime | None
    is_held: bool

    @property
    def last(self) -> Attempt | None:
        """The last attempt, or None."""
        return self.attempts[-1] if self.attempts else None

    @property
    def is_delivered(self) -> bool:
        """True if the endpoint took it at the last attempt."""
        return self.last is not None and not self.last.reason

    @property
    def state(self) -> str:
        """Its state in a word."""
        if self.due_at is not None:
            return "held back" if self.is_held else "waiting"
        return "delivered" if self.is_delivered else "given up"

    @property
    def tone(self) -> str:
        """The tone of its state."""
        return {"delivered": "good", "given up": "bad"}.get(self.state, "quiet")


def list_deliveries(endpoint: EndpointRow, before: UUID | None = None) -> list[DeliveryRow]:
    """Return a page of the deliveries to an endpoint, the newest first, and one more if there is an older one."""
    hidden = QueueItem.objects.filter(is_under_blind_review(), pk=OuterRef("item"))
    found = Delivery.objects.filter(endpoint=endpoint.id).annotate(held=Exists(hidden)).select_related("due").prefetch_related("attempts")
    chosen = found.filter(pk__lt=before) if before else found
    return [_delivery(each) for each in chosen.order_by("-id")[: PAGE_SIZE + 1]]


def _delivery(row: Delivery) -> DeliveryRow:
    due = getattr(row, "due", None)
    return DeliveryRow(
        id=row.pk,
        kind=EventKind(row.kind).label,
        happened_at=row.happened_at,
        body=row.body,
        attempts=sorted(row.attempts.all(), key=lambda each: each.pk),
        due_at=due.due_at if due else None,
        is_held=bool(getattr(row, "held", False)),
    )
