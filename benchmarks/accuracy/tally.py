"""Count how often each rule is right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.verdicts import Verdict

_Z = 1.959964
"""Of a 95% interval."""

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
        if not self.rows:
            return 0.0, 1.0
        share, spread = self.precision, _Z * _Z / self.rows
        middle = share + spread / 2
        reach = _Z * math.sqrt(share * (1 - share) / self.rows + spread / (4 * self.rows))
        return max(0.0, (middle - reach) / (1 + spread)), min(1.0, (middle + reach) / (1 + spread))


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
