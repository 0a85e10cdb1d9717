"""What may be done to an item in the state it is in, whoever asks. Each rule as ``check_x``, which raises with the reason."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from reviewers.review.items import Holder, Item

LEASE_LENGTH = timedelta(minutes=15)
RENEW_BELOW = timedelta(minutes=10)


class Refused(Exception):  # noqa: N818 — not an error of anybody's: the state of things has changed
    """Something that may not be done now, and why, in words for the person who tried."""


class Invalid(Refused):
    """Something that lacks what it needs, such as a reason."""


def is_running(holder: Holder | None, now: datetime) -> bool:
    """Whether a lease still holds."""
    return holder is not None and holder.expires_at > now


def is_held_by(item: Item, reviewer_id: UUID, now: datetime) -> bool:
    """Whether this reviewer holds the item now."""
    return item.holder is not None and item.holder.id == reviewer_id and is_running(item.holder, now)


def check_is_current(item: Item, attribution_id: UUID) -> None:
    """A page that shows an older attribution is stale: its rows may be others."""
    if item.row.attribution_id != attribution_id:
        raise Refused("This item has been attributed again since you opened it. Reload the page.")


def check_may_take(item: Item, reviewer_id: UUID, now: datetime) -> None:
    """An item can be taken unless somebody else holds it or its review is submitted."""
    if item.is_submitted:
        raise Refused("This review has been submitted.")
    holder = item.holder
    if holder is not None and is_running(holder, now) and holder.id != reviewer_id:
        raise Refused(f"{holder.name} holds this item. You can read it meanwhile.")


def check_may_label(item: Item, reviewer_id: UUID, now: datetime, reason: str) -> None:
    """Before submission whoever holds the item, or takes it now, may label; afterwards only its reviewer, with a reason."""
    if not item.is_submitted:
        check_may_take(item, reviewer_id, now)
    elif item.row.submitted_by_id != reviewer_id:
        raise Refused("Somebody else has submitted this review. Only its reviewer can change it, with a reason.")
    elif not reason:
        raise Invalid("This review is submitted: changing a label needs a reason. The old label stays on record.")


def check_may_undo(item: Item, reviewer_id: UUID, now: datetime) -> None:
    """Until submission, by whoever labels."""
    if item.is_submitted:
        raise Refused("Submitted labels cannot be undone. Change the label instead, and give a reason.")
    check_may_take(item, reviewer_id, now)


def check_may_submit(item: Item, reviewer_id: UUID, now: datetime) -> None:
    """Every row that claims a field is used needs a verdict; that one cannot judge is one."""
    check_may_take(item, reviewer_id, now)
    count = len(item.unlabelled)
    if count:
        raise Refused("1 found row has no label yet." if count == 1 else f"{count} found rows have no label yet.")


def check_may_skip(item: Item, reviewer_id: UUID, now: datetime, reason: str) -> None:
    """Skipping says why."""
    check_may_take(item, reviewer_id, now)
    if not reason:
        raise Invalid("Skipping needs a reason, so that somebody else can take it up.")
