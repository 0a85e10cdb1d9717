"""The beta distribution: its regularised incomplete function and its quantiles, which all exact intervals of shares rest on."""

from __future__ import annotations

import math

from attribution.calibration.normal import normal_quantile

_MOST_STEPS = 10_000
_FARTHEST = 30.0
_DEEPEST = 690.0
"""e to the minus this is still a number."""

_TINY = 1e-300
_EXACT = 4e-16
_CLOSE = 1e-12


def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function: log Γ(a) + log Γ(b) − log Γ(a + b), for a and b above 0."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def beta_cdf(x: float, a: float, b: float) -> float:
    """The probability that a Beta(a, b) variable is at most ``x``: the regularised incomplete beta function I_x(a, b).

    By the continued fraction of DLMF 8.17.22, on whichever side of the mean it converges fast. No units; 0 below 0 and 1 above 1.
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta(a, b))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x at which ``beta_cdf(x, a, b)`` is ``probability``: 0 for 0, 1 for 1.

    Newton's steps between two bounds that close in on the root, halving where a step would leave them, from where a normal distribution
    of the log odds would have it.
    """
    if probability <= 0:
        return 0.0
    if probability >= 1:
        return 1.0
    low, high, x, constant = 0.0, 1.0, _guessed(probability, a, b), log_beta(a, b)
    for _ in range(_MOST_STEPS):
        missed = beta_cdf(x, a, b) - probability
        low, high = (low, x) if missed > 0 else (x, high)
        log_density = (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - constant
        step = x - missed * math.exp(min(-log_density, _DEEPEST))
        following = step if low < step < high else (low + high) / 2
        if abs(following - x) <= _CLOSE * following or not 0 < following < 1:
            return following
        x = following
    return x


def _guessed(probability: float, a: float, b: float) -> float:
    """By the mean of the log odds, log(a/b), and about their standard deviation; the mean itself where that is of no use.

    Where most of the mass is at 0, by the first term of the series, x^a/(a·B(a, b)).
    """
    if a < 1:
        start = math.exp(max((math.log(probability * a) + log_beta(a, b)) / a, -_DEEPEST))
        return min(a / (a + b), start)
    if b < 1:
        return 1 - max(_guessed(1 - probability, b, a), _CLOSE)
    log_odds = math.log(a / b) + normal_quantile(probability) * math.sqrt(1 / a + 1 / b)
    return 1 / (1 + math.exp(-log_odds)) if abs(log_odds) < _FARTHEST else a / (a + b)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of I_x(a, b), by Lentz's method."""
    c, d = 1.0, _away(1 - (a + b) * x / (a + 1))
    d = 1 / d
    value = d
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _away(1 + even * d), _away(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _away(1 + odd * d), _away(1 + odd / c)
        value *= d * c
        if abs(d * c - 1) < _EXACT:
            break
    return value


def _away(value: float) -> float:
    """Not quite zero: it is divided by."""
    return value if abs(value) > _TINY else _TINY
