"""Leases on review items: take, renew, release and expire them, each with its audit event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import OrderBy

from reviewers.accounts.audit import SYSTEM, Actor, user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Refused
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.events import Action, Event
from reviewers.review.items import ReviewItem
from reviewers.review.models import Aside, Lease, QueueItem, State, Submission
from reviewers.review.policies import check_may_take
from reviewers.review.review_status import Holder, ReviewStatus, review_status_of
from reviewers.web.models import advisory_lock
from reviewers.web.tenancy import tenant

LEASE_LENGTH = timedelta(minutes=15)
RENEW_BELOW = timedelta(minutes=10)
"""A label renews a lease that has less than this left."""


@transaction.atomic
def take_next(*, candidates: QuerySet[QueueItem], by: Membership, now: datetime, order: Sequence[OrderBy] = ()) -> UUID | None:
    """Take the first item to do among ``candidates`` that has a free slot, and return its identifier or None.

    An item that the member already holds comes first. ``FOR UPDATE SKIP LOCKED`` gives members who ask at the same time different items
    without waiting. Once the row is locked its slots are read again, because somebody may have taken the last one since the search began.
    Concurrent requests of one member are serialised and get the same item.
    """
    advisory_lock(f"taking {by.pk}")
    running = Lease.objects.filter(item=OuterRef("pk"), expires_at__gt=now)
    done = Submission.objects.filter(snapshot=OuterRef("pk"), round=OuterRef("round"))
    aside = Aside.objects.filter(item=OuterRef("pk"), reviewer=by.user_id)
    open_to_me = candidates.filter(state=State.TO_DO).filter(~Exists(done.filter(reviewer=by.user_id)), ~Exists(aside))
    free = open_to_me.filter(overlap__gt=_count(running.exclude(holder=by.user_id)) + _count(done))
    for choice in (free.filter(Exists(running.filter(holder=by.user_id))), free):
        first = choice.order_by(*order, "answered_at", "snapshot_id").select_for_update(skip_locked=True, of=("self",))
        while (item := first.first()) is not None:
            if _take_where_free(item.snapshot_id, review_status_of(item), by, now):
                return item.snapshot_id
    return None


def _take_where_free(item_id: UUID, status: ReviewStatus, by: Membership, now: datetime) -> bool:
    """Take an item whose row is locked, or renew its lease. Return True if the member holds it now."""
    held = status.hold_of(by.user_id, now)
    if held is not None:
        _renew_where_short(item_id, held.expires_at, by, now)
        return True
    slot = status.free_slot(now)
    if slot is None:
        return False
    _take(item_id, status, slot, by, now)
    return True


def _count(rows: QuerySet[Any]) -> Subquery:
    counted = rows.order_by().annotate(counted=Func(F("pk"), function="count")).values("counted")
    return Subquery(counted, output_field=IntegerField())


def ensure_held(*, item: ReviewItem, by: Membership, now: datetime) -> None:
    """Take a free slot of an item, or renew the member's lease if it is running out. Raises ``Refused`` if others hold all slots."""
    check_may_take(item, by.user_id, now)
    if item.row.state == State.SKIPPED:
        item.row.state, item.row.skipped_by_id, item.row.skip_reason = State.TO_DO, None, ""
        item.row.save(update_fields=["state", "skipped_by", "skip_reason"])
    held = item.review_status.hold_of(by.user_id, now)
    if held is not None and not _renew_where_short(item.id, held.expires_at, by, now):
        return
    slot = held.slot if held else item.review_status.free_slot(now)
    if slot is None:
        raise Refused("This item needs no more reviews.")
    if held is None:
        _take(item.id, item.review_status, slot, by, now)
        if item.review_status.overlap > 1:
            Aside.objects.filter(item=item.id, reviewer=by.user_id).delete()
    own = Holder(by.user_id, by.user.name, now + LEASE_LENGTH, slot)
    item.review_status = replace(
        item.review_status, holders=[*(each for each in item.review_status.running(now) if each.id != own.id), own]
    )


def release(*, item: ReviewItem, by: Membership, now: datetime) -> None:
    """Release the member's lease on an item, if there is one."""
    record_all(delete_lease(item=item, by=by, now=now))


def delete_lease(*, item: ReviewItem, by: Membership, now: datetime) -> list[Event]:
    """Delete the member's lease and return the event, which the caller records in the same transaction."""
    was_held = Lease.objects.filter(item=item.id, holder=by.user_id).delete()[0]
    return [_event(Action.LEASE_RELEASED, item.id, by, now)] if was_held else []


@transaction.atomic
def release_all(*, user_id: UUID, memberships: Sequence[Membership], now: datetime) -> None:
    """Release every lease of a user in these memberships, as when signing out."""
    for membership in memberships:
        with tenant.within(membership.organisation_id):
            leases = Lease.objects.filter(holder=user_id, organisation=membership.organisation_id)
            for item_id in list(leases.values_list("item_id", flat=True)):
                if leases.filter(item=item_id).delete()[0]:
                    record(_event(Action.LEASE_RELEASED, item_id, membership, now))


@transaction.atomic
def take_away(*, holder_id: UUID, organisation_id: UUID, by: Actor, now: datetime) -> None:
    """Release every lease of a person in an organisation, as when their membership has ended."""
    leases = Lease.objects.filter(holder=holder_id, organisation=organisation_id)
    for item_id in leases.values_list("item_id", flat=True):
        if leases.filter(item=item_id).delete()[0]:
            details = {"holder": str(holder_id)}
            record(Event(Action.LEASE_RELEASED, organisation_id, by, now, "snapshot", item_id, details))


@transaction.atomic
def expire(*, now: datetime) -> int:
    """Delete the current organisation's expired leases, and return how many there were.

    At most 1,000 are deleted at a time. An expired lease holds nothing even before it is deleted.
    """
    leases = list(Lease.objects.filter(expires_at__lte=now).select_for_update(skip_locked=True)[:1_000])
    events = [_expiry(lease.item_id, lease.organisation_id, lease.holder_id, now) for lease in leases]
    Lease.objects.filter(Q(pk__in=[lease.pk for lease in leases])).delete()
    record_all(events)
    return len(leases)


def _take(item_id: UUID, status: ReviewStatus, slot: int, by: Membership, now: datetime) -> None:
    """Create a lease on a slot, and record the leases of the item that have expired."""
    for holder in status.holders:
        if holder.expires_at <= now and Lease.objects.filter(item=item_id, holder=holder.id, expires_at__lte=now).delete()[0]:
            record(_expiry(item_id, by.organisation_id, holder.id, now))
    lease = {"organisation_id": by.organisation_id, "slot": slot, "overlap": status.overlap, "holder_id": by.user_id}
    Lease.objects.create(item_id=item_id, taken_at=now, expires_at=now + LEASE_LENGTH, **lease)
    record(_event(Action.LEASE_TAKEN, item_id, by, now))


def _renew_where_short(item_id: UUID, expires_at: datetime, by: Membership, now: datetime) -> bool:
    """Extend the lease if it is running out. Return True if it was."""
    if expires_at - now >= RENEW_BELOW:
        return False
    Lease.objects.filter(item=item_id, holder=by.user_id).update(expires_at=now + LEASE_LENGTH)
    record(_event(Action.LEASE_RENEWED, item_id, by, now))
    return True


def _expiry(item_id: UUID, organisation_id: UUID, holder_id: UUID, now: datetime) -> Event:
    return Event(Action.LEASE_EXPIRED, organisation_id, SYSTEM, now, "snapshot", item_id, {"holder": str(holder_id)})


def _event(action: Action, item_id: UUID, by: Membership, now: datetime) -> Event:
    return Event(action, by.organisation_id, user_actor(by.user_id), now, "snapshot", item_id)
