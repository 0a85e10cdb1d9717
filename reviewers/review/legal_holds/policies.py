"""Rules on legal holds: what they forbid, and who may place and lift one in its state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from reviewers.accounts.approval import check_two_people
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.legal_holds.queries import HoldInForce
from reviewers.review.models import Hold, HoldKind, LiftDecision, LiftOutcome, LiftProposal


def check_is_not_held(holds: Sequence[HoldInForce]) -> None:
    """Refuse to redact an answer that is under a legal hold."""
    if holds:
        raise Refused(f"This answer is under a legal hold: {holds[0].words}. Nothing of it can be redacted until two people lift the hold.")


def check_can_be_placed(hold: Hold) -> None:
    """Refuse a hold without a reason, or that does not name one thing to cover."""
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
    """Refuse to propose lifting a hold that is lifted, has an open proposal, or without a reason."""
    check_is_in_force(hold)
    if open_proposal_of(hold):
        raise Refused("Somebody has proposed already to lift this hold.")
    if not reason:
        raise Invalid("Say why the hold can be lifted.")


def check_is_in_force(hold: Hold) -> None:
    """Refuse a hold that has been lifted."""
    if LiftDecision.objects.filter(hold=hold, outcome=LiftOutcome.LIFTED).exists():
        raise Refused("This hold has been lifted already.")


def check_may_lift(proposal: LiftProposal, user_id: UUID, now: datetime) -> None:
    """Refuse to lift a hold unless two people do it (see ``check_two_people``)."""
    whose = {"proposed_by": proposal.proposed_by_id, "decided_by": user_id}
    check_two_people(proposal, permission=Permission.PLACE_HOLDS, **whose, now=now)


def open_proposal_of(hold: Hold) -> LiftProposal | None:
    """Return the proposal that nobody has decided yet, or None."""
    return LiftProposal.objects.filter(hold=hold, decision=None).order_by("id").first()
