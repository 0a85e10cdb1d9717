"""Shares of rows from labels on some of them: weighted by how they were drawn, or with the help of a judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attribution.calibration.distributions import ANYTHING, LEVEL, Interval, two_sided, wilson
from attribution.calibration.observation import Observation, clustered_mean

# Shares of all rows from labels on some of them: each label stands for as many rows as its probability of inclusion says.


@dataclass(frozen=True, slots=True)
class Share:
    """A share weighted by inclusion beside the same unweighted, each with its 90% interval; nothing of no labels.

    ``effective`` is the number of labels of a simple random sample that would tell as much. Counts of labels and of conversations.
    """

    weighted: float | None
    interval: Interval
    unweighted: float | None
    unweighted_interval: Interval
    labels: int
    conversations: int
    effective: float


def weighted_share(labelled: Sequence[tuple[Observation, bool]]) -> Share:
    """Σ y/π / Σ 1/π over (label, y), with π the probability of inclusion: Hájek's estimator of a share of all rows.

    Its interval is Wilson's with the effective number of labels p(1−p)/V, where V is the variance linearised with conversations as
    clusters (Särndal, Swensson and Wretman 1992, 5.7). Where V says nothing (all alike, or one conversation) the effective number
    is Kish's, (Σw)²/Σw².
    """
    labels, true = len(labelled), sum(is_true for _, is_true in labelled)
    unweighted = wilson(true, labels)
    if not labelled:
        return Share(None, unweighted, None, unweighted, 0, 0, 0.0)
    weights = [each.weight for each, _ in labelled]
    mean = clustered_mean((each.weight, float(is_true), each.conversation) for each, is_true in labelled)
    effective = _effective(mean.value, mean.error, _kish(weights))
    interval = wilson(mean.value * effective, effective)
    conversations = len({each.conversation for each, _ in labelled})
    return Share(mean.value, interval, true / labels, unweighted, labels, conversations, effective)


def _kish(weights: Sequence[float]) -> float:
    return math.fsum(weights) ** 2 / math.fsum(each * each for each in weights)


def _effective(share: float, error: float | None, kish: float) -> float:
    """The labels that a variance is worth; never more than there are by weight where the variance is none."""
    spread = share * (1 - share)
    return spread / error**2 if error and spread > 0 else kish


# A share by few labels of people and many of a judge: the judge makes it surer, and cannot make it wrong.


@dataclass(frozen=True, slots=True)
class Powered:
    """A share of rows with its interval. ``reliance`` is from 0, the judge is not used, to 1; ``labels`` are those of people."""

    share: float | None
    interval: Interval
    reliance: float
    labels: int


def prediction_powered(labelled: Sequence[tuple[float, bool]], judged: Sequence[float]) -> Powered:
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
        return Powered(sum(truths) / n, wilson(sum(truths), n), 0.0, n)
    rest = [truth - reliance * each for each, truth in zip(said, truths, strict=True)]
    share = reliance * _mean(judged) + _mean(rest)
    reach = two_sided(LEVEL) * math.sqrt(reliance**2 * _covariance(judged, judged) / many + _covariance(rest, rest) / n)
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
