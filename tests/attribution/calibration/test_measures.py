"""Is it calibrated, how far off, and can it rank: equal to second implementations, defined for the smallest inputs."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import (
    Forecast,
    Verdict,
    brier,
    calibration_error,
    cox_test,
    discrimination,
    evaluate,
    gain,
    log_loss,
    reliability_curve,
    squared_error,
    squared_error_debiased,
    surprise,
)
from attribution.calibration.logistic import Case, fit_logistic, inverted, log_likelihood
from attribution.calibration.observation import LEAST
from attribution.calibration.reliability import equal_mass
from tests.attribution.calibration.labels import forecasts, seeded
from tests.attribution.calibration.oracles import metrics, sm

EXACT = 1e-9
drawn = st.lists(
    st.builds(
        Forecast, st.integers(0, 20).map(lambda each: each / 20), st.booleans(), st.sampled_from((1.0, 2.5, 10.0)), st.sampled_from("abcd")
    ),
    min_size=1,
    max_size=60,
)
ONE = [Forecast(0.8, is_true=True)]
ALL_TRUE = [Forecast(0.8, is_true=True, conversation=str(number)) for number in range(150)]
WITHOUT: list[Forecast] = []


def columns(known: list[Forecast]) -> tuple[Any, Any, Any]:
    return tuple(np.array(column) for column in list(zip(*known, strict=True))[:3])  # type: ignore[return-value]


@given(drawn)
def test_losses_equal_scikit_learn(known: list[Forecast]) -> None:
    p, y, w = columns(known)
    assert brier(known) == pytest.approx(metrics.brier_score_loss(y, p, sample_weight=w, labels=[False, True]), abs=EXACT)
    clipped = np.clip(p, LEAST, 1 - LEAST)
    assert log_loss(known) == pytest.approx(metrics.log_loss(y, clipped, sample_weight=w, labels=[False, True]), abs=EXACT)


@given(drawn)
def test_a_gain_and_its_error_are_those_of_a_clustered_regression(known: list[Forecast]) -> None:
    better = [each._replace(probability=0.5) for each in known]
    found = gain(known, better, squared_error)
    assert found is not None
    clusters = np.array([each.conversation for each in known])
    gained = np.array([squared_error(one) - squared_error(other) for one, other in zip(known, better, strict=True)])
    weights = columns(known)[2]
    assert found.value == pytest.approx(np.average(gained, weights=weights), abs=EXACT)
    count = len(set(clusters))
    if count == 1:
        assert found.error is None
        return
    fitted = sm.WLS(gained, np.ones(len(gained)), weights=weights).fit()
    codes = np.unique(clusters, return_inverse=True)[1]
    robust = fitted.get_robustcov_results("cluster", groups=codes, use_correction=False)
    assert found.error == pytest.approx(robust.bse[0] * math.sqrt(count / (count - 1)), abs=EXACT)


@pytest.mark.parametrize("seed", range(5))
def test_cox_s_test_equals_statsmodels(seed: int) -> None:
    known = forecasts(300, seed, too_sure=seed * 0.03)
    p, y, _ = columns(known)
    log_odds = np.log(p / (1 - p))
    theirs = sm.GLM(y.astype(float), sm.add_constant(log_odds), family=sm.families.Binomial()).fit(tol=1e-14, maxiter=200)
    ours = cox_test(known)
    assert (ours.intercept, ours.slope) == pytest.approx(theirs.params, abs=EXACT)
    claimed = np.sum(np.where(y, np.log(p), np.log1p(-p)))
    assert ours.statistic == pytest.approx(2 * (theirs.llf - claimed), abs=EXACT)


def test_cox_s_test_rejects_what_is_too_sure_and_not_what_is_calibrated() -> None:
    assert cox_test(forecasts(2_000)).verdict is Verdict.NOT_REJECTED
    assert cox_test(forecasts(2_000, too_sure=0.08)).verdict is Verdict.REJECTED


def test_cox_s_test_is_rarely_wrong_about_calibrated_forecasts() -> None:
    rejected = sum(cox_test(forecasts(200, seed)).verdict is Verdict.REJECTED for seed in range(200))
    assert rejected <= 20


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        (WITHOUT, "there are no labels"),
        (ONE, "all labels are of one kind"),
        (ALL_TRUE, "all labels are of one kind"),
        ([Forecast(0.8, each < 3) for each in range(5)], "all probabilities are the same"),
        ([Forecast(0.2 + each / 10, each > 2) for each in range(6)], "the probabilities tell the two kinds apart without error"),
    ],
)
def test_where_no_slope_is_likeliest_cox_s_test_says_why(known: list[Forecast], reason: str) -> None:
    found = cox_test(known)
    assert (found.p_value, found.reason, found.verdict) == (None, reason, Verdict.CANNOT_TELL)


def test_under_100_labels_nobody_can_tell() -> None:
    few = cox_test(forecasts(99, too_sure=0.3))
    assert few.p_value is not None
    assert few.verdict is Verdict.CANNOT_TELL


@given(drawn, st.integers(1, 12))
def test_bins_hold_all_and_keep_equals_together(known: list[Forecast], bins: int) -> None:
    parts = equal_mass(known, bins)
    assert sorted(each for part in parts for each in part) == sorted(known)
    assert len(parts) <= bins
    bounds = [(part[0].probability, part[-1].probability) for part in parts]
    assert all(before[1] < after[0] for before, after in pairwise(bounds))
    assert all(len(part) > 1 for part in parts) or len(known) == 1


@given(drawn)
def test_the_debiased_error_equals_a_second_implementation(known: list[Forecast]) -> None:
    total = 0.0
    for part in equal_mass(known):
        p, y, _ = columns(part)
        if len(part) > 1:
            total += len(part) / len(known) * ((p.mean() - y.mean()) ** 2 - y.var(ddof=1) / len(part))
    assert squared_error_debiased(known) == pytest.approx(total, abs=EXACT)


def test_the_debiased_error_of_calibrated_forecasts_is_none_on_average() -> None:
    errors = [squared_error_debiased(forecasts(100, seed)) for seed in range(300)]
    assert abs(np.mean(errors)) < 3 * np.std(errors) / math.sqrt(300)
    plain = [math.sqrt(np.mean([(part_p - part_y) ** 2 for part_p, part_y in _means(forecasts(100, seed))])) for seed in range(50)]
    assert np.mean(plain) > 0.08  # what the same bins read without the correction


def _means(known: list[Forecast]) -> list[tuple[float, float]]:
    return [
        (float(np.mean([each.probability for each in part])), float(np.mean([each.is_true for each in part]))) for part in equal_mass(known)
    ]


def test_a_calibration_error_has_its_interval_by_conversation() -> None:
    found = calibration_error(forecasts(600, too_sure=0.2), seeded(1))
    assert found.interval.low < found.squared < found.interval.high
    assert found.size == pytest.approx(0.2, abs=0.05)
    assert (found.labels, found.conversations) == (600, 200)
    assert found == calibration_error(forecasts(600, too_sure=0.2), seeded(1))


def test_the_interval_of_the_error_holds_nothing_wrong_about_as_often_as_it_says() -> None:
    held = [calibration_error(forecasts(150, seed), seeded(seed), draws=60).interval for seed in range(60)]
    assert sum(low <= 0 <= high for low, high in held) >= 45


def test_of_few_labels_the_error_is_nothing() -> None:
    assert squared_error_debiased(WITHOUT) == squared_error_debiased(ONE) == 0
    assert calibration_error(WITHOUT, seeded(1)).interval == (0, 1)
    assert calibration_error(ALL_TRUE, seeded(1)).squared == pytest.approx(0.04)


def test_a_calibrated_curve_lies_within_its_bars_and_another_does_not() -> None:
    curve = reliability_curve(forecasts(2_000))
    assert sum(each.is_consistent for each in curve) >= 8
    assert sum(each.is_consistent for each in reliability_curve(forecasts(2_000, too_sure=0.15))) <= 2
    assert sum(each.labels for each in curve) == 2_000
    assert reliability_curve(WITHOUT) == ()


def test_a_bar_of_one_label_is_the_whole_scale() -> None:
    (only,) = reliability_curve(ONE)
    assert only.consistent == (0, 1)
    assert (only.labels, only.share, only.forecast) == (1, 1.0, 0.8)


@given(drawn)
def test_the_area_equals_scikit_learn(known: list[Forecast]) -> None:
    p, y, _ = columns(known)
    found = discrimination(known)
    if 0 < sum(y) < len(y):
        assert found.auroc == pytest.approx(metrics.roc_auc_score(y, p), abs=EXACT)
        assert 0 <= found.interval.low <= found.auroc <= found.interval.high <= 1
    else:
        assert (found.auroc, found.interval) == (None, (0, 1))


def test_the_interval_of_the_area_is_delong_s() -> None:
    known = forecasts(80)
    positives, negatives = ([each.probability for each in known if each.is_true is kind] for kind in (True, False))
    wins = np.array([[(one > other) + (one == other) / 2 for other in negatives] for one in positives])
    variance = wins.mean(axis=1).var(ddof=1) / len(positives) + wins.mean(axis=0).var(ddof=1) / len(negatives)
    area = wins.mean()
    reach = 1.6448536269514722 * math.sqrt(variance) / (area * (1 - area))
    bounds = [1 / (1 + math.exp(-(math.log(area / (1 - area)) + sign * reach))) for sign in (-1, 1)]
    assert discrimination(known).interval == pytest.approx(bounds, abs=EXACT)


def test_a_score_that_cannot_rank_says_so() -> None:
    flat = [Forecast(0.9, number % 3 > 0) for number in range(200)]
    assert discrimination(flat).auroc == 0.5
    assert discrimination(flat).interval.low <= 0.5
    assert discrimination(flat).values == 1
    assert discrimination(forecasts(200)).interval.low > 0.5


def test_ranked_without_error_is_not_certain() -> None:
    found = discrimination([Forecast(number / 10, number > 4) for number in range(10)])
    assert found.auroc == 1
    assert 0.5 < found.interval.low < 1
    assert found.interval.high == 1
    assert discrimination([Forecast(0.2, is_true=False), Forecast(0.9, is_true=True)]).auroc == 1


def test_of_no_forecasts_there_are_no_losses() -> None:
    assert brier(WITHOUT) is log_loss(WITHOUT) is gain(WITHOUT, WITHOUT, surprise) is None
    assert brier(ONE) == pytest.approx(0.04)


def test_an_evaluation_of_nothing_and_of_one_label_is_defined() -> None:
    for known in (WITHOUT, ONE, ALL_TRUE):
        document = evaluate(known, known, seeded(1)).document()
        assert document["labels"] == len(known)
        assert document["cox"]["verdict"] == "cannot_tell"


def test_certain_and_wrong_is_dear_but_not_infinitely_so() -> None:
    assert log_loss([Forecast(1.0, is_true=False)]) == pytest.approx(-math.log(LEAST))


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_a_matrix_is_inverted_or_said_to_have_no_inverse(matrix: list[list[int]]) -> None:
    found = inverted([[float(each) for each in line] for line in matrix])
    assert (found is None) == (round(float(np.linalg.det(np.array(matrix, float))), 6) == 0)
    if found is not None:
        assert np.allclose(np.array(found) @ np.array(matrix), np.eye(3), atol=1e-6)


def test_a_logistic_likelihood_does_not_overflow() -> None:
    cases = [Case((1.0,), offset, is_true=used) for offset, used in product((-900.0, 900.0), (True, False))]
    assert log_likelihood(cases, [0.0]) == pytest.approx(-1_800)
    assert fit_logistic([Case((1.0,), 0.0, is_true=True)], [0.0]) is None
