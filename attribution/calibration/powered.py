"""A share by few labels of people and many of a judge: the judge makes it surer, and cannot make it wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attribution.calibration.intervals import ANYTHING, LEVEL, Interval, wilson
from attribution.calibration.normal import two_sided


@dataclass(frozen=True, slots=True)
class Powered:
    """A share of rows with its interval. ``reliance`` is from 0, the judge is not used, to 1; ``labels`` are those of people."""

    share: float | None
    interval: Interval
    reliance: float
    labels: int


def prediction_powered(labelled: Sequence[tuple[float, bool]], judged: Sequence[float], level: float = LEVEL) -> Powered:
    """The share that is drawn on, from rows (judge, person) and from rows that only the judge has seen, both simple random samples.

    λ·mean(judged) + mean(y − λ·f), with the λ from 0 to 1 of the least variance: PPI++ (Angelopoulos, Duchi and Zrnic 2023). The judge
    is not used, and the interval is Wilson's, where its correlation with people is no higher than 1/√(n − 2), which chance alone would
    reach, where it says the same of all rows, and where people do.
    """
    n, many = len(labelled), len(judged)
    if not n:
        return Powered(None, ANYTHING, 0.0, 0)
    truths, said = [float(truth) for _, truth in labelled], [each for each, _ in labelled]
    reliance = _reliance(said, truths, many)
    if not reliance:
        return Powered(sum(truths) / n, wilson(sum(truths), n, level), 0.0, n)
    rest = [truth - reliance * each for each, truth in zip(said, truths, strict=True)]
    share = reliance * _mean(judged) + _mean(rest)
    reach = two_sided(level) * math.sqrt(reliance**2 * _covariance(judged, judged) / many + _covariance(rest, rest) / n)
    low, high = max(0.0, share - reach), min(1.0, share + reach)
    return Powered(min(max(share, 0.0), 1.0), Interval(min(low, 1.0), max(high, 0.0)), reliance, n)


def _reliance(said: Sequence[float], truths: Sequence[float], many: int) -> float:
    """λ, or 0 where the judge does not help."""
    n = len(said)
    if n < 3 or many < 2:
        return 0.0
    together, of_judge, of_people = _covariance(said, truths), _covariance(said, said), _covariance(truths, truths)
    if together <= 0 or not of_people or together / math.sqrt(of_judge * of_people) <= 1 / math.sqrt(n - 2):
        return 0.0
    return min(1.0, together / ((1 + n / many) * of_judge))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _covariance(ones: Sequence[float], others: Sequence[float]) -> float:
    one_mean, other_mean = _mean(ones), _mean(others)
    products = ((one - one_mean) * (other - other_mean) for one, other in zip(ones, others, strict=True))
    return math.fsum(products) / (len(ones) - 1)
