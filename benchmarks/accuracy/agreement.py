"""Count how often claims and labels agree: over all, by kind of value, by service, and in two halves of the services.

Rules are developed on one half; its errors are printed with their text. The other half is held out: its figures are printed, its
texts only when asked for. A rule that fits the wording of the texts it was made with shows as a gap between the halves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.verdicts import Verdict

_DAY_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_SHORT = 3


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of claims and labels, of some fields."""

    rows: int
    meant: int
    claimed: int
    both: int

    @property
    def precision(self) -> float:
        """The share of what is claimed that is meant."""
        return self.both / self.claimed if self.claimed else 0.0

    @property
    def recall(self) -> float:
        """The share of what is meant that is claimed."""
        return self.both / self.meant if self.meant else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.both / (self.meant + self.claimed) if self.meant + self.claimed else 0.0

    @property
    def figures(self) -> dict[str, float]:
        """Named for a table."""
        return {"P": self.precision, "R": self.recall, "F1": self.f1, "missed": self.meant - self.both, "wrong": self.claimed - self.both}


def agreement(verdicts: Iterable[Verdict]) -> Agreement:
    """Count them."""
    pairs = [(each.is_meant, each.is_claimed) for each in verdicts]
    both = pairs.count((True, True))
    return Agreement(len(pairs), both + pairs.count((True, False)), both + pairs.count((False, True)), both)


def by_kind(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """All of them, and those of each kind of value."""
    kinds: dict[str, list[Verdict]] = {"overall": list(verdicts)}
    for each in verdicts:
        for kind in kinds_of(each.value):
            kinds.setdefault(kind, []).append(each)
    return kinds


def kinds_of(value: Any) -> list[str]:
    """The scorer's names for a kind of value; days and times are apart as well."""
    if isinstance(value, bool):
        return ["bool"]
    if isinstance(value, int | float):
        return ["number"]
    if isinstance(value, list):
        return ["list"]
    if not isinstance(value, str):
        return ["other"]
    length = "short string" if len(value.split()) <= _SHORT else "long string"
    return [length, "date or time"] if _DAY_OR_TIME.fullmatch(value) else [length]


DEVELOPMENT, HELD_OUT = "development", "held out"


def development_services(verdicts: Sequence[Verdict]) -> frozenset[str]:
    """Return every other of a file's services in the order of their names, beginning with the first."""
    return frozenset(sorted({each.service for each in verdicts})[::2])


def by_service(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float]]:
    """Each service's figures, the worst first."""
    half = development_services(verdicts)
    services = sorted({each.service for each in verdicts})
    figures = {
        f"{service} ({DEVELOPMENT if service in half else HELD_OUT})": agreement(
            [each for each in verdicts if each.service == service]
        ).figures
        for service in services
    }
    return dict(sorted(figures.items(), key=lambda entry: entry[1]["F1"]))


def by_half(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float]]:
    """The figures of the two halves."""
    half = development_services(verdicts)
    return {
        DEVELOPMENT: agreement([each for each in verdicts if each.service in half]).figures,
        HELD_OUT: agreement([each for each in verdicts if each.service not in half]).figures,
    }


def gap(halves: Table) -> float:
    """By how much the held-out half is worse."""
    return halves[DEVELOPMENT]["F1"] - halves[HELD_OUT]["F1"]
