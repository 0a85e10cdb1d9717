"""Measure calibration and discrimination: how far confidences are from the truth, and whether a score can rank at all."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attribution.calibration.distributions import ANYTHING, LEVEL, Interval, binomial_quantile, two_sided, wilson
from attribution.calibration.logistic import logistic, logit
from attribution.calibration.observation import DRAWS, Chance, Forecast, by_group, percentiles, resampled

# Reliability and its diagram: bins of equal mass, the debiased squared error, bars of what chance alone would show.

BINS = 10
_FEWEST_IN_BIN = 2


@dataclass(frozen=True, slots=True)
class Bin:
    """Forecasts that are near each other. Shares are of labels.

    ``forecast`` is the mean probability, ``share`` how many came true, ``interval`` Wilson's of that share. ``consistent`` is where
    90% of the shares would lie if the forecasts were right: a share outside speaks against them.
    """

    labels: int
    forecast: float
    share: float
    interval: Interval
    consistent: Interval

    @property
    def is_consistent(self) -> bool:
        """True if chance explains the difference."""
        return self.consistent.low <= self.share <= self.consistent.high


@dataclass(frozen=True, slots=True)
class CalibrationError:
    """``squared`` is the debiased squared error, below 0 as often as not where there is none; ``interval`` its 90% interval.

    ``size`` is the root of it, 0 where it is below 0: in the units of a probability. Counts of labels and of conversations.
    """

    squared: float
    interval: Interval
    labels: int
    conversations: int

    @property
    def size(self) -> float:
        """√max(0, squared)."""
        return math.sqrt(max(0.0, self.squared))


def reliability_curve(forecasts: Iterable[Forecast]) -> tuple[Bin, ...]:
    """Bins of about equally many labels each, in the order of their probabilities; none of no forecasts.

    The bars of consistency are binomial with the mean of the bin, a little wide where its probabilities differ (Bröcker and Smith 2007).
    """
    return tuple(_bin(its) for its in equal_mass(forecasts))


def equal_mass(forecasts: Iterable[Forecast], bins: int = BINS) -> list[list[Forecast]]:
    """The forecasts in at most so many parts of about equal size. Equal probabilities stay together, and a part has two labels or more.

    So the division depends on the forecasts alone, not on their order, and there may be fewer parts than asked for.
    """
    ordered = sorted(forecasts)
    parts: list[list[Forecast]] = []
    taken = 0
    for tied in by_group(ordered, lambda each: each.probability):
        begun = parts and (len(parts[-1]) < _FEWEST_IN_BIN or taken < len(parts) * len(ordered) / bins)
        if begun:
            parts[-1] += tied
        else:
            parts.append(tied)
        taken += len(tied)
    if len(parts) > 1 and len(parts[-1]) < _FEWEST_IN_BIN:
        last = parts.pop()
        parts[-1] += last
    return parts


def squared_error_debiased(forecasts: Iterable[Forecast]) -> float:
    """Σ (n_b/n)[(f̄_b − ȳ_b)² − ȳ_b(1 − ȳ_b)/(n_b − 1)] over bins of equal mass: a squared probability.

    The second term is what chance alone adds, which the plain error reads as miscalibration (Bröcker 2012; Kumar, Liang and Ma 2019).
    0 of less than two forecasts, of which nothing can be told.
    """
    parts = [its for its in equal_mass(forecasts) if len(its) >= _FEWEST_IN_BIN]
    total = sum(map(len, parts))
    return math.fsum(len(its) / total * _off(its) for its in parts)


def calibration_error(forecasts: Sequence[Forecast], chance: Chance, draws: int = DRAWS) -> CalibrationError:
    """The debiased squared error with its bootstrap interval, conversations drawn as wholes.

    A label drawn twice looks like more than chance, so all draws are too high by about as much: their spread is set around the
    estimate, their mean is not believed.
    """
    conversations = by_group(forecasts, lambda each: each.conversation)
    squared = squared_error_debiased(forecasts)
    drawn = resampled(conversations, squared_error_debiased, chance, draws)
    mean = math.fsum(drawn) / max(1, len(drawn))
    spread = percentiles([squared + each - mean for each in drawn])
    return CalibrationError(squared, spread, len(forecasts), len(conversations))


def _off(its: Sequence[Forecast]) -> float:
    count = len(its)
    forecast = math.fsum(each.probability for each in its) / count
    share = sum(each.is_true for each in its) / count
    return (forecast - share) ** 2 - share * (1 - share) / (count - 1)


def _bin(its: Sequence[Forecast]) -> Bin:
    count, true = len(its), sum(each.is_true for each in its)
    forecast = math.fsum(each.probability for each in its) / count
    side = (1 - LEVEL) / 2
    least, most = (binomial_quantile(level, count, forecast) / count for level in (side, 1 - side))
    return Bin(count, forecast, true / count, wilson(true, count), Interval(least, most))


# Test if a score can rank at all: one that cannot is calibrated best by saying the same of everything.


@dataclass(frozen=True, slots=True)
class Discrimination:
    """The probability that a field that is drawn on scores above one that is not, ties counting half: 0.5 is chance, 1 without error.

    Nothing where labels are of one kind. ``positives`` and ``negatives`` count the labels, ``values`` the different scores.
    """

    auroc: float | None
    interval: Interval
    positives: int
    negatives: int
    values: int


def discrimination(forecasts: Sequence[Forecast], level: float = LEVEL) -> Discrimination:
    """The area under the receiver operating characteristic, which is Mann and Whitney's U over all pairs; no units.

    Its interval is DeLong's (DeLong, DeLong and Clarke-Pearson 1988) on the scale of log odds. Without a spread (ranked without
    error, or one label of a kind) it is Wilson's with as many trials as there are labels of the rarer kind.
    """
    positives = sorted(each.probability for each in forecasts if each.is_true)
    negatives = sorted(each.probability for each in forecasts if not each.is_true)
    values = len({each.probability for each in forecasts})
    if not positives or not negatives:
        return Discrimination(None, ANYTHING, len(positives), len(negatives), values)
    above = [_share_below(negatives, each) for each in positives]
    below = [1 - _share_below(positives, each) for each in negatives]
    area = math.fsum(above) / len(above)
    spread = math.sqrt(_variance(above) / len(above) + _variance(below) / len(below))
    rarer = min(len(positives), len(negatives))
    reached = _on_log_odds(area, spread, level) if spread > 0 and 0 < area < 1 else wilson(area * rarer, rarer, level)
    return Discrimination(area, reached, len(positives), len(negatives), values)


def _share_below(ordered: Sequence[float], value: float) -> float:
    """Return the share of the ordered values that are below another, equal ones counting half."""
    return (bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 / len(ordered)


def _variance(values: Sequence[float]) -> float:
    if len(values) == 1:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((each - mean) ** 2 for each in values) / (len(values) - 1)


def _on_log_odds(area: float, spread: float, level: float) -> Interval:
    reach = two_sided(level) * spread / (area * (1 - area))
    return Interval(logistic(logit(area) - reach), logistic(logit(area) + reach))
