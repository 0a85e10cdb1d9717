"""Sweeps, choices, guarantees and plans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import (
    Forecast,
    Shortfall,
    certify,
    chance_to_certify,
    choose,
    labels_for_margin,
    labels_to_certify,
    need,
    point_at,
    sweep,
)
from tests.attribution.calibration.labels import forecasts, seeded
from tests.attribution.calibration.oracles import metrics, proportion, stats

EXACT = 1e-9
scored = st.lists(
    st.builds(Forecast, st.integers(0, 10).map(lambda each: each / 10), st.booleans(), st.sampled_from((1.0, 4.0))), min_size=1, max_size=50
)


@given(scored, st.integers(0, 11).map(lambda each: each / 10))
def test_a_point_equals_scikit_learn(known: list[Forecast], threshold: float) -> None:
    truth, claimed, weights = zip(*[(each.is_true, each.probability >= threshold, each.weight) for each in known], strict=True)
    point = point_at(known, threshold)
    if any(claimed):
        assert point.precision == pytest.approx(metrics.precision_score(truth, claimed, sample_weight=weights, zero_division=0), abs=EXACT)
    if any(truth):
        assert point.recall == pytest.approx(metrics.recall_score(truth, claimed, sample_weight=weights, zero_division=0), abs=EXACT)
    if any(truth) or any(claimed):
        assert point.f1 == pytest.approx(metrics.f1_score(truth, claimed, sample_weight=weights, zero_division=0), abs=EXACT)
    if len(set(truth)) > 1 or len(set(claimed)) > 1:
        assert point.kappa == pytest.approx(metrics.cohen_kappa_score(truth, claimed, sample_weight=weights), abs=EXACT)
    assert point.workload == pytest.approx(np.average(claimed, weights=weights), abs=EXACT)


def test_the_interval_of_a_share_is_that_of_the_labels_its_weights_are_worth() -> None:
    alike = [Forecast(0.9, number > 3, 2.0) for number in range(40)]
    assert point_at(alike, 0.5).precision_interval == pytest.approx(proportion.proportion_confint(36, 40, 0.1, "wilson"), abs=EXACT)
    apart = [each._replace(weight=3.0) if number < 10 else each for number, each in enumerate(alike)]
    worth = 90**2 / (10 * 9 + 30 * 4)
    share = 78 / 90
    assert point_at(apart, 0.5).precision == pytest.approx(share, abs=EXACT)
    assert point_at(apart, 0.5).precision_interval == pytest.approx(
        proportion.proportion_confint(share * worth, worth, 0.1, "wilson"), abs=EXACT
    )


def test_where_leaving_out_a_conversation_changes_nothing_no_interval_is_told() -> None:
    known = [Forecast(0.9, number % 2 == 0, 1.0, f"talk {number // 2}") for number in range(20)]
    point = point_at(known, 0.5)
    assert (point.f1, point.f1_interval) == (pytest.approx(2 / 3), None)


def test_a_point_of_nothing_says_nothing() -> None:
    point = point_at([], 0.5)
    assert (point.claimed, point.precision, point.recall, point.f1, point.kappa, point.workload) == (0, None, None, None, None, None)
    assert point.precision_interval == point.recall_interval == (0, 1)
    assert point.f1_interval is point.kappa_interval is None
    one = point_at([Forecast(0.9, is_true=True)], 0.5)
    assert (one.precision, one.recall, one.f1, one.kappa, one.f1_interval) == (1, 1, 1, None, None)


def test_the_intervals_of_a_measure_are_those_of_leaving_out_each_conversation() -> None:
    known = forecasts(60)
    point = point_at(known, 0.5)
    names = sorted({each.conversation for each in known})
    without = [point_at([each for each in known if each.conversation != name], 0.5) for name in names]
    for measure in ("f1", "kappa"):
        spread = np.sqrt((len(names) - 1) * np.var([getattr(each, measure) for each in without]))
        reach = 1.6448536269514722 * spread
        value = getattr(point, measure)
        assert getattr(point, f"{measure}_interval") == pytest.approx((value - reach, min(1, value + reach)), abs=EXACT)


def test_a_sweep_goes_up_and_workload_and_recall_down() -> None:
    points = sweep(forecasts(300), [0.9, 0.1, 0.5, 0.5])
    assert [each.threshold for each in points] == [0.1, 0.5, 0.9]
    for measure in ("workload", "recall", "claimed"):
        values = [getattr(each, measure) for each in points]
        assert values == sorted(values, reverse=True)


def test_the_present_threshold_stays_unless_another_is_clearly_better() -> None:
    known = forecasts(400)
    assert not choose(known, [0.4, 0.42], present=0.41).is_changed
    changed = choose(known, [number / 20 for number in range(20)], present=0.95)
    assert changed.is_changed
    assert changed.threshold < 0.8
    assert changed.gain is not None
    assert changed.error is not None
    assert changed.gain > changed.error


def test_of_all_that_are_about_as_good_the_nearest_is_chosen() -> None:
    known = forecasts(400)
    grid = [number / 20 for number in range(20)]
    chosen = choose(known, grid, present=0.95).threshold
    best = max(sweep(known, grid), key=lambda point: point.f1 or 0).threshold
    assert chosen >= best


@pytest.mark.parametrize("known", [[], [Forecast(0.5, is_true=True)]])
def test_without_labels_to_divide_nothing_is_chosen(known: list[Forecast]) -> None:
    assert choose(known, [0.1, 0.9], present=0.6) == (choose([], [], present=0.6))


def test_choosing_does_not_depend_on_the_order_of_labels() -> None:
    known = forecasts(200)
    shuffled = known.copy()
    seeded(1).shuffle(shuffled)
    assert choose(shuffled, [0.2, 0.4], present=0.9) == choose(known, [0.2, 0.4], present=0.9)


@pytest.mark.parametrize(("precision", "expected"), [(0.95, [45, 77, 105, 132, 158, 184]), (0.90, [22, 38, 52])])
def test_what_a_certificate_takes(precision: float, expected: list[int]) -> None:
    assert [labels_to_certify(errors, precision) for errors in range(len(expected))] == expected


@given(st.integers(0, 30), st.floats(0.5, 0.99), st.floats(0.01, 0.5))
def test_one_label_fewer_does_not_certify(errors: int, precision: float, risk: float) -> None:
    labels = labels_to_certify(errors, precision, risk)
    assert stats.binom.cdf(errors, labels, 1 - precision) <= risk + EXACT
    assert labels == errors + 1 or stats.binom.cdf(errors, labels - 1, 1 - precision) > risk - EXACT


def test_the_chance_to_certify_is_that_of_as_few_errors() -> None:
    found = [round(chance_to_certify(0.97, labels), 2) for labels in (10, 100, 200, 500, 1_000)]
    assert found == [0, 0.19, 0.44, 0.82, 0.97]


def test_a_certificate_is_the_lowest_cutoff_before_the_first_failure() -> None:
    labelled = [(0.9, True)] * 50 + [(0.8, True)] * 30 + [(0.7, False)] * 20 + [(0.6, True)] * 4_000
    found = certify(labelled, [0.99, 0.9, 0.8, 0.7, 0.6])
    assert found.cutoff == 0.8
    assert [(step.cutoff, step.is_tested) for step in found.steps] == [(0.99, False), (0.9, True), (0.8, True), (0.7, True)]
    assert found.proof is not None
    assert (found.proof.labels, found.proof.errors) == (80, 0)
    assert found.proof.p_value == pytest.approx(0.95**80, abs=EXACT)


@pytest.mark.parametrize("labelled", [[], [(0.9, True)], [(0.9, True)] * 44, [(0.9, False)] * 500])
def test_too_few_or_too_bad_labels_certify_nothing(labelled: list[tuple[float, bool]]) -> None:
    found = certify(labelled, [0.5, 0.9])
    assert found.cutoff is None
    assert found.proof is None


def test_what_a_promise_lacks_is_told_at_the_cutoff_that_lacks_least() -> None:
    labelled = [(0.9, True)] * 30 + [(0.8, True)] * 10 + [(0.7, False)] + [(0.7, True)] * 9
    lacks = certify(labelled, [0.9, 0.8, 0.7]).shortfall
    assert lacks == Shortfall(cutoff=0.8, labels=40, errors=0, more=5)
    assert certify([(0.9, True)] * 45, [0.9]).shortfall is None
    assert certify([], []).shortfall is None


def test_of_each_unit_one_label_is_tested_the_first_that_reaches_the_cutoff() -> None:
    labelled = [(0.7, False), (0.9, True), (0.9, False)] * 50
    units = [f"answer {number // 3}" for number in range(150)]
    found = certify(labelled, [0.9, 0.7], units=units)
    assert [(step.labels, step.errors) for step in found.steps] == [(50, 0), (50, 50)]
    assert found.cutoff == 0.9


def test_all_labels_right_certify_from_forty_five_on() -> None:
    assert certify([(0.9, True)] * 45, [0.9]).cutoff == 0.9


@pytest.mark.parametrize(("precision", "risk"), [(0, 0.1), (1, 0.1), (0.95, 0), (0.95, 1)])
def test_certainty_is_not_certified(precision: float, risk: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        labels_to_certify(0, precision, risk)


@pytest.mark.parametrize(("expected", "labels"), [(0.5, 1064), (0.8, 682), (0.9, 388), (0.95, 215), (0.98, 113)])
def test_what_a_margin_of_three_points_takes(expected: float, labels: int) -> None:
    assert labels_for_margin(expected, 0.03) == labels


def test_a_small_population_and_a_clustered_one_change_what_it_takes() -> None:
    assert labels_for_margin(0.9, 0.03, population=2_000) == 326
    assert labels_for_margin(0.9, 0.03, design_effect=1.25) == 485


@given(st.floats(0.02, 0.98), st.floats(0.01, 0.2))
def test_a_margin_is_kept_by_statsmodels_too(expected: float, margin: float) -> None:
    labels = labels_for_margin(expected, margin)
    low, high = proportion.proportion_confint(expected * labels, labels, 0.05, method="wilson")
    assert (high - low) / 2 <= margin + EXACT


def test_what_is_missing_takes_whole_days() -> None:
    assert (need(388, 100, 25).missing, need(388, 100, 25).days) == (288, 12)
    assert (need(388, 400, 0).missing, need(388, 400, 0).days) == (0, 0)
    assert need(388, 100, 0).days is None


@pytest.mark.parametrize(("expected", "margin"), [(1.2, 0.03), (0.9, 0), (0.9, 1)])
def test_what_cannot_be_planned_is_refused(expected: float, margin: float) -> None:
    with pytest.raises(ValueError, match="an expected share is from 0 to 1"):
        labels_for_margin(expected, margin)
