"""The engine's verdicts beside the labels, and the figures that follow."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmarks.accuracy.agreement import agreement, by_half, development_services, gap, kinds_of
from benchmarks.accuracy.errors import OURS, THEIRS, lines_of_errors, marked, spread
from benchmarks.accuracy.front_door import attribute_and_score
from benchmarks.accuracy.tally import Tally, tally_rules
from benchmarks.accuracy.verdicts import judge, value_at
from tests.benchmarks.labelled import label, row, turn, verdicts


def test_a_field_of_which_the_label_is_unsure_is_left_out() -> None:
    assert [each.path for each in verdicts()] == ["practice_name", "fee", "city"]


def test_a_verdict_is_right_where_claim_and_label_agree() -> None:
    found = verdicts(row("practice_name"), row("city"))
    assert [(each.path, each.is_claimed, each.is_right) for each in found] == [
        ("practice_name", True, True),
        ("fee", False, False),
        ("city", True, False),
    ]
    assert agreement(found).figures == {"P": 0.5, "R": 0.5, "F1": 0.5, "missed": 1, "wrong": 1}


def test_a_row_below_a_label_counts_for_it_and_the_surest_row_speaks() -> None:
    found = verdicts(row("fee.0", 0.5), row("fee.1", 0.9), row("elsewhere"))
    assert {each.path: each.confidence for each in found} == {"practice_name": 0, "fee": 0.9, "city": 0}


def test_places_are_compared_where_both_have_some() -> None:
    name, fee, _ = verdicts(row("practice_name", spans=[[0, 9]]), row("fee", spans=[[24, 27]]))
    assert name.overlap == 0.5
    assert fee.overlap is None


def test_a_value_is_found_by_its_path() -> None:
    context = {"safety": {"plans": [{"name": "night"}, {"name": "day"}]}}
    assert value_at(context, "safety", "plans.1.name") == "day"
    assert value_at(context, "safety", "plans.2.name") is None
    assert value_at(context, "fit", "score") is None


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        (True, ["bool"]),
        (3, ["number"]),
        (0.5, ["number"]),
        ("Norwich", ["short string"]),
        ("14:00", ["short string", "date or time"]),
        ("a house by the old mill", ["long string"]),
        (["a"], ["list"]),
        (None, ["other"]),
    ],
)
def test_kinds_of_values_are_those_of_the_scorer(value: object, kinds: list[str]) -> None:
    assert kinds_of(value) == kinds


def test_ambiguous_evidence_is_tallied_apart_from_its_rule() -> None:
    tallies = tally_rules(verdicts(row("practice_name"), row("city"), row("fee", 0.5, ambiguous=True)))
    assert {rule: (each.right, each.rows) for rule, each in tallies.items()} == {
        "field_value.whole_phrase": (1, 2),
        "field_value.whole_phrase (ambiguous)": (1, 1),
    }


def test_the_interval_is_wilsons() -> None:
    assert Tally(10, 9).interval == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert Tally().interval == (0, 1)


def test_every_second_service_is_held_out() -> None:
    turns = [turn(number, source=f"made/{service}") for number, service in enumerate(["Cars", "Baths", "Doctors", "Apples"])]
    found = judge(turns, {"turn-3": {"fields": [row("practice_name"), row("fee")]}})
    assert development_services(found) == {"Apples", "Cars"}
    assert gap(by_half(found)) == pytest.approx(2 / 3)


def test_twenty_errors_alike_do_not_hide_another() -> None:
    found = judge([turn(1), turn(2)], {})
    missed = [each for each in found if not each.is_right]
    assert [(each.turn["id"], each.path) for each in spread(missed)] == [
        ("turn-1", "practice_name"),
        ("turn-1", "fee"),
        ("turn-2", "practice_name"),
        ("turn-2", "fee"),
    ]


def test_errors_are_shown_with_their_text() -> None:
    shown = "\n".join(lines_of_errors(verdicts(row("practice_name", spans=[[0, 5]]), row("city", spans=[[19, 23]])), most=5))
    assert 'provider_genome.city = "Norwich"' in shown
    assert "answer: Alder House Dental [asks] $85" in shown
    assert "field_value.whole_phrase 0.95: seen" in shown
    assert "Meant, but not found (contradicted ones and verbatim ones first): 1\n" in shown
    assert "answer: «[Alder] House Dental» asks" in shown or "answer: [«Alder] House Dental» asks" in shown


def test_brackets_stand_inside_each_other() -> None:
    assert marked("a low risk", [((2, 5), OURS), ((2, 5), THEIRS), ((6, 10), OURS)]) == "a [«low»] [risk]"


def test_figures_are_those_that_a_scorer_counts() -> None:
    """Counted here as the scorers of labelled turns do: a field is claimed from a confidence above nothing on."""
    turns = [turn(1), turn(2, response="It is in Norwich, at Alder House Dental."), turn(3, response="Who is near? Nobody asks $85.")]
    predictions, _ = attribute_and_score(turns, None)
    labelled = [
        (each["id"], label["path"], label["referenced"]) for each in turns for label in each["gold"] if label["referenced"] is not None
    ]
    claimed = {(name, row["path"]) for name, each in predictions.items() for row in each["fields"] if row.get("confidence", 0) > 0}
    both = sum(is_meant and (name, path) in claimed for name, path, is_meant in labelled)
    either = sum(is_meant for *_, is_meant in labelled) + sum((name, path) in claimed for name, path, _ in labelled)
    assert agreement(judge(turns, predictions)).f1 == pytest.approx(2 * both / either)


def test_the_command_line_is_what_is_measured() -> None:
    """The rows of a verdict are those that a user gets."""
    written = subprocess.run(
        [sys.executable, "-m", "attribution"], input=json.dumps(turn()).encode(), capture_output=True, check=True
    ).stdout
    rows = {each["path"]: each for each in json.loads(written)["fields"]}
    predictions, scored = attribute_and_score([turn(gold=[label("fee", is_meant=True)])], None)
    assert judge([turn()], predictions)[1].row == rows["fee"]
    assert not scored.printed
