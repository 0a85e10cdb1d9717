"""Compare thresholds by what each costs and brings, and choose one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.calibration.distributions import LEVEL, Interval, two_sided, wilson
from attribution.calibration.forecast import Forecast, by_group, folds

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
