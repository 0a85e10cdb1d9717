"""Observations: labelled rows, as they were then, with the truth about the field; and forecasts, their confidences beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, Protocol, TypeVar

from attribution.calibration.distributions import ANYTHING, LEVEL, Interval
from attribution.confidence import Path, node_path
from attribution.model import Word

NOTHING = "none"
"""The method and the rule of a field that is neither cited nor found."""


class Stream(Word):
    """The way by which a row came to be labelled.

    Guarantees rest on the audit only: what was labelled elsewhere is a sample of nothing.
    """

    AUDIT = "audit"
    BOOST = "boost"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Scope:
    """The combination that a calibration holds for. Another value of any of these is another combination."""

    organisation: str = ""
    model: str = ""
    prompt: str = ""
    schema: str = ""
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One label. ``is_used`` is the truth about the field: drawn on, not drawn on, or nothing where the reviewer cannot judge.

    ``score`` is the row's raw score, ``uncapped_score`` what it was before a cap; both between 0 and 1 and the same where there was
    none. ``fired`` names all rules that fired, a near miss included. ``inclusion`` is the probability with which the row was
    chosen for labelling, above 0 and at most 1.
    """

    id: str
    message: str
    conversation: str
    section: str
    path: str
    field_type: str
    method: str
    rule: str
    score: float
    is_used: bool | None
    uncapped_score: float | None = None
    is_cited: bool = False
    fired: tuple[str, ...] = ()
    stream: Stream = Stream.AUDIT
    stratum: str = ""
    inclusion: float = 1.0
    scope: Scope = Scope()
    reviewer: str = ""
    is_blind: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.inclusion <= 1:
            raise ValueError(f"label {self.id}: a probability of inclusion is above 0 and at most 1, and {self.inclusion} is not")

    @property
    def claims(self) -> bool:
        """True if the row said that the answer draws on the field."""
        return self.method != NOTHING

    @property
    def is_ambiguous(self) -> bool:
        """True if the score was capped."""
        return self.uncapped_score is not None and self.uncapped_score > self.score and not self.is_cited

    @property
    def node_path(self) -> Path:
        """The row's place in a calibration table."""
        rule = f"{self.method}.{self.rule}"
        return node_path(rule, self.field_type, self.score, self.section, self.path, is_ambiguous=self.is_ambiguous)

    @property
    def weight(self) -> float:
        """The number of rows that the label represents."""
        return 1 / self.inclusion


def judged(observations: Iterable[Observation]) -> list[Observation]:
    """Return the observations with a truth: rows that nobody could judge are left out of estimates."""
    return [each for each in observations if each.is_used is not None]


# Forecasts: confidences beside the truth, what they lose, and how that is resampled and divided by conversation.

# Chance comes from outside, from a generator with a seed, so that the same arguments give the same result.

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


def percentiles(ordered: Sequence[float]) -> Interval:
    """The middle of some values, as much of them as ``LEVEL`` says; of none nothing is known."""
    side = (1 - LEVEL) / 2
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


# A confidence beside the truth: what all measures of calibration are measures of.

LEAST = 1e-4
"""A probability nearer than this to 0 or 1 is taken for this in logarithms: one surprise is to be dear, not infinitely so."""


class Forecast(NamedTuple):
    """A probability, whether it came true, how many rows it represents, and its conversation."""

    probability: float
    is_true: bool
    weight: float = 1.0
    conversation: str = ""


class Mean(NamedTuple):
    """A mean, in the units of what is averaged, and its standard error; of less than two conversations the error is not known."""

    value: float
    error: float | None


def brier(forecasts: Sequence[Forecast]) -> float | None:
    """The mean squared error, Σw(p − y)²/Σw: 0 is perfect, 0.25 is always saying a half. Brier 1950. Nothing of no forecasts."""
    return _weighted(forecasts, squared_error)


def log_loss(forecasts: Sequence[Forecast]) -> float | None:
    """The mean surprise, −Σw log(p of what came true)/Σw, in natural units; Good 1952. Nothing of no forecasts."""
    return _weighted(forecasts, surprise)


def squared_error(forecast: Forecast) -> float:
    """(p − y)²."""
    return (forecast.probability - forecast.is_true) ** 2


def surprise(forecast: Forecast) -> float:
    """−log of the probability given to what came true, which is kept away from 0 and 1."""
    probability = min(max(forecast.probability, LEAST), 1 - LEAST)
    return -math.log(probability if forecast.is_true else 1 - probability)


def gain(before: Sequence[Forecast], after: Sequence[Forecast], loss: Callable[[Forecast], float]) -> Mean | None:
    """By how much one set of forecasts of the same rows loses less than another: above 0 the second is better. Nothing of none.

    The mean of the paired differences weighted, and its standard error with conversations as clusters (Liang and Zeger 1986).
    """
    if not before:
        return None
    pairs = [(one.weight, loss(one) - loss(other), one.conversation) for one, other in zip(before, after, strict=True)]
    return clustered_mean(pairs)


def clustered_mean(weighted: Iterable[tuple[float, float, str]]) -> Mean:
    """The weighted mean of (weight, value, cluster), and its standard error by the clusters' sums of residuals."""
    known = list(weighted)
    total = math.fsum(weight for weight, _, _ in known)
    mean = math.fsum(weight * value for weight, value, _ in known) / total
    clusters = by_group(known, lambda each: each[2])
    count = len(clusters)
    if count == 1:
        return Mean(mean, None)
    squares = math.fsum(math.fsum(weight * (value - mean) for weight, value, _ in its) ** 2 for its in clusters)
    return Mean(mean, math.sqrt(squares * count / (count - 1)) / total)


def _weighted(forecasts: Sequence[Forecast], loss: Callable[[Forecast], float]) -> float | None:
    total = math.fsum(each.weight for each in forecasts)
    return math.fsum(each.weight * loss(each) for each in forecasts) / total if forecasts else None
