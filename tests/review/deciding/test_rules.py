"""From labels to a decision: the table of what verdicts come to by each rule."""

from __future__ import annotations

import pytest

from reviewers.review.deciding.rules import Outcome, decide
from reviewers.review.plan_models import Rule

ALL, MOST, LEAD = Rule.UNANIMOUS, Rule.MAJORITY, Rule.LEAD
CONFLICT = (Outcome.CONFLICT, "")


@pytest.mark.parametrize(
    ("verdicts", "rule", "expected"),
    [
        ("correct", ALL, (Outcome.DECIDED, "correct")),
        ("correct", LEAD, (Outcome.DECIDED, "correct")),
        ("cannot_judge", MOST, (Outcome.UNDECIDABLE, "cannot_judge")),
        ("correct correct", ALL, (Outcome.DECIDED, "correct")),
        ("correct correct", LEAD, CONFLICT),
        ("correct wrong", ALL, CONFLICT),
        ("correct wrong", MOST, CONFLICT),
        ("correct misstated", ALL, CONFLICT),
        ("correct cannot_judge", ALL, CONFLICT),
        ("wrong none", ALL, CONFLICT),
        ("cannot_judge cannot_judge", ALL, (Outcome.UNDECIDABLE, "cannot_judge")),
        ("none none", ALL, (Outcome.UNDECIDABLE, "none")),
        ("none none", LEAD, (Outcome.UNDECIDABLE, "none")),
        ("correct wrong wrong", MOST, (Outcome.DECIDED, "wrong")),
        ("correct wrong wrong", ALL, CONFLICT),
        ("correct wrong misstated", MOST, CONFLICT),
        ("correct correct wrong wrong", MOST, CONFLICT),
        ("none none wrong", MOST, (Outcome.UNDECIDABLE, "none")),
        ("supports supports does_not_support", MOST, (Outcome.DECIDED, "supports")),
    ],
)
def test_what_verdicts_come_to(verdicts, rule, expected):
    assert decide(verdicts.split(), rule) == expected
