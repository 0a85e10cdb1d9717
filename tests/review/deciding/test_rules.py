"""From labels to a decision: the table of what verdicts come to by each rule."""

from __future__ import annotations

import pytest

from reviewers.review.adjudication.decisions import RowOutcome, decide
from reviewers.review.models import Rule

ALL, MOST, LEAD = Rule.UNANIMOUS, Rule.MAJORITY, Rule.LEAD
CONFLICT = (RowOutcome.CONFLICT, "")


@pytest.mark.parametrize(
    ("verdicts", "rule", "expected"),
    [
        ("correct", ALL, (RowOutcome.DECIDED, "correct")),
        ("correct", LEAD, (RowOutcome.DECIDED, "correct")),
        ("cannot_judge", MOST, (RowOutcome.UNDECIDABLE, "cannot_judge")),
        ("correct correct", ALL, (RowOutcome.DECIDED, "correct")),
        ("correct correct", LEAD, CONFLICT),
        ("correct wrong", ALL, CONFLICT),
        ("correct wrong", MOST, CONFLICT),
        ("correct misstated", ALL, CONFLICT),
        ("correct cannot_judge", ALL, CONFLICT),
        ("wrong none", ALL, CONFLICT),
        ("cannot_judge cannot_judge", ALL, (RowOutcome.UNDECIDABLE, "cannot_judge")),
        ("none none", ALL, (RowOutcome.UNDECIDABLE, "none")),
        ("none none", LEAD, (RowOutcome.UNDECIDABLE, "none")),
        ("correct wrong wrong", MOST, (RowOutcome.DECIDED, "wrong")),
        ("correct wrong wrong", ALL, CONFLICT),
        ("correct wrong misstated", MOST, CONFLICT),
        ("correct correct wrong wrong", MOST, CONFLICT),
        ("none none wrong", MOST, (RowOutcome.UNDECIDABLE, "none")),
        ("supports supports does_not_say", MOST, (RowOutcome.DECIDED, "supports")),
        ("does_not_say contradicts", MOST, CONFLICT),
        ("supports does_not_say contradicts", MOST, CONFLICT),
        ("contradicts contradicts supports", MOST, (RowOutcome.DECIDED, "contradicts")),
    ],
)
def test_what_verdicts_come_to(verdicts, rule, expected):
    assert decide(verdicts.split(), rule) == expected
