"""Count how often each rule is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attribution.calibration import wilson
from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.verdicts import Verdict

_LEVEL = 0.95

AMBIGUOUS = " (ambiguous)"
"""Stands behind the name of a rule whose evidence was capped: it has another score, so it is counted apart."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The rows that a rule has claimed, how many of them rightly, and the sum of their confidences."""

    rows: int = 0
    right: int = 0
    confidences: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.rows + other.rows, self.right + other.right, self.confidences + other.confidences)

    @property
    def wrong(self) -> int:
        """The number of rows that it has claimed wrongly."""
        return self.rows - self.right

    @property
    def precision(self) -> float:
        """The share of its rows that are right."""
        return self.right / self.rows if self.rows else 0.0

    @property
    def confidence(self) -> float:
        """The mean of what it claims with."""
        return self.confidences / self.rows if self.rows else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the precision."""
        low, high = wilson(self.right, self.rows, _LEVEL)
        return low, high


def tally_rules(verdicts: Iterable[Verdict]) -> dict[str, Tally]:
    """A tally of each rule that has claimed something, by name."""
    tallies: dict[str, Tally] = {}
    for each in verdicts:
        if each.is_claimed:
            name = each.rule + (AMBIGUOUS if each.is_ambiguous else "")
            tallies[name] = tallies.get(name, Tally()) + Tally(1, int(each.is_meant), each.confidence)
    return dict(sorted(tallies.items()))


def as_table(tallies: Mapping[str, Tally]) -> Table:
    """For printing and keeping."""
    return {name: _figures(tally) for name, tally in tallies.items()}


def _figures(tally: Tally) -> dict[str, float]:
    low, high = tally.interval
    counts = {"rows": tally.rows, "right": tally.right, "wrong": tally.wrong}
    return counts | {"precision": tally.precision, "from": low, "to": high, "score": tally.confidence}
