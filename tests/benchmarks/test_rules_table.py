"""The table beside the profile, and the scores that measured precision gives."""

from __future__ import annotations

import re

import pytest

from attribution import DEFAULT_PROFILE
from benchmarks.accuracy import rules
from benchmarks.accuracy.rules import default_scores, differences, document, score_of, together
from benchmarks.accuracy.tally import Tally

ROWS = [line.strip("| ").split(" | ") for line in rules.TABLE.read_text(encoding="utf-8").splitlines() if re.match(r"\| \w+[. ]\w+ ", line)]


def test_the_table_names_the_rules_of_the_profile_and_no_others() -> None:
    assert [row[0] for row in ROWS] == list(default_scores(DEFAULT_PROFILE)), "run make rules"


def test_the_table_has_the_default_scores_of_the_profile() -> None:
    assert {row[0]: float(row[-2]) for row in ROWS} == pytest.approx(default_scores(DEFAULT_PROFILE), abs=0.005), "run make rules"


@pytest.mark.parametrize(
    ("right", "rows", "score"),
    [(93, 100, 0.95), (92, 100, 0.90), (100, 100, 0.95), (1, 40, 0.0), (50, 100, 0.5), (19, 19, None), (20, 20, 0.95)],
)
def test_a_score_is_the_precision_to_a_twentieth_and_below_one(right: int, rows: int, score: float | None) -> None:
    assert score_of(Tally(rows, right)) == score


def test_files_are_added_up() -> None:
    assert together([{"date.weekday": Tally(3, 2)}, {"date.weekday": Tally(4, 4)}, {}]) == {"date.weekday": Tally(7, 6)}


def test_a_default_score_that_is_not_the_measured_one_is_named() -> None:
    score = DEFAULT_PROFILE.scores["numeric", "with_unit"]
    assert score == 0.95
    tallies = {"numeric.with_unit": Tally(100, 70), "numeric.in_words": Tally(5, 0), "numeric.whole_number": Tally(100, 96)}
    assert list(differences(DEFAULT_PROFILE, tallies)) == ["numeric.with_unit: 0.95 by default, 0.70 measured (70 of 100 right)"]


def test_ambiguous_evidence_of_all_rules_is_one_line() -> None:
    tallies = {"enum.whole_word (ambiguous)": Tally(20, 18, 10.0), "field_value.inflected (ambiguous)": Tally(20, 18, 10.0)}
    lines = list(document(DEFAULT_PROFILE, {"made_up": tallies}, []))
    assert next(line for line in lines if line.startswith("| ambiguous")).startswith(
        "| ambiguous evidence | 36 of 40 | 40 | 36 | 4 | 0.900 |"
    )
    assert "- enum.whole_word: 18 of 20 right, mean score 0.50" in lines
