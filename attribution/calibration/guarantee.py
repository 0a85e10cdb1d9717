"""Choose a threshold, certify the precision from there up, and plan how many labels a claim takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.calibration.distributions import LEVEL, Interval, binomial_cdf, two_sided, wilson
from attribution.calibration.observation import Forecast, by_group, folds

# The only wording with a guarantee: "precision at least 0.95, with 90% confidence", from audit labels collected after the fit.

PRECISION = 0.95
RISK = 0.10


@dataclass(frozen=True, slots=True)
class Step:
    """A cut-off that was tested: how many labels are at or above it, how many of them are errors, and the p-value.

    ``is_tested`` is false where there are too few labels for any result to be certain enough; such a cut-off is passed over.
    """

    cutoff: float
    labels: int
    errors: int
    p_value: float
    is_tested: bool


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The labels that a promise lacks: with ``more`` labels at or above the cut-off and no further error it could be made."""

    cutoff: float
    labels: int
    errors: int
    more: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """The lowest cut-off certified, or nothing: from it up the precision is at least ``precision`` but for a risk of ``risk``.

    ``steps`` are the cut-offs from the strictest to where the sequence ended.
    """

    precision: float
    risk: float
    cutoff: float | None
    steps: tuple[Step, ...]

    @property
    def proof(self) -> Step | None:
        """The step that the certificate rests on."""
        return next((each for each in self.steps if each.cutoff == self.cutoff), None)

    @property
    def shortfall(self) -> Shortfall | None:
        """Return the shortfall at the cut-off that lacks the fewest labels, the lowest of these; None where a promise is made."""
        if self.cutoff is not None or not self.steps:
            return None
        lacking = [self._lacking(each) for each in self.steps]
        return min(lacking, key=lambda each: (each.more, each.cutoff))

    def _lacking(self, step: Step) -> Shortfall:
        more = labels_to_certify(step.errors, self.precision, self.risk) - step.labels
        return Shortfall(step.cutoff, step.labels, step.errors, more)


def certify(
    labelled: Sequence[tuple[float, bool]],
    cutoffs: Iterable[float],
    precision: float = PRECISION,
    units: Sequence[str] | None = None,
) -> Certificate:
    """Learn-then-Test in a fixed sequence (Angelopoulos, Bates, Candès, Jordan and Lei 2021) over (score, drawn on).

    Cut-offs are tested from the strictest down with the exact p-value P(Bin(n, 1 − precision) ≤ errors), each at the whole risk, and
    the first that fails ends it. The guarantee holds for labels that are a simple random sample, not used to fit the scores, and for
    cut-offs that were chosen without them. No labels certify nothing.

    ``units`` names for each label what was drawn to get it, such as its answer. The labels of one answer go wrong together, so of
    each unit only the first that reaches the cut-off is tested: give them in an order that chance has made. What is promised is then
    the precision of a row drawn from a unit drawn. Without ``units`` each label was drawn by itself.
    """
    steps: list[Step] = []
    certified: float | None = None
    fewest = labels_to_certify(0, precision)
    known = list(zip(labelled, units if units is not None else map(str, range(len(labelled))), strict=True))
    for cutoff in sorted(set(cutoffs), reverse=True):
        steps.append(step := _tested(_one_of_each(known, cutoff), cutoff, precision, fewest))
        if step.is_tested and step.p_value > RISK:
            break
        certified = cutoff if step.is_tested else certified
    return Certificate(precision, RISK, certified, tuple(steps))


def labels_to_certify(errors: int, precision: float = PRECISION, risk: float = RISK) -> int:
    """The fewest labels with which so many errors still certify the precision: 45 without an error, 77 with one, 105 with two."""
    if not (0 < precision < 1 and 0 < risk < 1):
        raise ValueError("precision and risk are between 0 and 1")
    labels = max(errors + 1, math.ceil(math.log(risk) / math.log(precision)))
    while binomial_cdf(errors, labels, 1 - precision) > risk:
        labels += 1
    while labels > errors + 1 and binomial_cdf(errors, labels - 1, 1 - precision) <= risk:
        labels -= 1
    return labels


def chance_to_certify(true_precision: float, labels: int) -> float:
    """Return the probability that so many labels certify ``PRECISION``, if the true one is this: P(Bin(n, 1 − true) ≤ errors allowed)."""
    allowed = -1
    while allowed + 1 < labels and binomial_cdf(allowed + 1, labels, 1 - PRECISION) <= RISK:
        allowed += 1
    return binomial_cdf(allowed, labels, 1 - true_precision)


def _one_of_each(known: Sequence[tuple[tuple[float, bool], str]], cutoff: float) -> list[bool]:
    first: dict[str, bool] = {}
    for (score, is_true), unit in known:
        if score >= cutoff:
            first.setdefault(unit, is_true)
    return list(first.values())


def _tested(claimed: Sequence[bool], cutoff: float, precision: float, fewest: int) -> Step:
    errors = len(claimed) - sum(claimed)
    p_value = binomial_cdf(errors, len(claimed), 1 - precision) if claimed else 1.0
    return Step(cutoff, len(claimed), errors, p_value, is_tested=len(claimed) >= fewest)


# Plan how many labels a claim will take, and how many days at the present pace.

PLANNED_LEVEL = 0.95
"""A claim with a margin is planned at 95%."""


@dataclass(frozen=True, slots=True)
class Need:
    """Labels needed, how many of them are missing, and in how many whole days they are there; nothing at a pace of none."""

    labels: int
    missing: int
    days: int | None


def labels_for_margin(
    expected: float, margin: float, level: float = PLANNED_LEVEL, design_effect: float = 1.0, population: int | None = None
) -> int:
    """The fewest labels whose Wilson interval reaches no farther than ``margin`` from its middle: ±0.03 at 0.9 takes 388.

    ``expected`` is the share to come, 0.5 if unknown. Times the design effect; in a population of N, n/(1 + (n − 1)/N) (Cochran 1977).
    """
    if not (0 <= expected <= 1 and 0 < margin < 1):
        raise ValueError("an expected share is from 0 to 1, and a margin between 0 and 1")
    low, high = 0, 1
    while _reach(expected, high, level) > margin:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _reach(expected, middle, level) <= margin else (middle, high)
    labels = high * design_effect
    return math.ceil(labels if population is None else labels / (1 + (labels - 1) / population))


def need(labels: int, present: int, per_day: float) -> Need:
    """Return how many of ``labels`` are missing, and how long they take at so many a day."""
    missing = max(0, labels - present)
    if not missing:
        return Need(labels, 0, 0)
    return Need(labels, missing, math.ceil(missing / per_day) if per_day > 0 else None)


def _reach(expected: float, labels: int, level: float) -> float:
    """Half of Wilson's width, not cut off at 0 and 1."""
    z = two_sided(level)
    return z * math.sqrt(expected * (1 - expected) / labels + z * z / (4 * labels * labels)) / (1 + z * z / labels)


# Compare thresholds by what each costs and brings, and choose one.

_ROUNDED = 1e-12


@dataclass(frozen=True, slots=True)
class Point:
    """The result of claiming from a threshold up. All is weighted; intervals are at 90%.

    ``precision``: of the claimed, drawn on. ``recall``: of those drawn on, claimed. ``f1``: 2PR/(P + R). ``kappa``: agreement of claim
    and label beyond chance (Cohen 1960). ``workload``: the share of all rows that are claimed and so have to be looked at. Nothing
    where it would be a share of nothing; kappa too where claims and labels are all of one kind. The intervals of shares are Wilson's
    of the labels that the weights are worth, (Σw)²/Σw² (Kish 1965), which are the labels there are where all weigh the same; those of
    F1 and kappa are jackknifed over conversations: nothing of fewer than two, or where all are so alike that leaving one out changes
    nothing.
    """

    threshold: float
    claimed: int
    precision: float | None
    precision_interval: Interval
    recall: float | None
    recall_interval: Interval
    f1: float | None
    f1_interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None
    workload: float | None


def sweep(forecasts: Sequence[Forecast], thresholds: Iterable[float]) -> tuple[Point, ...]:
    """A point for each threshold, from the lowest up. ``probability`` is the score that is compared, of any scale."""
    return tuple(point_at(forecasts, each) for each in sorted(set(thresholds)))


class _Weights(NamedTuple):
    """The weight of what is claimed and drawn on, of what is claimed, of what is drawn on, and of all."""

    both: float
    claimed: float
    drawn_on: float
    total: float

    @property
    def f1(self) -> float | None:
        """2·both ÷ (claimed + drawn on)."""
        return _ratio(2 * self.both, self.claimed + self.drawn_on)

    @property
    def kappa(self) -> float | None:
        """Agreement beyond what the margins give."""
        if not self.total:
            return None
        agreed = (self.total - self.claimed - self.drawn_on + 2 * self.both) / self.total
        apart = (self.total - self.claimed) * (self.total - self.drawn_on)
        expected = (self.claimed * self.drawn_on + apart) / self.total**2
        return (agreed - expected) / (1 - expected) if expected < 1 - _ROUNDED else None


def point_at(forecasts: Sequence[Forecast], threshold: float) -> Point:
    """Return the result of claiming every row with a score of at least ``threshold``."""
    claimed = [each for each in forecasts if each.probability >= threshold]
    parts = [_weigh(its, threshold) for its in by_group(forecasts, lambda each: each.conversation)]
    whole = _Weights(*(math.fsum(column) for column in zip(*parts, strict=True))) if parts else _Weights(0, 0, 0, 0)
    return Point(
        threshold=threshold,
        claimed=len(claimed),
        precision=_ratio(whole.both, whole.claimed),
        precision_interval=_interval(whole.both, claimed),
        recall=_ratio(whole.both, whole.drawn_on),
        recall_interval=_interval(whole.both, [each for each in forecasts if each.is_true]),
        f1=whole.f1,
        f1_interval=_jackknifed(whole, parts, lambda weights: weights.f1, 0.0),
        kappa=whole.kappa,
        kappa_interval=_jackknifed(whole, parts, lambda weights: weights.kappa, -1.0),
        workload=_ratio(whole.claimed, whole.total),
    )


def _weigh(its: Sequence[Forecast], threshold: float) -> _Weights:
    claimed = [each for each in its if each.probability >= threshold]
    both = math.fsum(each.weight for each in claimed if each.is_true)
    drawn_on = math.fsum(each.weight for each in its if each.is_true)
    return _Weights(both, math.fsum(each.weight for each in claimed), drawn_on, math.fsum(each.weight for each in its))


def _interval(part: float, its: Sequence[Forecast]) -> Interval:
    """Wilson's, of the share that a weight is of all weights."""
    total, squares = math.fsum(each.weight for each in its), math.fsum(each.weight**2 for each in its)
    worth = total * total / squares if its else 0.0
    return wilson(min(worth, part / total * worth) if its else 0.0, worth)


def _jackknifed(whole: _Weights, parts: Sequence[_Weights], measure: Callable[[_Weights], float | None], least: float) -> Interval | None:
    """The measure without each conversation in turn: their spread is that of the measure. Efron and Stein 1981."""
    value, count = measure(whole), len(parts)
    without = [measure(_Weights(*(max(0.0, one - other) for one, other in zip(whole, part, strict=True)))) for part in parts]
    known = [each for each in without if each is not None]
    if value is None or count < 2 or len(known) < count:
        return None
    mean = math.fsum(known) / count
    if max(abs(each - mean) for each in known) < _ROUNDED:
        return None
    reach = two_sided(LEVEL) * math.sqrt((count - 1) / count * math.fsum((each - mean) ** 2 for each in known))
    return Interval(max(least, value - reach), min(1.0, value + reach))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


# Choose a threshold: another than the present one only where that is clearly better.

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold to take, whether it is another than the present one, and the gain with its standard error over the parts."""

    threshold: float
    is_changed: bool
    gain: float | None
    error: float | None


def choose(
    forecasts: Sequence[Forecast],
    thresholds: Iterable[float],
    present: float,
    measure: Callable[[Point], float | None] = lambda point: point.f1,
    salt: str = "",
) -> Choice:
    """The best threshold by cross-validation, unless the present one is within one standard error of it. Breiman et al. 1984.

    Labels are divided into five parts by conversation. The gain is the mean over the parts of the difference between a threshold and
    the present one. Among those that gain more than one standard error, the nearest to the present one whose gain is within one
    standard error of the best. Of fewer than two parts with labels the present one is kept.
    """
    parts = [part for part in folds(forecasts, lambda each: each.conversation, FOLDS, salt) if part]
    if len(parts) < 2:
        return Choice(present, is_changed=False, gain=None, error=None)
    gains = {each: _gain(parts, each, present, measure) for each in set(thresholds) | {present}}
    better = {each: (gain, error) for each, (gain, error) in gains.items() if gain > error}
    if not better:
        return Choice(present, is_changed=False, gain=0.0, error=0.0)
    best, its_error = max(better.values())
    near = [each for each, (gain, _) in better.items() if gain >= best - its_error]
    threshold = min(near, key=lambda each: (abs(each - present), each))
    return Choice(threshold, is_changed=True, gain=better[threshold][0], error=better[threshold][1])


def _gain(
    parts: Sequence[Sequence[Forecast]], threshold: float, present: float, measure: Callable[[Point], float | None]
) -> tuple[float, float]:
    """The mean gain over the parts, and its standard error."""
    gains = [(measure(point_at(part, threshold)) or 0.0) - (measure(point_at(part, present)) or 0.0) for part in parts]
    mean = math.fsum(gains) / len(gains)
    return mean, math.sqrt(math.fsum((each - mean) ** 2 for each in gains) / (len(gains) - 1) / len(gains))
