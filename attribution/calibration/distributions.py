"""The chi-square and binomial distributions, as far as tests and intervals need them. Probabilities are between 0 and 1."""

from __future__ import annotations

import math

from attribution.calibration.beta import beta_cdf

_MOST_STEPS = 10_000
_EXACT = 4e-16


def chi_square_tail(x: float, degrees: float) -> float:
    """The probability that a chi-square variable of ``degrees`` degrees of freedom is above ``x``: Q(degrees/2, x/2).

    The regularised incomplete gamma function by its series (DLMF 8.11.4) or its continued fraction (8.9.2), whichever converges fast.
    """
    if x <= 0:
        return 1.0
    a, half = degrees / 2, x / 2
    front = math.exp(a * math.log(half) - half - math.lgamma(a))
    return 1 - front * _gamma_series(a, half) if half < a + 1 else front * _gamma_fraction(a, half)


def binomial_cdf(successes: int, trials: int, probability: float) -> float:
    """The probability of at most ``successes`` in ``trials``: I_{1−p}(n − k, k + 1)."""
    if successes < 0:
        return 0.0
    return 1.0 if successes >= trials else beta_cdf(1 - probability, trials - successes, successes + 1)


def binomial_quantile(level: float, trials: int, probability: float) -> int:
    """The fewest successes that are reached with a probability of at least ``level``: their cdf is there for the first time."""
    low, high = 0, trials
    while low < high:
        middle = (low + high) // 2
        if binomial_cdf(middle, trials, probability) >= level:
            high = middle
        else:
            low = middle + 1
    return low


def _gamma_series(a: float, x: float) -> float:
    term = total = 1 / a
    for n in range(1, _MOST_STEPS):
        term *= x / (a + n)
        total += term
        if term < total * _EXACT:
            break
    return total


def _gamma_fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = math.inf, 1 / b
    value = d
    for n in range(1, _MOST_STEPS):
        b += 2
        factor = -n * (n - a)
        d, c = 1 / (factor * d + b), b + factor / c
        value *= d * c
        if abs(d * c - 1) < _EXACT:
            break
    return value
