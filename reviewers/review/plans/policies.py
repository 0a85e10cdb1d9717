"""Rules on plans in their state, for anyone."""

from __future__ import annotations

from reviewers.accounts.policies import Refused
from reviewers.review.models import Plan, PlanState

MOST_WATCHING = 50
"""Running plans of an organisation that wait for answers. One job looks at those of all organisations every minute."""


def check_may_start(plan: Plan) -> None:
    """Refuse to start a plan that is not a draft."""
    if not may_start(plan):
        raise Refused("This plan has been started already.")


def check_may_watch(plan: Plan, watching: int) -> None:
    """Refuse one more plan that adds later answers beside very many that do."""
    if plan.triggers and watching >= MOST_WATCHING:
        raise Refused(f"{MOST_WATCHING} running plans add answers by conditions, and no more may. Stop one of them first.")


def check_may_change(plan: Plan) -> None:
    """Refuse to change a plan that is not a draft."""
    if not may_start(plan):
        raise Refused("This plan has been started. Nothing of it can be changed any more.")


def check_may_read(*, is_too_long: bool) -> None:
    """Refuse a plan that would read so many answers that others had to wait."""
    if is_too_long:
        raise Refused("These are too many answers for strata, conditions or control rows. Choose fewer days, or do without these.")


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
