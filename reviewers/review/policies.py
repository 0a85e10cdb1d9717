"""What may be done to an item in the state it is in, whoever asks. Each rule as ``check_x``, which raises with the reason."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from reviewers.accounts.models import Organisation, SearchWay
from reviewers.review.items import ReviewItem
from reviewers.snapshots.queries import SearchState

LEASE_LENGTH = timedelta(minutes=15)
RENEW_BELOW = timedelta(minutes=10)


class Refused(Exception):  # noqa: N818 — not an error of anybody's: the state of things has changed
    """Something that may not be done now, and why, in words for the person who tried."""


class Invalid(Refused):
    """Something that lacks what it needs, such as a reason."""


def is_held_by(item: ReviewItem, reviewer_id: UUID, now: datetime) -> bool:
    """Whether this reviewer holds the item now."""
    return item.standing.hold_of(reviewer_id, now) is not None


def check_is_current(item: ReviewItem, attribution_id: UUID) -> None:
    """A page that shows an older attribution is stale: its rows may be others."""
    if item.row.attribution_id != attribution_id:
        raise Refused("This item has been attributed again since you opened it. Reload the page.")


def check_may_take(item: ReviewItem, reviewer_id: UUID, now: datetime) -> None:
    """An item can be taken unless others hold all its free slots, it needs no more reviews, or one's own is submitted."""
    if item.is_submitted:
        raise Refused("This review has been submitted.")
    holder = item.standing.in_the_way(reviewer_id, now)
    if holder is not None:
        raise Refused(f"{holder.name} holds this item. You can read it meanwhile.")


def check_may_label(item: ReviewItem, reviewer_id: UUID, now: datetime, reason: str) -> None:
    """Before submission whoever holds the item, or takes it now, may label; afterwards only its reviewer, with a reason."""
    if not item.is_submitted:
        check_may_take(item, reviewer_id, now)
    elif item.standing.review_of(reviewer_id) is None:
        raise Refused("Somebody else has submitted this review. Only its reviewer can change it, with a reason.")
    elif not reason:
        raise Invalid("This review is submitted: changing a label needs a reason. The old label stays on record.")


def check_may_undo(item: ReviewItem, reviewer_id: UUID, now: datetime) -> None:
    """Until submission, by whoever labels."""
    if item.is_submitted:
        raise Refused("Submitted labels cannot be undone. Change the label instead, and give a reason.")
    check_may_take(item, reviewer_id, now)


def check_may_submit(item: ReviewItem, reviewer_id: UUID, now: datetime) -> None:
    """Every row that claims a field is used needs a verdict, and every citation that ``needs_verdict``; that one cannot judge is one."""
    check_may_take(item, reviewer_id, now)
    rows, citations = len(item.unlabelled), len(item.unlabelled_citations)
    if rows or citations:
        left = [f"{count} {kind}{'s' * (count > 1)}" for count, kind in ((rows, "found row"), (citations, "citation")) if count]
        raise Refused(f"{' and '.join(left)} {'has' if rows + citations == 1 else 'have'} no label yet.")


def check_may_label_remaining(item: ReviewItem) -> None:
    """Citations with something wrong are looked at one by one: where only those are left there is nothing to label at once.

    Nor is there in a blind review, whatever was found.
    """
    if item.is_blind:
        raise Refused("This is a blind review: every row is judged on its own.")
    left = item.unlabelled_citations
    if left and not item.unlabelled and not any(each.is_sound for each in left):
        raise Refused("What is left are citations whose checks found something, or could not be checked: judge them one by one.")


def check_may_flag(item: ReviewItem) -> None:
    """Findings that somebody may not know of they cannot put remarks to."""
    if item.is_blind:
        raise Refused("This is a blind review: findings are shown once you have submitted yours.")


def check_may_skip(item: ReviewItem, reviewer_id: UUID, now: datetime, reason: str) -> None:
    """Skipping says why."""
    check_may_take(item, reviewer_id, now)
    if not reason:
        raise Invalid("Skipping needs a reason, so that somebody else can take it up.")


def check_can_search_again(search: SearchState | None, organisation: Organisation) -> SearchState:
    """Only a search that failed is done again, and only while the organisation looks for citations at all; returns the one that failed."""
    if search is None or not search.has_failed:
        raise Refused("There is no search here that failed.")
    if organisation.citation_search == SearchWay.OFF:
        raise Refused("Looking for citations afterwards is turned off. It can be turned on under Settings.")
    return search
