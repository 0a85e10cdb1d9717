"""Agreement equals the packages made for it."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import agreement, cohen_kappa
from tests.attribution.calibration.labels import seeded
from tests.attribution.calibration.oracles import metrics, rating, stats

EXACT = 1e-9
verdicts = st.sampled_from(("right", "wrong"))
items = st.lists(st.lists(st.sampled_from(("right", "wrong", "misstated")), max_size=4), min_size=1, max_size=30)
pairs = st.lists(st.tuples(verdicts, verdicts), min_size=2, max_size=40)


@given(items)
def test_alpha_equals_the_package(rated: list[list[str]]) -> None:
    names = ["right", "wrong", "misstated"]
    counted = np.array([[its.count(name) for name in names] for its in rated])
    counted = counted[counted.sum(axis=1) > 1]
    found = agreement(rated).alpha.value
    if len(counted) and (counted.sum(axis=0) > 0).sum() > 1:
        theirs = krippendorff.alpha(value_counts=counted, value_domain=names, level_of_measurement="nominal")
        assert found == pytest.approx(theirs, abs=EXACT)
    else:
        assert found is None


@given(st.lists(st.tuples(verdicts, verdicts, verdicts), min_size=2, max_size=30))
def test_fleiss_kappa_equals_statsmodels(rated: list[tuple[str, ...]]) -> None:
    counted = np.array([[its.count("right"), its.count("wrong")] for its in rated])
    if (counted.sum(axis=0) > 0).all():
        assert agreement(rated).fleiss.value == pytest.approx(rating.fleiss_kappa(counted), abs=EXACT)
    else:
        assert agreement(rated).fleiss.value is None


@given(pairs)
def test_cohen_s_kappa_equals_scikit_learn(rated: list[tuple[str, str]]) -> None:
    found = cohen_kappa(rated).value
    if len({each for pair in rated for each in pair}) > 1:
        assert found == pytest.approx(metrics.cohen_kappa_score(*zip(*rated, strict=True)), abs=EXACT)
    else:
        assert found is None


@given(pairs)
def test_of_two_reviewers_the_rest_is_a_table_of_four(rated: list[tuple[str, str]]) -> None:
    both, neither = rated.count(("right", "right")), rated.count(("wrong", "wrong"))
    split = len(rated) - both - neither
    found = agreement(rated)
    assert found.percent.value == pytest.approx((both + neither) / len(rated), abs=EXACT)
    if both or split:
        assert found.by_verdict["right"].value == pytest.approx(2 * both / (2 * both + split), abs=EXACT)
    if neither or split:
        assert found.by_verdict["wrong"].value == pytest.approx(2 * neither / (2 * neither + split), abs=EXACT)
    share = (2 * both + split) / (2 * len(rated))
    chance = 2 * share * (1 - share)
    assert found.ac1.value == pytest.approx(((both + neither) / len(rated) - chance) / (1 - chance), abs=EXACT)


@given(pairs)
def test_intervals_are_those_of_leaving_out_each_item_in_turn(rated: list[tuple[str, str]]) -> None:
    found = agreement(rated).ac1
    without = [agreement(rated[:number] + rated[number + 1 :]).ac1.value for number in range(len(rated))]
    assert found.value is not None
    spread = math.sqrt((len(rated) - 1) * np.var(without))
    if found.interval is None:  # all say the same, and nothing is known of what others would say
        assert spread == pytest.approx(0, abs=1e-7)
        return
    assert found.interval.low == pytest.approx(max(-1, found.value - 1.6448536269514722 * spread), abs=1e-7)
    assert found.interval.low <= found.value <= found.interval.high


def test_where_nearly_all_is_right_kappa_falls_and_ac1_does_not() -> None:
    rated = [("right", "right")] * 188 + [("right", "wrong")] * 5 + [("wrong", "right")] * 5 + [("wrong", "wrong")] * 2
    found = agreement(rated)
    assert found.percent.value == pytest.approx(0.95)
    assert found.alpha.value is not None
    assert found.alpha.value < 0.3
    assert found.ac1.value is not None
    assert found.ac1.value > 0.94
    assert found.by_verdict["wrong"].value == pytest.approx(2 * 2 / (2 * 2 + 10))


@pytest.mark.parametrize("rated", [[], [["right"]], [["right"], []]])
def test_without_two_verdicts_on_an_item_nothing_is_defined(rated: list[list[str]]) -> None:
    found = agreement(rated)
    assert (found.items, found.verdicts) == (0, 0)
    assert found.percent.value is found.fleiss.value is found.alpha.value is found.ac1.value is None
    assert cohen_kappa([]).value is None


def test_where_all_say_one_thing_there_is_agreement_and_nothing_beyond_chance() -> None:
    found = agreement([("right", "right")] * 5)
    assert found.percent.value == found.ac1.value == found.by_verdict["right"].value == 1
    assert found.fleiss.value is found.alpha.value is None


def test_one_item_has_a_value_and_no_interval() -> None:
    found = agreement([("right", "wrong")])
    assert (found.percent.value, found.percent.interval) == (0, None)
    assert found.items == 1


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    chance = seeded(1)
    held = 0
    for _ in range(100):
        said = ["right" if chance.random() < 0.8 else "wrong" for _ in range(80)]
        rated = [(one, one if chance.random() < 0.9 else "wrong") for one in said]
        interval = agreement(rated).percent.interval
        held += interval is not None and interval.low <= 1 - 0.8 * 0.1 <= interval.high
    assert 80 <= held <= 98


def test_with_groups_a_group_at_a_time_is_left_out():
    groups = [("a", [("right", "right"), ("right", "wrong")]), ("b", [("wrong", "wrong")]), ("c", [("right", "right"), ("wrong", "wrong")])]
    rated = [verdicts for _, items in groups for verdicts in items]
    named = [name for name, items in groups for _ in items]
    without = [agreement([v for name, items in groups for v in items if name != left]).percent.value for left, _ in groups]

    found = agreement(rated, groups=named).percent

    spread = math.sqrt(2 / 3 * sum((each - sum(without) / 3) ** 2 for each in without))
    assert found.value == agreement(rated).percent.value
    assert found.interval.low == pytest.approx(found.value - stats.t.ppf(0.95, 2) * spread, abs=EXACT)


def test_one_group_alone_has_no_interval():
    assert agreement([("right", "right"), ("right", "wrong")], groups=["a", "a"]).percent.interval is None
    assert cohen_kappa([("right", "right"), ("right", "wrong")], groups=["a", "a"]).interval is None


def test_intervals_over_groups_hold_what_they_say_where_those_over_items_do_not():
    """Conversations of eight rows each, in some of which nearly all is disputed: three in ten of the pairs differ in all."""
    chance = seeded(7)
    held = {"over items": 0, "over groups": 0}
    for _ in range(draws := 200):
        rated, named = [], []
        for group in range(30):
            disputed = chance.betavariate(0.6, 1.4)
            for _ in range(8):
                rated.append(("right", "wrong") if chance.random() < disputed else ("right", "right"))
                named.append(group)
        for name, groups in (("over items", None), ("over groups", named)):
            interval = agreement(rated, groups=groups).percent.interval
            held[name] += interval.low <= 0.7 <= interval.high

    assert held["over items"] / draws < 0.7
    assert 0.86 <= held["over groups"] / draws <= 0.94
