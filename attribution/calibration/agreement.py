"""Measure how far reviewers agree: in all, on what is right, on what is wrong, and beyond chance in four ways, each with an interval.

Items that belong together, such as the rows of one conversation, are alike: where one is disputed others are. An interval over items as
if they were independent is then too narrow, so items come with the group that they belong to, and groups are what is left out in turn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from attribution.calibration.distributions import LEVEL, Interval, beta_quantile, two_sided

K = TypeVar("K", bound=Hashable)

Pattern = tuple[tuple[str, int], ...]
"""How often each verdict was given on one item, in the order of the verdicts."""

Patterns = Mapping[Pattern, int]
"""How many items have each pattern."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient, 1 where all agree, and its interval. Nothing where it is not defined: nobody disagrees and nobody could, say."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class _Grouped(Generic[K]):
    """Count the items of each pattern: in all, and in each group; groups that are alike are counted. ``reach`` is in standard errors."""

    every: Mapping[K, int]
    groups: Mapping[frozenset[tuple[K, int]], int]
    reach: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement on all items with two verdicts or more, ``items`` many by ``verdicts`` verdicts.

    ``percent``: the share of pairs of verdicts that are equal. ``by_verdict``: of the pairs with one verdict, the share in which the
    other is the same; for right and wrong these are positive and negative agreement. ``fleiss``, ``alpha`` and ``ac1`` are corrected
    for chance: kappa falls where nearly all is right, AC1 does not, which is why both are shown.
    """

    items: int
    verdicts: int
    percent: Coefficient
    by_verdict: Mapping[str, Coefficient]
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient


def agreement(items: Iterable[Iterable[str]], level: float = LEVEL, groups: Iterable[Hashable] | None = None) -> Agreement:
    """The agreement over items, each with the verdicts that were given on it; missing ones are left out.

    ``groups`` names for each item the group it belongs to; without, each item is its own group. Intervals are jackknifed over groups (Efron
    and Stein 1981) and end at −1 and 1; of named groups there may be few, so their reach is that of Student's t. Of no item with two
    verdicts nothing is defined. An interval takes two groups that are not alike: of groups that all say the same a jackknife
    would claim to know what it does not.
    """
    found = [tuple(sorted(Counter(verdicts).items())) for verdicts in items]
    named = list(groups) if groups is not None else None
    kept = [number for number, pattern in enumerate(found) if _ratings(pattern) > 1]
    rated = _grouped([found[number] for number in kept], [named[number] for number in kept] if named is not None else None, level)
    names = sorted({name for pattern in rated.every for name, _ in pattern})
    return Agreement(
        items=sum(rated.every.values()),
        verdicts=sum(_ratings(pattern) * count for pattern, count in rated.every.items()),
        percent=_with_interval(percent_agreement, rated),
        by_verdict={name: _with_interval(_agreement_on(name), rated) for name in names},
        fleiss=_with_interval(fleiss_kappa, rated),
        alpha=_with_interval(krippendorff_alpha, rated),
        ac1=_with_interval(gwet_ac1, rated),
    )


def cohen_kappa(pairs: Sequence[tuple[str, str]], groups: Sequence[Hashable] | None = None) -> Coefficient:
    """Cohen's kappa of two reviewers, (p − e)/(1 − e), where e is the agreement of their own margins. Cohen 1960.

    ``pairs`` holds the verdict of the one and of the other on each item, ``groups`` which group each belongs to, as for ``agreement``.
    Not defined where both always say the same one thing.
    """
    return _with_interval(_cohen, _grouped(pairs, groups, LEVEL))


def percent_agreement(patterns: Patterns) -> float | None:
    """The mean over items of the share of equal pairs: Σ c(c − 1)/(r(r − 1)) with c verdicts of a kind of r."""
    items = sum(patterns.values())
    return math.fsum(count * _equal(pattern) for pattern, count in patterns.items()) / items if items else None


def fleiss_kappa(patterns: Patterns) -> float | None:
    """(p − e)/(1 − e), where e is the sum of the squares of the verdicts' shares. Fleiss 1971; for unequal numbers Gwet 2014."""
    percent, shares = percent_agreement(patterns), _shares(patterns)
    expected = math.fsum(share * share for share in shares.values())
    return None if percent is None or len(shares) < 2 else (percent - expected) / (1 - expected)


def gwet_ac1(patterns: Patterns) -> float | None:
    """(p − e)/(1 − e), where e is Σ s(1 − s)/(q − 1) over the shares s of q verdicts, two at least. Gwet 2008."""
    percent, shares = percent_agreement(patterns), _shares(patterns)
    expected = math.fsum(share * (1 - share) for share in shares.values()) / (max(2, len(shares)) - 1)
    return None if percent is None else (percent - expected) / (1 - expected)


def krippendorff_alpha(patterns: Patterns) -> float | None:
    """1 − observed ÷ expected disagreement of nominal verdicts, missing ones allowed for. Krippendorff 2011."""
    totals: Counter[str] = Counter()
    for pattern, count in patterns.items():
        for name, given in pattern:
            totals[name] += given * count
    every = totals.total()
    if len(totals) < 2:
        return None
    observed = math.fsum(count * _ratings(pattern) * (1 - _equal(pattern)) for pattern, count in patterns.items()) / every
    expected = 1 - sum(total * (total - 1) for total in totals.values()) / (every * (every - 1))
    return 1 - observed / expected


def _agreement_on(name: str) -> Callable[[Patterns], float | None]:
    """Specific agreement: Σ c(c − 1) ÷ Σ c(r − 1), with c verdicts of this kind of r on an item. Cicchetti and Feinstein 1990."""

    def on(patterns: Patterns) -> float | None:
        given = [(dict(pattern).get(name, 0), _ratings(pattern), count) for pattern, count in patterns.items()]
        pairs = sum(count * of_it * (ratings - 1) for of_it, ratings, count in given)
        return sum(count * of_it * (of_it - 1) for of_it, _, count in given) / pairs if pairs else None

    return on


def _cohen(pairs: Mapping[tuple[str, str], int]) -> float | None:
    items = sum(pairs.values())
    first, second = Counter[str](), Counter[str]()
    for (one, other), count in pairs.items():
        first[one] += count
        second[other] += count
    expected = sum(count * second[name] for name, count in first.items())
    equal = sum(count for (one, other), count in pairs.items() if one == other)
    return (equal * items - expected) / (items * items - expected) if expected < items * items else None


def _ratings(pattern: Pattern) -> int:
    return sum(given for _, given in pattern)


def _equal(pattern: Pattern) -> float:
    """The share of equal pairs among the verdicts on one item."""
    ratings = _ratings(pattern)
    return sum(given * (given - 1) for _, given in pattern) / (ratings * (ratings - 1))


def _shares(patterns: Patterns) -> dict[str, float]:
    """The mean share of each verdict over items."""
    items = sum(patterns.values())
    shares: dict[str, float] = {}
    for pattern, count in patterns.items():
        for name, given in pattern:
            shares[name] = shares.get(name, 0.0) + count * given / _ratings(pattern) / items
    return shares


def _grouped(patterns: Sequence[K], groups: Sequence[Hashable] | None, level: float) -> _Grouped[K]:
    if groups is None:
        every = Counter(patterns)
        return _Grouped(every, {frozenset({(pattern, 1)}): count for pattern, count in every.items()}, two_sided(level))
    parts: dict[Hashable, Counter[K]] = {}
    for pattern, group in zip(patterns, groups, strict=True):
        parts.setdefault(group, Counter())[pattern] += 1
    return _Grouped(Counter(patterns), Counter(frozenset(part.items()) for part in parts.values()), _student(level, len(parts) - 1))


def _student(level: float, degrees: int) -> float:
    """Within so much of 0 lies a Student's t of so many degrees of freedom, with the probability ``level``."""
    if degrees < 1:
        return math.inf
    share = beta_quantile(1 - level, degrees / 2, 0.5)
    return math.sqrt(degrees * (1 - share) / share)


_NOTHING = 1e-12
"""The most that rounding leaves of no spread at all."""


def _with_interval(coefficient: Callable[[Mapping[K, int]], float | None], found: _Grouped[K]) -> Coefficient:
    """Jackknifed: the coefficient without each group in turn, which is the same for all groups that are alike."""
    value, groups = coefficient(found.every), sum(found.groups.values())
    if value is None or groups < 2:
        return Coefficient(value, None)
    without = [(coefficient(_without(found.every, group)), count) for group, count in found.groups.items()]
    known = [(each, count) for each, count in without if each is not None]
    total = sum(count for _, count in known)
    if total < groups:
        return Coefficient(value, None)
    mean = math.fsum(each * count for each, count in known) / total
    spread = math.sqrt((groups - 1) / groups * math.fsum(count * (each - mean) ** 2 for each, count in known))
    if spread < _NOTHING:
        return Coefficient(value, None)
    reach = found.reach * spread
    return Coefficient(value, Interval(max(-1.0, value - reach), min(1.0, value + reach)))


def _without(patterns: Mapping[K, int], group: frozenset[tuple[K, int]]) -> dict[K, int]:
    left = dict(patterns)
    for pattern, count in group:
        left[pattern] -= count
    return {each: count for each, count in left.items() if count}
