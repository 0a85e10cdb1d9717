"""Chance comes from outside, from a generator with a seed, so that the same arguments give the same result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from hashlib import sha256
from typing import Protocol, TypeVar

from attribution.calibration.intervals import ANYTHING, LEVEL, Interval

T = TypeVar("T")

DRAWS = 200


class Chance(Protocol):
    """A generator of chance; ``random.Random(seed)`` is one."""

    def random(self) -> float:
        """A number from 0 up to but not including 1."""


def by_group(items: Iterable[T], group: Callable[[T], Hashable]) -> list[list[T]]:
    """The items of each group together, the groups in the order in which they come."""
    groups: dict[Hashable, list[T]] = {}
    for item in items:
        groups.setdefault(group(item), []).append(item)
    return list(groups.values())


def resampled(groups: Sequence[Sequence[T]], statistic: Callable[[list[T]], float], chance: Chance, draws: int = DRAWS) -> list[float]:
    """A statistic of so many samples, in order: whole groups are drawn with replacement, as many as there are. Efron 1979.

    Labels of one conversation are alike, so conversations are drawn and not labels. Nothing is drawn of no groups.
    """
    count = len(groups)
    samples = ([item for _ in range(count) for item in groups[int(chance.random() * count)]] for _ in range(draws if count else 0))
    return sorted(statistic(sample) for sample in samples)


def percentiles(ordered: Sequence[float], level: float = LEVEL) -> Interval:
    """The middle of some values, as much of them as the level says; of none nothing is known."""
    side = (1 - level) / 2
    return Interval(_at(ordered, side), _at(ordered, 1 - side)) if ordered else ANYTHING


def _at(ordered: Sequence[float], share: float) -> float:
    """The quantile, between two neighbours as a straight line."""
    place = share * (len(ordered) - 1)
    before = int(place)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (place - before) * (ordered[after] - ordered[before])


def folds(items: Iterable[T], group: Callable[[T], str], count: int, salt: str = "") -> list[list[T]]:
    """The items in ``count`` parts of about as many groups each, no group in two of them.

    Groups are sorted by a digest of their name and dealt out in turn: no chance, independent of the order of the items, and even
    where there are few groups. Another ``salt`` gives another division. A part may be empty where there are fewer groups than parts.
    """
    ordered = sorted(by_group(items, group), key=lambda its: (sha256(f"{salt}\0{group(its[0])}".encode()).digest(), group(its[0])))
    return [[item for its in ordered[first::count] for item in its] for first in range(count)]
