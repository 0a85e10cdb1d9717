"""A plan ends: finished when all its items are complete, or stopped by a lead."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.standing import standing_row
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Phase, Plan, PlanState


def finish_where_complete(*, plan_id: UUID, by: Membership, now: datetime) -> bool:
    """Finish a plan whose last item has become complete; one that waits for later answers goes on. Returns whether it is finished.

    Its row is held first: of two who complete the last two items at once the second sees what the first did.
    """
    plan = Plan.objects.select_for_update().get(pk=plan_id)
    if plan.state != PlanState.RUNNING or plan.triggers or QueueItem.objects.filter(plan=plan_id).exclude(phase=Phase.COMPLETE).exists():
        return False
    end(plan=plan, state=PlanState.FINISHED, action=Action.PLAN_FINISHED, by=by, now=now)
    return True


def end(*, plan: Plan, state: PlanState, action: Action, by: Membership, now: datetime) -> None:
    """Write down that a plan has ended."""
    plan.state, plan.ended_by_id, plan.ended_at = state, by.user_id, now
    plan.save(update_fields=["state", "ended_by", "ended_at"])
    record(Event(action, by.organisation_id, user_actor(by.user_id), now, "plan", plan.id, rows=[standing_row(plan)]))
