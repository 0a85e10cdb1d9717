"""After a change a few labels shift the old table; a refit from as few would know less."""

from __future__ import annotations

import random

import numpy as np
import pytest

from attribution.calibration import Observation, TreeBeta, brier, estimate_shift, fit, forecasts_of, is_refit_better, transfer
from tests.attribution.calibration.labels import label, labels, seeded


@pytest.fixture(scope="module")
def old() -> TreeBeta:
    return fit(labels(1_000))


def worse(count: int, seed: int) -> list[Observation]:
    """Return observations of which a quarter of the right ones has become wrong."""
    chance = seeded(seed)
    return [_turned(each, chance) for each in labels(count, seed)]


def _turned(each: Observation, chance: random.Random) -> Observation:
    names = ("id", "message", "conversation", "path", "field_type", "method", "rule", "score")
    return label(is_used=bool(each.is_used) and chance.random() < 0.75, **{name: getattr(each, name) for name in names})


def test_a_shift_is_where_the_posterior_is_flat() -> None:
    chance = seeded(1)
    known = [(0.5 + 0.45 * chance.random(), chance.choice("ab"), chance.random() < 0.6) for _ in range(80)]
    found = estimate_shift(known)
    old, truth = np.array([each[0] for each in known]), np.array([each[2] for each in known])
    rules = np.array([each[1] for each in known])
    shifts = found.of_all + np.array([found.by_rule[rule] for rule in rules])
    missed = truth - 1 / (1 + np.exp(-(np.log(old / (1 - old)) + shifts)))
    assert missed.sum() - 4 * found.of_all == pytest.approx(0, abs=1e-9)
    for rule, shift in found.by_rule.items():
        assert missed[rules == rule].sum() - 4 * shift == pytest.approx(0, abs=1e-9)


def test_the_error_of_a_shift_is_that_of_the_curvature() -> None:
    known = [(0.8, "a", number % 3 > 0) for number in range(60)]
    found = estimate_shift(known)
    p = 1 / (1 + np.exp(-(np.log(4) + found.of("a")[0])))
    curvature = np.full((2, 2), 60 * p * (1 - p)) + 4 * np.eye(2)
    covariance = np.linalg.inv(curvature)
    assert found.error == pytest.approx(np.sqrt(covariance[0, 0]), abs=1e-9)
    assert found.errors["a"] == pytest.approx(np.sqrt(covariance.sum()), abs=1e-9)


def test_no_labels_shift_nothing_and_one_a_little() -> None:
    nothing = estimate_shift([])
    assert (nothing.of_all, nothing.by_rule, nothing.of("a")[0]) == (0, {}, 0)
    assert nothing.of("a")[1] == pytest.approx(np.hypot(0.5, 0.5))
    assert -0.5 < estimate_shift([(0.9, "a", False)]).of("a")[0] < 0
    assert estimate_shift([(1.0, "a", True)] * 50).of("a")[0] == pytest.approx(0, abs=0.01)


def test_fifty_labels_of_what_has_become_worse_make_the_old_table_better(old: TreeBeta) -> None:
    tested = worse(2_000, 99)
    kept = brier(forecasts_of(tested, old.table))
    for seed in range(5):
        moved = brier(forecasts_of(tested, transfer(old, worse(60, seed + 10)).table))
        assert moved is not None
        assert kept is not None
        assert moved < kept


def test_confidences_stay_in_their_intervals_which_grow(old: TreeBeta) -> None:
    moved = transfer(old, worse(60, 3))
    for before, after in zip(old.nodes, moved.nodes, strict=True):
        assert 0 <= after.low <= after.confidence <= after.high <= 1
        assert (after.path, after.labels) == (before.path, before.labels)
    assert moved.nodes != old.nodes
    assert moved.strengths == old.strengths


def test_a_rule_without_new_labels_moves_with_the_others(old: TreeBeta) -> None:
    new = [each for each in worse(200, 4) if each.method == "enum"]
    moved = {node.path: node.confidence for node in transfer(old, new).nodes}
    before = {node.path: node.confidence for node in old.nodes}
    assert moved["numeric.whole_number",] < before["numeric.whole_number",]


def test_a_refit_is_better_where_the_fields_have_changed_places_and_there_are_labels_enough(old: TreeBeta) -> None:
    turned = [label(number, path=each.path, is_used=not each.is_used) for number, each in enumerate(labels(400, 5))]
    assert is_refit_better(old, turned)
    assert not is_refit_better(old, turned[:99])
    assert not is_refit_better(old, labels(120, 6))
    assert not is_refit_better(old, [])


def test_too_few_labels_and_no_table_are_refused(old: TreeBeta) -> None:
    unknown = [label(number, method="date", rule="weekday") for number in range(80)]
    for table, new in ((old, worse(49, 1)), (old, unknown), (fit([]), worse(60, 1))):
        with pytest.raises(ValueError, match="a transfer needs a table and 50 labels"):
            transfer(table, new)
