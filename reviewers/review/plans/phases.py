"""The phases of an item under review, as a table: who may do what in each, and what leads to the next.

``manage.py phases`` draws it for ``phases.md``; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import F

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.mutable_rows import current_row
from reviewers.review.models import Lease, Phase, Plan, PlanState, QueueItem, State, Submission


class Who(StrEnum):
    """The groups of people whose rights differ."""

    REVIEWER = "a reviewer without a review of their own"
    AUTHOR = "a reviewer or lead who has submitted one"
    LEAD = "a lead who has not"


class PhaseRight(StrEnum):
    """The acts on an item that depend on its phase."""

    LABEL = "hold, label, undo, skip, submit"
    CHANGE = "change an own label, with a reason"
    COMPARE = "see all labels side by side"
    ADJUDICATE = "decide conflicts, with a reason"
    REOPEN = "reopen it, with a reason"


class PhaseStep(StrEnum):
    """The events that lead from one phase to another."""

    AGREED = "the last review comes in and nothing conflicts"
    CONFLICTED = "the last review comes in and labels conflict"
    STOPPED = "its plan is stopped after some reviews"
    RESOLVED = "the last conflict is resolved"
    DISTURBED = "a label is changed and conflicts"
    REOPENED = "a lead reopens it"


@dataclass(frozen=True, slots=True)
class Stage:
    """One phase: the rights in it and the steps out of it. ``hides_labels`` is true if the labels of others are hidden in a blind plan."""

    rights: Mapping[Who, frozenset[PhaseRight]]
    steps: Mapping[PhaseStep, Phase]
    hides_labels: bool = False


STAGES: Mapping[Phase, Stage] = {
    Phase.INDEPENDENT: Stage(
        rights={Who.REVIEWER: frozenset({PhaseRight.LABEL}), Who.AUTHOR: frozenset({PhaseRight.CHANGE})},
        steps={PhaseStep.AGREED: Phase.COMPLETE, PhaseStep.CONFLICTED: Phase.CONSOLIDATING, PhaseStep.STOPPED: Phase.COMPLETE},
        hides_labels=True,
    ),
    Phase.CONSOLIDATING: Stage(
        rights={
            Who.AUTHOR: frozenset({PhaseRight.COMPARE, PhaseRight.CHANGE}),
            Who.LEAD: frozenset({PhaseRight.COMPARE, PhaseRight.ADJUDICATE, PhaseRight.REOPEN}),
        },
        steps={PhaseStep.RESOLVED: Phase.COMPLETE, PhaseStep.REOPENED: Phase.INDEPENDENT},
    ),
    Phase.COMPLETE: Stage(
        rights={
            Who.AUTHOR: frozenset({PhaseRight.COMPARE, PhaseRight.CHANGE}),
            Who.LEAD: frozenset({PhaseRight.COMPARE, PhaseRight.REOPEN}),
        },
        steps={PhaseStep.DISTURBED: Phase.CONSOLIDATING, PhaseStep.REOPENED: Phase.INDEPENDENT},
    ),
}


def phase_after(phase: Phase, step: PhaseStep) -> Phase:
    """Return the phase that a step leads to. Raises ``ValueError`` if the phase does not have this step."""
    steps = STAGES[phase].steps
    if step not in steps:
        raise ValueError(f"an item that is {phase.label.lower()} cannot go on because {step.value}")
    return steps[step]


def allows(phase: Phase, who: Who, right: PhaseRight) -> bool:
    """True if the person may do this in the phase."""
    return right in STAGES[phase].rights.get(who, frozenset())


def document() -> str:
    """Return the table as a Markdown page: the diagram, then the rights."""
    return "\n".join([*_diagram(), "", *_rights(), ""])


def _diagram() -> Iterator[str]:
    yield from ("# Phases of an item under review", "", "```mermaid", "stateDiagram-v2", f"    [*] --> {Phase.INDEPENDENT.value}")
    for phase, stage in STAGES.items():
        for step, target in stage.steps.items():
            yield f"    {phase.value} --> {target.value}: {step.value}"
    yield "```"


def _rights() -> Iterator[str]:
    yield from ("| phase | who | may | labels of others, in a blind plan |", "|---|---|---|---|")
    for phase, stage in STAGES.items():
        for who in Who:
            rights = "; ".join(right.value for right in PhaseRight if allows(phase, who, right)) or "read"
            yield f"| {phase.value} | {who.value} | {rights} | {'hidden' if stage.hides_labels else 'shown'} |"


# The end of a plan.


def finish_where_complete(*, plan_id: UUID, by: Membership, now: datetime) -> bool:
    """Finish a plan whose items are all complete, unless it waits for later answers. Return True if it was finished.

    The plan's row is locked first, so that of two members who complete the last two items at once the second sees what the first did.
    """
    plan = Plan.objects.select_for_update().get(pk=plan_id)
    if plan.state != PlanState.RUNNING or plan.triggers or QueueItem.objects.filter(plan=plan_id).exclude(phase=Phase.COMPLETE).exists():
        return False
    end_plan(plan=plan, state=PlanState.FINISHED, action=Action.PLAN_FINISHED, by=by, now=now)
    return True


def end_plan(*, plan: Plan, state: PlanState, action: Action, by: Membership, now: datetime) -> None:
    """Save that a plan has ended, and record it."""
    plan.state, plan.ended_by_id, plan.ended_at = state, by.user_id, now
    plan.save(update_fields=["state", "ended_by", "ended_at"])
    record(Event(action, by.organisation_id, user_actor(by.user_id), now, "plan", plan.id, rows=[current_row(plan)]))


def release_items(*, plan: Plan, by: Membership, now: datetime) -> None:
    """Release the items of a stopped plan whose reviews are not all in.

    Those with a review are complete; the others are to do and in no plan.
    """
    open_items = QueueItem.objects.filter(plan=plan, phase=Phase.INDEPENDENT)
    held = list(open_items.select_for_update(of=("self",)).order_by("pk"))
    for lease in Lease.objects.filter(item__in=held):
        lease.delete()
        details = {"holder": str(lease.holder_id)}
        record(Event(Action.LEASE_RELEASED, plan.organisation_id, user_actor(by.user_id), now, "snapshot", lease.item_id, details))
    reviews = Submission.objects.filter(snapshot__in=[item.pk for item in held], round=F("snapshot__item__round"))
    last = {each.snapshot_id: each for each in reviews.order_by("submitted_at")}
    for item in held:
        if (review := last.get(item.pk)) is not None:
            item.state, item.phase = State.SUBMITTED, phase_after(Phase.INDEPENDENT, PhaseStep.STOPPED)
            item.submitted_by_id, item.submitted_at = review.reviewer_id, review.submitted_at
            item.skipped_by_id, item.skip_reason = None, ""
            item.save()
    open_items.update(plan=None, overlap=1, is_blind=False)
