"""The table of phases, and the page that draws it."""

from __future__ import annotations

from pathlib import Path

import pytest

import reviewers.review
from reviewers.review.models import Phase
from reviewers.review.plans.phases import STAGES, PhaseRight, PhaseStep, Who, allows, document, phase_after

PAGE = Path(reviewers.review.__file__).parent / "phases.md"


def test_the_page_is_what_the_table_draws():
    assert PAGE.read_text(encoding="utf-8") == document(), "Write it again: manage.py phases"


def test_every_phase_stands_in_the_table_and_is_reached():
    reached = {phase for stage in STAGES.values() for phase in stage.steps.values()} | {Phase.INDEPENDENT}

    assert set(STAGES) == reached == set(Phase)


def test_every_step_and_every_right_is_somewhere():
    assert {step for stage in STAGES.values() for step in stage.steps} == set(PhaseStep)
    assert {right for stage in STAGES.values() for rights in stage.rights.values() for right in rights} == set(PhaseRight)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("step", PhaseStep)
def test_a_step_that_there_is_not_is_refused(phase, step):
    if step in STAGES[phase].steps:
        assert phase_after(phase, step) is not phase
    else:
        with pytest.raises(ValueError, match="cannot go on"):
            phase_after(phase, step)


def test_nobody_compares_labels_while_they_are_given():
    assert not any(allows(Phase.INDEPENDENT, who, PhaseRight.COMPARE) for who in Who)
    assert STAGES[Phase.INDEPENDENT].hides_labels
