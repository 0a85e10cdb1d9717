"""Two profiles on one corpus, before anybody approves: which rows change, and which thresholds they cross."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution.confidence import Calibration, Path

TIERS = (0.5, 0.8, 0.95)
"""The thresholds that a reader of confidences sees."""


class ShadowRow(NamedTuple):
    """A row of the corpus that claims something: its message, where it is in a table, and its raw score."""

    message: str
    path: Path
    score: float


class Change(NamedTuple):
    """A row that crosses a threshold, and its confidence under either profile. These are the rows to label: all others stay."""

    row: ShadowRow
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """Counts of messages and rows, in all and changed. By threshold, how many messages have a row that falls below or rises to it.

    ``by_rule`` and ``by_field`` count the rows that change.
    """

    messages: int
    rows: int
    changed_messages: int
    changed_rows: int
    fallen: Mapping[float, int]
    risen: Mapping[float, int]
    by_rule: Mapping[str, int]
    by_field: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """As JSON values, for a profile's record."""
        counts = {"messages": self.messages, "rows": self.rows}
        changed = {"changed_messages": self.changed_messages, "changed_rows": self.changed_rows}
        crossed = {
            name: {f"{tier:g}": count for tier, count in its.items()} for name, its in (("fallen", self.fallen), ("risen", self.risen))
        }
        return counts | changed | crossed | {"by_rule": dict(self.by_rule), "by_field": dict(self.by_field)}


def changes(rows: Iterable[ShadowRow], active: Calibration, proposed: Calibration, tiers: Iterable[float] = TIERS) -> Iterator[Change]:
    """The rows of a corpus that cross a threshold, in its order."""
    known = tuple(tiers)
    moves: dict[tuple[Path, float], tuple[float, float, bool]] = {}  # a corpus says the same of a field again and again
    for row in rows:
        place = row.path, row.score
        move = moves.get(place)
        if move is None:
            before, after = active.confidence(row.path, row.score), proposed.confidence(row.path, row.score)
            move = moves[place] = before, after, _tier(before, known) != _tier(after, known)
        if move[2]:
            yield Change(row, move[0], move[1])


def compare(rows: Iterable[ShadowRow], active: Calibration, proposed: Calibration, tiers: Iterable[float] = TIERS) -> ShadowReport:
    """Return what would change if the proposed profile were active. The corpus is read once; of no rows nothing changes."""
    known = tuple(sorted(tiers))
    messages: set[str] = set()
    changed: set[str] = set()
    counts, by_rule, by_field = Counter[str](), Counter[str](), Counter[str]()
    crossed: dict[tuple[bool, float], set[str]] = {(falls, tier): set() for falls in (True, False) for tier in known}

    def counted() -> Iterator[ShadowRow]:
        for row in rows:
            messages.add(row.message)
            counts["rows"] += 1
            yield row

    for row, before, after in changes(counted(), active, proposed, known):
        changed.add(row.message)
        counts["changed"] += 1
        by_rule[row.path[0]] += 1
        by_field[row.path[-1]] += 1
        for tier in known:
            if min(before, after) < tier <= max(before, after):
                crossed[after < before, tier].add(row.message)
    return ShadowReport(
        messages=len(messages),
        rows=counts["rows"],
        changed_messages=len(changed),
        changed_rows=counts["changed"],
        fallen={tier: len(crossed[True, tier]) for tier in known},
        risen={tier: len(crossed[False, tier]) for tier in known},
        by_rule=dict(by_rule.most_common()),
        by_field=dict(by_field.most_common()),
    )


def _tier(confidence: float, tiers: tuple[float, ...]) -> int:
    return sum(confidence >= tier for tier in tiers)
