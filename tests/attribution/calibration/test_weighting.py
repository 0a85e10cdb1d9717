"""Shares of all rows from labels on some, whatever the plan they were chosen by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import Observation, Share, weighted_share, wilson
from tests.attribution.calibration.labels import label, seeded
from tests.attribution.calibration.oracles import sm

EXACT = 1e-9
chosen = st.lists(st.tuples(st.booleans(), st.sampled_from((1.0, 0.5, 0.02)), st.sampled_from("abcdef")), min_size=1, max_size=50)


def labelled(drawn: list[tuple[bool, float, str]]) -> list[tuple[Observation, bool]]:
    return [(label(number, inclusion=share, conversation=name), used) for number, (used, share, name) in enumerate(drawn)]


def share_used(observations: list[Observation]) -> Share:
    return weighted_share([(each, bool(each.is_used)) for each in observations])


@given(chosen)
def test_a_weighted_share_is_that_of_a_clustered_regression(drawn: list[tuple[bool, float, str]]) -> None:
    found = weighted_share(labelled(drawn))
    y, inclusion, clusters = (np.array(column) for column in zip(*drawn, strict=True))
    weights = 1 / inclusion
    mean = np.average(y, weights=weights)
    assert found.weighted == pytest.approx(mean, abs=EXACT)
    assert found.unweighted == pytest.approx(y.mean(), abs=EXACT)
    count = len(set(clusters))
    effective = weights.sum() ** 2 / (weights**2).sum()
    if count > 1 and 0 < mean < 1:
        fitted = sm.WLS(y.astype(float), np.ones(len(y)), weights=weights).fit()
        codes = np.unique(clusters, return_inverse=True)[1]
        robust = fitted.get_robustcov_results("cluster", groups=codes, use_correction=False).bse[0] ** 2 * count / (count - 1)
        effective = mean * (1 - mean) / robust if robust > 1e-20 else effective
    assert found.effective == pytest.approx(effective, rel=1e-6)
    assert found.interval == pytest.approx(wilson(mean * effective, effective), abs=1e-6)


def test_of_a_simple_random_sample_weighted_and_unweighted_are_the_same() -> None:
    found = share_used([label(number, conversation=str(number), is_used=number % 5 > 0) for number in range(200)])
    assert found.weighted == pytest.approx(found.unweighted)
    assert found.interval == pytest.approx(found.unweighted_interval, abs=0.002)
    assert (found.labels, found.conversations) == (200, 200)


def test_weights_undo_what_a_plan_has_preferred() -> None:
    """Rare bad rows are labelled forty times as often as common good ones: unweighted, all looks worse than it is."""
    chance, held = seeded(1), 0
    for _ in range(60):
        bad = [label(number, conversation=f"b{number}", inclusion=0.8, is_used=chance.random() < 0.2) for number in range(80)]
        good = [label(number, conversation=f"g{number}", inclusion=0.02, is_used=chance.random() < 0.95) for number in range(80)]
        found = share_used([*bad, *good])
        truth = (0.2 * 80 / 0.8 + 0.95 * 80 / 0.02) / (80 / 0.8 + 80 / 0.02)
        held += found.interval.low <= truth <= found.interval.high
        assert found.unweighted_interval.high < truth
    assert held >= 48


def test_labels_of_one_conversation_tell_less() -> None:
    alike = share_used([label(number, conversation=str(number // 10), is_used=number // 10 % 3 > 0) for number in range(120)])
    assert alike.labels / alike.effective > 5


def test_of_no_labels_there_is_no_share_and_of_one_an_interval() -> None:
    nothing = weighted_share([])
    assert (nothing.weighted, nothing.unweighted, nothing.interval, nothing.labels) == (None, None, (0, 1), 0)
    one = share_used([label()])
    assert one.weighted == 1
    assert one.interval == wilson(1, 1)
    assert math.isclose(one.effective, 1)
