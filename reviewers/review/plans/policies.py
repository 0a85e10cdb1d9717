"""What may be done to a plan in the state it is in, whoever asks."""

from __future__ import annotations

from reviewers.review.models import Plan, PlanState
from reviewers.review.policies import Refused


def check_may_start(plan: Plan) -> None:
    """Only a draft starts."""
    if plan.state != PlanState.DRAFT:
        raise Refused("This plan has been started already.")


def check_may_change(plan: Plan) -> None:
    """Only a draft changes: what has started is frozen."""
    if plan.state != PlanState.DRAFT:
        raise Refused("This plan has been started. Nothing of it can be changed any more.")


def check_draws_anything(drawn: int, plan: Plan) -> None:
    """A plan that draws nothing and waits for nothing would never end."""
    if not drawn and not plan.triggers:
        raise Refused("There is nothing to draw: no answer that matches is to do, outside of other plans and begun by nobody.")


def check_may_stop(plan: Plan) -> None:
    """A draft is discarded, a running plan stopped; what has ended stays as it is."""
    if not may_stop(plan):
        raise Refused("This plan has ended already.")


def may_start(plan: Plan) -> bool:
    """Whether ``check_may_start`` passes."""
    return plan.state == PlanState.DRAFT


def may_stop(plan: Plan) -> bool:
    """Whether ``check_may_stop`` passes."""
    return plan.state in (PlanState.DRAFT, PlanState.RUNNING)
