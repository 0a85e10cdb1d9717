"""The normal distribution, and how far an interval of some level reaches."""

from __future__ import annotations

import math
from functools import lru_cache


def normal_cdf(x: float) -> float:
    """The probability that a standard normal variable is at most ``x`` standard deviations: erfc(−x/√2)/2."""
    return math.erfc(-x / math.sqrt(2)) / 2


def normal_quantile(probability: float) -> float:
    """The standard deviations at which ``normal_cdf`` is ``probability``; infinite at 0 and 1.

    A guess good to 0.0005 (Abramowitz and Stegun 26.2.23), then Halley's steps, each of which triples the digits.
    """
    if probability <= 0:
        return -math.inf
    if probability > 0.5:
        return -normal_quantile(1 - probability)  # the smaller tail has more digits
    x = _guessed(probability)
    for _ in range(3):
        missed = (normal_cdf(x) - probability) * math.sqrt(2 * math.pi) * math.exp(x * x / 2)
        x -= missed / (1 + x * missed / 2)
    return x


def _guessed(probability: float) -> float:
    """For probabilities up to a half."""
    t = math.sqrt(-2 * math.log(probability))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    return top / bottom - t


@lru_cache(maxsize=64)
def two_sided(level: float) -> float:
    """Return how many standard deviations a two-sided normal interval of ``level`` reaches: 1.645 for 0.90."""
    if not 0 < level < 1:
        raise ValueError(f"a level is between 0 and 1, and {level} is not")
    return normal_quantile(0.5 + level / 2)
