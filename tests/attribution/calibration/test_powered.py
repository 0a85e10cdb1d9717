"""A judge makes a share surer where it knows something, and never wrong."""

from __future__ import annotations

import random

import numpy as np
import pytest

from attribution.calibration import prediction_powered, wilson
from tests.attribution.calibration.labels import seeded

TRUTH = 0.85


def rows(chance: random.Random, count: int, knows: float) -> list[tuple[float, bool]]:
    """Return a judge's verdicts on rows, true with a probability of ``knows`` and random otherwise, each with the truth."""
    truths = [chance.random() < TRUTH for _ in range(count)]
    return [(float(truth if chance.random() < knows else chance.random() < 0.6), truth) for truth in truths]


def test_the_share_and_its_variance_are_those_of_the_formula() -> None:
    labelled, judged = rows(seeded(1), 120, 0.9), [each for each, _ in rows(seeded(2), 2_000, 0.9)]
    found = prediction_powered(labelled, judged)
    said, truth, many = np.array([each for each, _ in labelled]), np.array([each for _, each in labelled], float), np.array(judged)
    reliance = np.cov(said, truth)[0, 1] / ((1 + 120 / 2_000) * said.var(ddof=1))
    share = reliance * many.mean() + (truth - reliance * said).mean()
    error = np.sqrt(reliance**2 * many.var(ddof=1) / 2_000 + (truth - reliance * said).var(ddof=1) / 120)
    assert (found.reliance, found.share) == pytest.approx((reliance, share), abs=1e-9)
    assert found.interval == pytest.approx((share - 1.6448536269514722 * error, share + 1.6448536269514722 * error), abs=1e-9)
    assert found.interval.width < wilson(truth.sum(), 120).width


@pytest.mark.parametrize("knows", [0.0, 0.5, 0.95])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(knows: float) -> None:
    held = 0
    for seed in range(150):
        chance = seeded(seed)
        found = prediction_powered(rows(chance, 150, knows), [each for each, _ in rows(chance, 600, knows)])
        held += found.interval.low <= TRUTH <= found.interval.high
    assert held >= 120


@pytest.mark.parametrize(
    ("labelled", "judged"),
    [
        ([(1.0, True)], [1.0, 0.0]),
        ([(1.0, True)] * 50, [1.0] * 90),
        ([(1.0, True), (0.0, False)] * 9, []),
        ([(0.0, True), (1.0, False)] * 9, [0.0, 1.0] * 9),
        ([(0.5, number % 3 > 0) for number in range(30)], [0.5] * 90),
    ],
)
def test_a_judge_that_does_not_help_is_not_used(labelled: list[tuple[float, bool]], judged: list[float]) -> None:
    found = prediction_powered(labelled, judged)
    right = sum(truth for _, truth in labelled)
    assert (found.reliance, found.share, found.interval) == (0, right / len(labelled), wilson(right, len(labelled)))


def test_without_people_nothing_is_known() -> None:
    found = prediction_powered([], [1.0] * 100)
    assert (found.share, found.interval, found.labels) == (None, (0, 1), 0)
