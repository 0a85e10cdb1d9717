"""Shares of all rows from labels on some of them: each label stands for as many rows as its probability of inclusion says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from attribution.calibration.forecast import clustered_mean
from attribution.calibration.intervals import Interval, wilson
from attribution.calibration.observation import Observation, judged


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


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of the fields claimed, the share drawn on; of those drawn on, the share claimed; and the share drawn on of all."""

    precision: Share
    recall: Share
    prevalence: Share


def accuracy(observations: Iterable[Observation]) -> Accuracy:
    """Precision, recall and prevalence of what was claimed, from labels on found and unfound fields both."""
    known = judged(observations)
    precision = weighted_share([(each, bool(each.is_used)) for each in known if each.claims])
    recall = weighted_share([(each, each.claims) for each in known if each.is_used])
    return Accuracy(precision, recall, weighted_share([(each, bool(each.is_used)) for each in known]))


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


def design_effect(share: Share) -> float | None:
    """Return how many times as many labels are needed as in a simple random sample: labels ÷ effective labels; None without labels."""
    return share.labels / share.effective if share.effective else None


def _kish(weights: Sequence[float]) -> float:
    return math.fsum(weights) ** 2 / math.fsum(each * each for each in weights)


def _effective(share: float, error: float | None, kish: float) -> float:
    """The labels that a variance is worth; never more than there are by weight where the variance is none."""
    spread = share * (1 - share)
    return spread / error**2 if error and spread > 0 else kish
