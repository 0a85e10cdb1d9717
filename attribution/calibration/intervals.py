"""Intervals of shares. Never Wald's: at 50 labels its 90% holds the truth 45% of the time."""

from __future__ import annotations

import math
from typing import NamedTuple

from attribution.calibration.beta import beta_quantile
from attribution.calibration.normal import two_sided

LEVEL = 0.90
"""What an interval on a page holds unless something else is said."""


class Interval(NamedTuple):
    """Two bounds, in the units of what they bound."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """From bound to bound."""
        return self.high - self.low


ANYTHING = Interval(0.0, 1.0)
"""What is known of a share of nothing."""


def wilson(successes: float, trials: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share, for showing. ``trials`` may be an effective number; of none nothing is known: 0 to 1.

    Middle (q + z²/2n)/(1 + z²/n), reach z·√(q(1−q)/n + z²/4n²)/(1 + z²/n), with q = successes/n. Wilson 1927; recommended by Brown,
    Cai and DasGupta 2001, *Interval Estimation for a Binomial Proportion*.
    """
    if trials <= 0:
        return ANYTHING
    z, share = two_sided(level), successes / trials
    spread = z * z / trials
    middle = share + spread / 2
    reach = z * math.sqrt(max(0.0, share * (1 - share)) / trials + spread / (4 * trials))
    low = (middle - reach) / (1 + spread) if successes > 0 else 0.0
    high = (middle + reach) / (1 + spread) if successes < trials else 1.0
    return Interval(max(0.0, low), min(1.0, high))


def clopper_pearson(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """The exact interval of a share: never holds the truth less often than ``level``. Of no trials: 0 to 1.

    Quantiles α/2 of Beta(k, n−k+1) and 1−α/2 of Beta(k+1, n−k). Clopper and Pearson 1934.
    """
    side = (1 - level) / 2
    return Interval(exact_lower(successes, trials, side), exact_upper(successes, trials, side))


def exact_lower(successes: int, trials: int, risk: float) -> float:
    """A bound that the true share is below with a probability of at most ``risk``: one side of Clopper and Pearson's, for guarantees."""
    return beta_quantile(risk, successes, trials - successes + 1) if successes > 0 else 0.0


def exact_upper(successes: int, trials: int, risk: float) -> float:
    """A bound that the true share is above with a probability of at most ``risk``."""
    return beta_quantile(1 - risk, successes + 1, trials - successes) if successes < trials else 1.0
