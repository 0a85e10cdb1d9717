"""Rules on plans in their state, for anyone."""

from __future__ import annotations

from reviewers.review.models import Plan, PlanState
from reviewers.review.policies import Refused


def check_may_start(plan: Plan) -> None:
    """Refuse to start a plan that is not a draft."""
    if not may_start(plan):
        raise Refused("This plan has been started already.")


def check_may_change(plan: Plan) -> None:
    """Refuse to change a plan that is not a draft."""
    if not may_start(plan):
        raise Refused("This plan has been started. Nothing of it can be changed any more.")


def check_draws_anything(drawn: int, plan: Plan) -> None:
    """Refuse a plan that draws nothing and has no triggers, because it would never end."""
    if not drawn and not plan.triggers:
        raise Refused("There is nothing to draw: no answer that matches is to do, outside of other plans and begun by nobody.")


def check_may_stop(plan: Plan) -> None:
    """Refuse to stop a plan that has ended. A draft is discarded, a running plan is stopped."""
    if not may_stop(plan):
        raise Refused("This plan has ended already.")


def may_start(plan: Plan) -> bool:
    """True if ``check_may_start`` passes."""
    return plan.state == PlanState.DRAFT


def may_stop(plan: Plan) -> bool:
    """True if ``check_may_stop`` passes."""
    return plan.state in (PlanState.DRAFT, PlanState.RUNNING)
