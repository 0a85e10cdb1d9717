"""An answer as long as a record may be is frozen and shown in seconds, whatever stands around its markers."""

from __future__ import annotations

import pytest

from reviewers.snapshots.unmarked import unmark
from tests.attribution.growth import cpu_seconds

MOST_SECONDS = 6.0
MARKER = "[[SF:risk_level]]"


@pytest.mark.parametrize(
    "answer",
    ["(" * 1_000_000 + MARKER + ")" * 1_000_000, f"({MARKER}), " * 100_000, f"{'(' * 50}{MARKER}{')' * 50} and so on. " * 15_000],
    ids=["one in brackets", "many in brackets", "each in many brackets"],
)
def test_what_stands_around_markers_is_looked_at_for_so_many_of_them(answer: str) -> None:
    """One in two million brackets took a minute and a half, when the record came and at each view of a blind reviewer."""
    assert cpu_seconds(lambda: unmark(answer), enough=MOST_SECONDS, runs=1) <= MOST_SECONDS


def test_behind_very_many_the_markers_themselves_are_taken_out() -> None:
    assert MARKER not in unmark(f"({MARKER}), x " * 15_000).text
