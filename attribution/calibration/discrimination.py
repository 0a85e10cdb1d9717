"""Test if a score can rank at all: one that cannot is calibrated best by saying the same of everything."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from attribution.calibration.forecast import Forecast
from attribution.calibration.intervals import ANYTHING, LEVEL, Interval, wilson
from attribution.calibration.logistic import logistic, logit
from attribution.calibration.normal import two_sided


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

    @property
    def can_rank(self) -> bool:
        """True if the whole interval is above chance."""
        return self.interval.low > 0.5


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
