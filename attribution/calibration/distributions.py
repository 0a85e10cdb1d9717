"""The normal, beta, chi-square and binomial distributions, as far as tests need them, and intervals of shares.

Probabilities are between 0 and 1.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

# The normal distribution, and how far an interval of some level reaches.


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
    x = _guessed_normal(probability)
    for _ in range(3):
        missed = (normal_cdf(x) - probability) * math.sqrt(2 * math.pi) * math.exp(x * x / 2)
        x -= missed / (1 + x * missed / 2)
    return x


def _guessed_normal(probability: float) -> float:
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


# The beta distribution: its regularised incomplete function and its quantiles, which all exact intervals of shares rest on.

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


# The chi-square and binomial distributions.


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


# Intervals of shares. Never Wald's: at 50 labels its 90% holds the truth 45% of the time.

LEVEL = 0.90
"""The level of an interval on a page, unless another is named."""


class Interval(NamedTuple):
    """Two bounds, in the units of what they bound."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """From bound to bound."""
        return self.high - self.low


ANYTHING = Interval(0.0, 1.0)
"""The interval of a share of nothing: nothing is known of it."""


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


def exact_upper(successes: int, trials: int, risk: float) -> float:
    """A bound that the true share is above with a probability of at most ``risk``."""
    return beta_quantile(1 - risk, successes + 1, trials - successes) if successes < trials else 1.0
