"""The phases of an item under review, as a table: who may do what in each, and what leads to the next.

``manage.py phases`` draws it for ``phases.md``; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from reviewers.review.plan_models import Phase


class Who(StrEnum):
    """Those whose rights differ."""

    REVIEWER = "a reviewer without a review of their own"
    AUTHOR = "a reviewer or lead who has submitted one"
    LEAD = "a lead who has not"


class Deed(StrEnum):
    """What is done to an item."""

    LABEL = "hold, label, undo, skip, submit"
    CHANGE = "change an own label, with a reason"
    COMPARE = "see all labels side by side"
    ADJUDICATE = "decide conflicts, with a reason"
    REOPEN = "reopen it, with a reason"


class Step(StrEnum):
    """What leads from one phase to another."""

    AGREED = "the last review comes in and nothing conflicts"
    CONFLICTED = "the last review comes in and labels conflict"
    STOPPED = "its plan is stopped after some reviews"
    RESOLVED = "the last conflict is resolved"
    DISTURBED = "a label is changed and conflicts"
    REOPENED = "a lead reopens it"


@dataclass(frozen=True, slots=True)
class Stage:
    """One phase: the rights in it and the steps out of it. In a blind plan labels of others are hidden in those that say so."""

    deeds: Mapping[Who, frozenset[Deed]]
    steps: Mapping[Step, Phase]
    hides_labels: bool = False


STAGES: Mapping[Phase, Stage] = {
    Phase.INDEPENDENT: Stage(
        deeds={Who.REVIEWER: frozenset({Deed.LABEL}), Who.AUTHOR: frozenset({Deed.CHANGE})},
        steps={Step.AGREED: Phase.COMPLETE, Step.CONFLICTED: Phase.CONSOLIDATING, Step.STOPPED: Phase.COMPLETE},
        hides_labels=True,
    ),
    Phase.CONSOLIDATING: Stage(
        deeds={
            Who.AUTHOR: frozenset({Deed.COMPARE, Deed.CHANGE}),
            Who.LEAD: frozenset({Deed.COMPARE, Deed.ADJUDICATE, Deed.REOPEN}),
        },
        steps={Step.RESOLVED: Phase.COMPLETE, Step.REOPENED: Phase.INDEPENDENT},
    ),
    Phase.COMPLETE: Stage(
        deeds={
            Who.AUTHOR: frozenset({Deed.COMPARE, Deed.CHANGE}),
            Who.LEAD: frozenset({Deed.COMPARE, Deed.REOPEN}),
        },
        steps={Step.DISTURBED: Phase.CONSOLIDATING, Step.REOPENED: Phase.INDEPENDENT},
    ),
}


def after(phase: Phase, step: Step) -> Phase:
    """The phase that a step leads to. Raises ``ValueError`` for one that there is not."""
    steps = STAGES[phase].steps
    if step not in steps:
        raise ValueError(f"an item that is {phase.label.lower()} cannot go on because {step.value}")
    return steps[step]


def allows(phase: Phase, who: Who, deed: Deed) -> bool:
    """Whether somebody may do something in a phase."""
    return deed in STAGES[phase].deeds.get(who, frozenset())


def document() -> str:
    """The table as a page: the diagram, then who may do what."""
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
            deeds = "; ".join(deed.value for deed in Deed if allows(phase, who, deed)) or "read"
            yield f"| {phase.value} | {who.value} | {deeds} | {'hidden' if stage.hides_labels else 'shown'} |"
