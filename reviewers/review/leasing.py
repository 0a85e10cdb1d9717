"""Leases: taken, renewed, released, expired; each with its event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from reviewers.accounts.announcements import SYSTEM, user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.events import Action, Event
from reviewers.review.items import Holder, Item
from reviewers.review.models import Lease, QueueItem, State
from reviewers.review.policies import LEASE_LENGTH, RENEW_BELOW, check_may_take, is_held_by


@transaction.atomic
def take_next(*, candidates: QuerySet[QueueItem], by: Membership, now: datetime) -> UUID | None:
    """Take the first item to do among ``candidates`` that nobody else holds; one that is held already comes first.

    ``FOR UPDATE SKIP LOCKED``: whoever else is taking an item at this moment is given another one, without waiting. Once the row is
    ours its lease is looked at again, for somebody may have taken it, and finished taking it, since the search began.
    """
    running = Lease.objects.filter(expires_at__gt=now)
    others = running.exclude(holder=by.user_id)
    free = candidates.filter(state=State.TO_DO).filter(~Exists(others.filter(item=OuterRef("pk"))))
    own = running.filter(item=OuterRef("pk"), holder=by.user_id)
    for choice in (free.filter(Exists(own)), free):
        first = choice.order_by("answered_at", "snapshot_id").select_for_update(skip_locked=True, of=("self",))
        while (item := first.first()) is not None:
            lease = Lease.objects.filter(item=item.pk).first()
            if lease is None or lease.expires_at <= now:
                _take(item.snapshot_id, lease.holder_id if lease else None, by, now)
                return item.snapshot_id
            if lease.holder_id == by.user_id:
                _renew_where_short(item.snapshot_id, lease.expires_at, by, now)
                return item.snapshot_id
    return None


def ensure_held(*, item: Item, by: Membership, now: datetime) -> None:
    """Take a free item, or renew one's hold where it is running out. Refused where somebody else holds it."""
    check_may_take(item, by.user_id, now)
    if item.row.state == State.SKIPPED:
        item.row.state, item.row.skipped_by_id, item.row.skip_reason = State.TO_DO, None, ""
        item.row.save(update_fields=["state", "skipped_by", "skip_reason"])
    before = item.holder
    if before is None or not is_held_by(item, by.user_id, now):
        _take(item.id, before.id if before else None, by, now)
        item.holder = Holder(by.user_id, by.user.name, now + LEASE_LENGTH)
    elif _renew_where_short(item.id, before.expires_at, by, now):
        item.holder = Holder(by.user_id, by.user.name, now + LEASE_LENGTH)


def release(*, item: Item, by: Membership, now: datetime) -> None:
    """Let an item go. Nothing happens to one that is not held."""
    if Lease.objects.filter(item=item.id, holder=by.user_id).delete()[0]:
        record(_event(Action.LEASE_RELEASED, item.id, by, now))


@transaction.atomic
def release_all(*, user_id: UUID, memberships: Sequence[Membership], now: datetime) -> None:
    """Let go of everything, as when signing out."""
    for membership in memberships:
        leases = Lease.objects.filter(holder=user_id, item__organisation=membership.organisation_id)
        for item_id in list(leases.values_list("item_id", flat=True)):
            if leases.filter(item=item_id).delete()[0]:
                record(_event(Action.LEASE_RELEASED, item_id, membership, now))


@transaction.atomic
def expire(*, now: datetime) -> int:
    """Take away the leases that have run out; returns how many. A lease that has run out holds nothing even before that."""
    expired = Lease.objects.filter(expires_at__lte=now).select_for_update(skip_locked=True, of=("self",)).select_related("item")
    leases = list(expired[:1_000])
    events = [_expiry(lease.item_id, lease.item.organisation_id, lease.holder_id, now) for lease in leases]
    Lease.objects.filter(Q(pk__in=[lease.pk for lease in leases])).delete()
    record_all(events)
    return len(leases)


def _take(item_id: UUID, last_holder: UUID | None, by: Membership, now: datetime) -> None:
    """Take an item whose last lease, if it had one, has run out; that it did is written down here unless it was already."""
    if last_holder is not None and Lease.objects.filter(item=item_id, expires_at__lte=now).delete()[0]:
        record(_expiry(item_id, by.organisation_id, last_holder, now))
    lease = Lease(item_id=item_id, slot=1, holder_id=by.user_id, taken_at=now, expires_at=now + LEASE_LENGTH)
    Lease.objects.bulk_create(
        [lease], update_conflicts=True, unique_fields=["item", "slot"], update_fields=["holder", "taken_at", "expires_at"]
    )
    record(_event(Action.LEASE_TAKEN, item_id, by, now))


def _renew_where_short(item_id: UUID, expires_at: datetime, by: Membership, now: datetime) -> bool:
    """Hold an item for longer where the hold is running out; returns whether it was."""
    if expires_at - now >= RENEW_BELOW:
        return False
    Lease.objects.filter(item=item_id, holder=by.user_id).update(expires_at=now + LEASE_LENGTH)
    record(_event(Action.LEASE_RENEWED, item_id, by, now))
    return True


def _expiry(item_id: UUID, organisation_id: UUID, holder_id: UUID, now: datetime) -> Event:
    return Event(Action.LEASE_EXPIRED, organisation_id, SYSTEM, now, "snapshot", item_id, {"holder": str(holder_id)})


def _event(action: Action, item_id: UUID, by: Membership, now: datetime) -> Event:
    return Event(action, by.organisation_id, user_actor(by.user_id), now, "snapshot", item_id)
