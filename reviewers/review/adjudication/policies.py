"""What may be decided and reopened, by whom, in which state."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from reviewers.review.adjudication.decisions import ItemReviews, LabelledRow, RowKey
from reviewers.review.citations import CitationKey
from reviewers.review.models import CitationVerdict, Verdict
from reviewers.review.plans.phases import PhaseRight, Who, allows
from reviewers.review.policies import Invalid, Refused
from reviewers.review.review_status import ReviewStatus

OWN = "You reviewed this answer yourself, so another lead decides it."


def may_adjudicate(standing: ReviewStatus, lead_id: UUID) -> bool:
    """Whether a lead may decide conflicts of an item."""
    return allows(standing.phase, _who(standing, lead_id), PhaseRight.ADJUDICATE)


def check_may_adjudicate(standing: ReviewStatus, lead_id: UUID) -> None:
    """Four eyes: nobody decides a conflict between their own label and another. And only while there are conflicts."""
    if not allows(standing.phase, Who.LEAD, PhaseRight.ADJUDICATE):
        raise Refused("There is nothing to decide here: not all reviews are in, or no labels conflict any more.")
    if not may_adjudicate(standing, lead_id):
        raise Refused(OWN)


def check_as_seen(case: ItemReviews, labels: Collection[UUID]) -> LabelledRow:
    """What is decided is what was seen: the row that has exactly these labels, and no decision yet or one that may be made anew."""
    row = next((row for row in case.rows if {label.id for label in row.labels} == set(labels)), None)
    if row is None or (row.verdict and row.made is None):
        raise Refused("A label of this row was changed since you opened the page. Nothing was decided. Look at it again.")
    return row


def check_may_decide(key: RowKey, verdict: str, reason: str) -> None:
    """A decision is a verdict that its row can have, and says why."""
    known = CitationVerdict if isinstance(key, CitationKey) else Verdict
    if verdict not in known.values or verdict == known.NONE:
        raise Invalid("Choose what is decided.")
    if not reason:
        raise Invalid("A decision needs a reason: say what settles it.")


def may_reopen(standing: ReviewStatus) -> bool:
    """Whether an item may be reviewed once more."""
    return allows(standing.phase, Who.LEAD, PhaseRight.REOPEN)


def check_may_reopen(standing: ReviewStatus, reason: str) -> None:
    """Only what was reviewed is reopened, with a reason."""
    if not may_reopen(standing):
        raise Refused("Only an answer whose reviews are all in can be reopened.")
    if not reason:
        raise Invalid("Reopening needs a reason, for those who review it once more.")


def _who(standing: ReviewStatus, lead_id: UUID) -> Who:
    return Who.LEAD if standing.review_of(lead_id) is None else Who.AUTHOR
