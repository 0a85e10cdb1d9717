"""Who may place and lift a hold in the state it is in, and what a hold forbids."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from reviewers.accounts.policies import why_not_two_people
from reviewers.review.legal_holds.queries import HoldInForce
from reviewers.review.models import Hold, HoldKind, LiftDecision, LiftOutcome, LiftProposal
from reviewers.review.policies import Invalid, Refused


def check_is_not_held(holds: Sequence[HoldInForce]) -> None:
    """Nothing of what is under a legal hold is redacted."""
    if holds:
        raise Refused(f"This answer is under a legal hold: {holds[0].words}. Nothing of it can be redacted until two people lift the hold.")


def check_can_be_placed(hold: Hold) -> None:
    """A hold covers one thing and says why."""
    if not hold.reason:
        raise Invalid("A hold needs a reason.")
    match hold.kind:
        case HoldKind.PLAN:
            is_named = hold.plan_id is not None
        case HoldKind.PERIOD:
            is_named = hold.since is not None or hold.until is not None
        case _:
            is_named = bool(hold.reference)
    if not is_named:
        raise Invalid("Say what is held: the reference of a client or a conversation, a plan, or the days of a period.")
    if hold.since and hold.until and hold.since > hold.until:
        raise Invalid("The last day lies before the first.")


def check_can_be_lifted(hold: Hold, reason: str) -> None:
    """A hold is lifted once, and one proposal is decided before there is another."""
    check_is_in_force(hold)
    if open_proposal_of(hold):
        raise Refused("Somebody has proposed already to lift this hold.")
    if not reason:
        raise Invalid("Say why the hold can be lifted.")


def check_is_in_force(hold: Hold) -> None:
    """Only a hold that has not been lifted can be."""
    if LiftDecision.objects.filter(hold=hold, outcome=LiftOutcome.LIFTED).exists():
        raise Refused("This hold has been lifted already.")


def check_may_lift(proposal: LiftProposal, user_id: UUID, now: datetime) -> None:
    """A hold is lifted by two people (see ``two_people``)."""
    reason = why_not_two_people(
        organisation_id=proposal.organisation_id,
        proposed_by=proposal.proposed_by_id,
        proposed_at=proposal.proposed_at,
        decided_by=user_id,
        now=now,
    )
    if reason:
        raise Refused(reason)


def open_proposal_of(hold: Hold) -> LiftProposal | None:
    """Return the proposal that waits, if one does."""
    return LiftProposal.objects.filter(hold=hold, decision=None).order_by("id").first()
