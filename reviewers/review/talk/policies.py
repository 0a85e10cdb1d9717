"""Rules on flags, their resolutions and comments."""

from __future__ import annotations

from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.items import ReviewItem
from reviewers.review.models import Flag, FlagKind
from reviewers.review.plans.visibility import sees_talk
from reviewers.review.policies import MOST_FLAGS

MOST_COMMENTS = 500
"""The most comments on one item: every page with it shows them all."""


def check_may_flag(item: ReviewItem, kind: FlagKind, flags: int) -> None:
    """Refuse a flag on a finding that the reviewer may not see yet, or beside very many ``flags`` of theirs."""
    if item.is_blind and kind is FlagKind.FINDING:
        raise Refused("This is a blind review: findings are shown once you have submitted yours.")
    if flags >= MOST_FLAGS:
        raise Refused(f"You have put {MOST_FLAGS} flags on this answer. A lead will look at them.")


def check_flag_note(note: str) -> None:
    """Refuse a flag without a note."""
    if not note:
        raise Invalid("A flag needs a note: say what a lead should look at.")


def check_may_resolve(flag: Flag, note: str) -> None:
    """Refuse to resolve a flag a second time, or without a note."""
    if hasattr(flag, "resolution"):
        raise Refused("Somebody has resolved this flag already.")
    if not note:
        raise Invalid("Resolving a flag needs a note: say what came of it.")


def check_may_comment(item: ReviewItem, comments: int) -> None:
    """Refuse comments while others review the item blind, and on an item that has very many."""
    if not sees_talk(item.viewer, item.review_status):
        raise Refused("This answer is under blind review. Comments can be read and written once all reviews are in.")
    if comments >= MOST_COMMENTS:
        raise Refused(f"This answer has {MOST_COMMENTS} comments, and takes no more.")


def check_comment(text: str) -> None:
    """Refuse a comment without words."""
    if not text:
        raise Invalid("A comment needs words.")
