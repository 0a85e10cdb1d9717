"""The benchmark of calibration: labelled fields as observations, draws, and what a fit brings on the turns that are left."""

from __future__ import annotations

import pytest

from attribution.calibration import Calibration, Forecast, Observation, fit
from benchmarks.calibration.labelled import drawn, observations_of, observe, others
from benchmarks.calibration.measures import bars, draw, examined, figures, figures_of, ranking
from tests.attribution.calibration.labels import labels
from tests.benchmarks.labelled import row, turn, verdicts


def test_a_labelled_field_is_observed_with_what_the_engine_says_of_it() -> None:
    fee, *_ = [each for each in verdicts(row("fee", 0.9, rule="amount", ambiguous=True)) if each.path == "fee"]
    found = observe(7, fee)
    assert (found.id, found.path, found.is_used, found.message) == ("7", "fee", True, "turn-1")
    assert found.conversation == "turn-1"


def test_a_turn_is_observed_through_the_engine() -> None:
    found = {each.path: each for each in observations_of([turn(conversation_id="talk-1")])}
    assert found.keys() == {"practice_name", "fee", "city"}
    assert found["fee"].claims
    assert found["fee"].score == 0.95
    assert found["fee"].is_used
    assert not found["city"].claims
    assert not found["city"].is_used
    assert found["city"].conversation == "talk-1"


def test_what_is_drawn_is_tested_on_other_turns_and_the_same_each_time() -> None:
    known = labels(400)
    sample, rest = drawn(known, 50, "1")
    assert len(sample) == 50
    assert {each.message for each in sample}.isdisjoint(each.message for each in rest)
    assert drawn(known, 50, "1")[0] == sample != drawn(known, 50, "2")[0]
    assert others(known, []) == known


def test_few_labels_change_nothing_and_many_are_worth_something() -> None:
    known = labels(1_500)
    few, many = draw(known, 50, "a"), draw(known, 500, "a")
    assert few.brier[0] == few.brier[1]
    assert many.brier[1] < many.brier[0]
    assert many.log_loss[1] < many.log_loss[0]
    line = figures([many, many])
    assert line["worst"] == pytest.approx(many.brier[1] - many.brier[0])
    assert line["rows"] == many.rows < 1_000


def test_ranking_is_told_in_words() -> None:
    nothing: list[Observation] = []
    assert ranking([Forecast(0.9, is_true=True)] * 3) == "labels of one kind: nothing to rank"
    assert ranking([Forecast(0.9, is_true=True), Forecast(0.2, is_true=False)]).startswith("AUROC 1.000 (")
    assert drawn(nothing, 0, "1") == ([], [])


def test_bars_say_how_many_draws_reach_them() -> None:
    known = labels(1_500)
    sample, rest = drawn(known, 500, "a")
    fitted = examined(500, fit(sample).table, {"cox": {"verdict": "rejected"}}, rest, 1)
    stayed = examined(500, Calibration({}), {}, rest, 2)
    said = {words.rpartition(": ")[0].strip(): words.rpartition(": ")[2] for words in bars(500, [fitted, stayed])}
    assert said["500 labels: a profile is proposed, elsewhere scores stay"] == "1 of 2"
    assert said["500 labels: no worse than the scores by more than 0.002 Brier"] == "2 of 2"
    assert said["500 labels: better than the scores by Brier and log loss"] == "1 of 2"
    assert said["500 labels: not rejected by Cox in its own record"] == "1 of 2"
    assert list(bars(500, [])) == []
    assert figures_of([fitted, stayed])["labels"] == 500
