"""What is promised with 90% confidence is broken in at most a tenth of the runs."""

from __future__ import annotations

import pytest

from attribution.calibration import certify
from tests.attribution.calibration.labels import seeded

CUTOFFS = [number / 20 for number in range(20)]


def true_precision(cutoff: float) -> float:
    """Of scores that are uniform, each right with a probability of 0.5 + 0.49·score."""
    return 0.5 + 0.49 * (1 + cutoff) / 2


def broken_and_found(runs: int, labels: int) -> tuple[int, int]:
    """How many runs promise what does not hold, and how many promise anything."""
    broken = found = 0
    for seed in range(runs):
        chance = seeded(seed)
        scores = [chance.random() for _ in range(labels)]
        certificate = certify([(score, chance.random() < 0.5 + 0.49 * score) for score in scores], CUTOFFS, precision=0.9)
        if certificate.cutoff is not None:
            found += 1
            broken += true_precision(certificate.cutoff) < 0.9
    return broken, found


def test_a_promised_precision_is_rarely_broken() -> None:
    broken, found = broken_and_found(60, 800)
    assert broken <= 60 * 0.1 + 3 * (60 * 0.1 * 0.9) ** 0.5
    assert found >= 40


@pytest.mark.soak
def test_a_promised_precision_is_broken_in_at_most_a_tenth_of_five_hundred_runs() -> None:
    broken, found = broken_and_found(500, 800)
    assert broken <= 50
    assert found >= 300
