"""Which phase the labels of an item lead to."""

from __future__ import annotations

from datetime import datetime

from reviewers.accounts.models import Membership
from reviewers.review.deciding.loading import load_case
from reviewers.review.items import Item
from reviewers.review.plan_models import Phase
from reviewers.review.plans.ending import finish_where_complete
from reviewers.review.plans.phases import Step, after


def step_after_last(item: Item) -> Step:
    """Whether anything in the reviews of an item conflicts by its plan's rule. One review cannot conflict with itself."""
    return Step.CONFLICTED if _has_conflicts(item) else Step.AGREED


def settle_again(item: Item, by: Membership, now: datetime) -> None:
    """After a label was changed or a conflict decided: an item without conflicts is complete, one with some is not."""
    phase = item.standing.phase
    if phase is Phase.INDEPENDENT or item.standing.overlap == 1:
        return
    step = {Phase.CONSOLIDATING: Step.RESOLVED, Phase.COMPLETE: Step.DISTURBED}[phase]
    if _has_conflicts(item) is (step is Step.DISTURBED):
        move(item, step)
        finish_plan(item, by, now)


def move(item: Item, step: Step) -> None:
    """Take a step, and write it."""
    item.take_step(after(Phase(item.row.phase), step))
    item.row.save(update_fields=["phase"])


def finish_plan(item: Item, by: Membership, now: datetime) -> None:
    """End the plan of an item that has become complete, if it was the last."""
    if item.row.plan_id and item.standing.phase is Phase.COMPLETE:
        finish_where_complete(plan_id=item.row.plan_id, by=by, now=now)


def _has_conflicts(item: Item) -> bool:
    return item.row.plan is not None and item.standing.overlap > 1 and bool(load_case(item).conflicts)
