"""Distributions and intervals equal a second implementation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import exact_upper, wilson
from attribution.calibration.distributions import (
    beta_cdf,
    beta_quantile,
    binomial_cdf,
    binomial_quantile,
    chi_square_tail,
    normal_cdf,
    normal_quantile,
    two_sided,
)
from tests.attribution.calibration.labels import seeded
from tests.attribution.calibration.oracles import proportion, stats

EXACT = 1e-9
counts = st.floats(0.1, 5_000)
from_hardly_any = st.floats(0.01, 5_000)
shares = st.floats(0, 1)


@given(shares, counts, counts)
def test_the_incomplete_beta_function_equals_scipy_s(x: float, a: float, b: float) -> None:
    assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=EXACT)


@given(st.floats(1e-12, 1), from_hardly_any, from_hardly_any)
def test_a_beta_quantile_equals_scipy_s(probability: float, a: float, b: float) -> None:
    assert beta_quantile(probability, a, b) == pytest.approx(stats.beta.ppf(probability, a, b), abs=EXACT)


@given(st.floats(0.001, 0.999), counts, counts)
def test_a_beta_quantile_is_where_its_probability_is_reached(probability: float, a: float, b: float) -> None:
    found = beta_quantile(probability, a, b)
    assert beta_cdf(math.nextafter(found, 0) - 1e-12, a, b) <= probability + EXACT
    assert beta_cdf(math.nextafter(found, 1) + 1e-12, a, b) >= probability - EXACT


def test_beyond_the_ends_there_is_nothing() -> None:
    assert [beta_cdf(x, 2, 3) for x in (-1, 0, 1, 2)] == [0, 0, 1, 1]
    assert [beta_quantile(p, 2, 3) for p in (-0.1, 0, 1, 1.1)] == [0, 0, 1, 1]


@given(st.floats(-8, 8))
def test_the_normal_distribution_equals_scipy_s(x: float) -> None:
    assert normal_cdf(x) == pytest.approx(stats.norm.cdf(x), abs=EXACT)


@given(st.floats(1e-300, 1, exclude_max=True))
def test_a_normal_quantile_equals_scipy_s(probability: float) -> None:
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), rel=EXACT, abs=EXACT)


def test_the_normal_distribution_has_no_ends() -> None:
    assert (normal_quantile(0), normal_quantile(1)) == (-math.inf, math.inf)


@given(st.floats(0, 300), st.integers(1, 60))
def test_the_tail_of_chi_square_equals_scipy_s(x: float, degrees: int) -> None:
    assert chi_square_tail(x, degrees) == pytest.approx(stats.chi2.sf(x, degrees), abs=EXACT)


@given(st.integers(0, 3_000), st.floats(-0.1, 1.1), shares)
def test_the_binomial_distribution_equals_scipy_s(trials: int, part: float, probability: float) -> None:
    successes = round(part * trials)
    assert binomial_cdf(successes, trials, probability) == pytest.approx(stats.binom.cdf(successes, trials, probability), abs=EXACT)


@given(st.integers(0, 500), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_binomial_quantile_equals_scipy_s(trials: int, level: float, probability: float) -> None:
    ours, theirs = binomial_quantile(level, trials, probability), stats.binom.ppf(level, trials, probability)
    if ours != theirs:  # the level is reached exactly, and rounding decides
        assert abs(ours - theirs) == 1
        assert stats.binom.cdf(min(ours, theirs), trials, probability) == pytest.approx(level, abs=EXACT)


@given(st.integers(1, 2_000), shares, st.sampled_from((0.8, 0.9, 0.95, 0.99)))
def test_intervals_equal_statsmodels(trials: int, part: float, level: float) -> None:
    successes = round(part * trials)
    theirs = proportion.proportion_confint(successes, trials, 1 - level, method="wilson")
    assert wilson(successes, trials, level) == pytest.approx(theirs, abs=EXACT)
    _, highest = proportion.proportion_confint(successes, trials, 1 - level, method="beta")
    assert exact_upper(successes, trials, (1 - level) / 2) == pytest.approx(highest, abs=EXACT)


@given(st.integers(1, 300), shares)
def test_an_interval_holds_its_share_and_narrows_with_labels(trials: int, part: float) -> None:
    successes = round(part * trials)
    interval = wilson(successes, trials)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1
    assert successes / trials <= exact_upper(successes, trials, 0.05) <= 1
    assert wilson(4 * successes, 4 * trials).width < wilson(successes, trials).width


def test_of_nothing_nothing_is_known() -> None:
    assert wilson(0, 0) == (0, 1)
    assert exact_upper(0, 0, 0.1) == 1


def test_one_label_is_an_interval_too() -> None:
    assert wilson(1, 1).low == pytest.approx(1 / (1 + two_sided(0.90) ** 2))
    assert wilson(1, 1).high == exact_upper(1, 1, 0.05) == 1


@pytest.mark.parametrize("level", [0, 1, -0.5, 90])
def test_a_level_lies_between_nothing_and_certainty(level: float) -> None:
    with pytest.raises(ValueError, match="a level is between 0 and 1"):
        two_sided(level)


def test_the_exact_bound_holds_the_truth_at_least_as_often_as_it_says() -> None:
    chance = seeded(1)
    for truth in (0.03, 0.5, 0.9):
        holds = 0
        for _ in range(400):
            holds += truth <= exact_upper(sum(chance.random() < truth for _ in range(40)), 40, 0.1)
        assert holds >= 350
