"""Rules on adjudication: who may decide a conflict or reopen an item, in which state."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.adjudication.decisions import ItemReviews, LabelledRow, RowKey
from reviewers.review.models import CitationVerdict, Verdict
from reviewers.review.plans.phases import PhaseRight, Who, allows
from reviewers.review.review_status import ReviewStatus
from reviewers.snapshots.citations import CitationKey

OWN = "You reviewed this answer yourself, so another lead decides it."


def may_adjudicate(status: ReviewStatus, lead_id: UUID) -> bool:
    """True if the lead may decide conflicts of the item."""
    return allows(status.phase, _who(status, lead_id), PhaseRight.ADJUDICATE)


def check_may_adjudicate(status: ReviewStatus, lead_id: UUID) -> None:
    """Refuse a lead who has reviewed the item, and any item without conflicts."""
    if not allows(status.phase, Who.LEAD, PhaseRight.ADJUDICATE):
        raise Refused("There is nothing to decide here: not all reviews are in, or no labels conflict any more.")
    if not may_adjudicate(status, lead_id):
        raise Refused(OWN)


def check_as_seen(item_reviews: ItemReviews, labels: Collection[UUID]) -> LabelledRow:
    """Return the row that conflicts, or has a lead's decision, between exactly these labels.

    Raises ``Refused`` if one of them was changed meanwhile.
    """
    row = next((row for row in item_reviews.rows if {label.id for label in row.labels} == set(labels)), None)
    if row is None or (row.verdict and row.made is None):
        raise Refused("A label of this row was changed since you opened the page. Nothing was decided. Look at it again.")
    return row


def check_may_decide(key: RowKey, verdict: str, reason: str) -> None:
    """Refuse a decision without a reason, or with a verdict that its row cannot have."""
    known = CitationVerdict if isinstance(key, CitationKey) else Verdict
    if verdict not in known.values or verdict == known.NONE:
        raise Invalid("Choose what is decided.")
    if not reason:
        raise Invalid("A decision needs a reason: say what settles it.")


def may_reopen(status: ReviewStatus) -> bool:
    """True if the item may be reopened."""
    return allows(status.phase, Who.LEAD, PhaseRight.REOPEN)


def check_may_reopen(status: ReviewStatus, reason: str) -> None:
    """Refuse to reopen an item whose reviews are not all in, or without a reason."""
    if not may_reopen(status):
        raise Refused("Only an answer whose reviews are all in can be reopened.")
    if not reason:
        raise Invalid("Reopening needs a reason, for those who review it once more.")


def _who(status: ReviewStatus, lead_id: UUID) -> Who:
    return Who.LEAD if status.review_of(lead_id) is None else Who.AUTHOR
