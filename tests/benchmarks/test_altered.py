"""Altering: another value of the same kind in the same form, at the place of the first one and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.altered.copies import Altered, altered_copies, choices_for, turned_round, written_otherwise
from benchmarks.altered.kinds import Kind, kind_of, pools_of
from benchmarks.altered.measures import Alarm, Caught, Measured, read_figures, write_figures
from tests.benchmarks.labelled import label, turn

MANY = tuple(f"Practice {number}" for number in range(20))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, Kind.BOOLEAN),
        (4.5, Kind.NUMBER),
        ("4.5", Kind.NUMBER),
        ("2026-03-08", Kind.DATE),
        ("14:30", Kind.TIME),
        ("555-201-9911", Kind.CODE),
        ("9 Harbour Street", Kind.ADDRESS),
        ("cheap", Kind.ENUM),
        (["cheap"], None),
    ],
)
def test_a_value_has_a_kind_by_its_shape(value: Any, kind: Kind | None) -> None:
    assert kind_of(value, ("cheap", "moderate")) is kind


def test_words_are_names_where_there_are_many_of_them() -> None:
    assert kind_of("Alder House", MANY) is Kind.NAME


@pytest.mark.parametrize(
    ("kind", "written", "kept"),
    [
        (Kind.DATE, "March 9th", "March "),
        (Kind.DATE, "2026-03-09", "2026-03-"),
        (Kind.DATE, "next Tuesday", "next "),
        (Kind.TIME, "4:30 pm", ":30 pm"),
        (Kind.TIME, "half past two", "half past "),
        (Kind.MONEY, "$1,200", "$"),
        (Kind.CODE, "555-201-9911", "555-201-"),
        (Kind.NUMBER, "two", ""),
    ],
)
def test_another_value_keeps_the_form(kind: Kind, written: str, kept: str) -> None:
    for seed in range(20):
        other = written_otherwise(kind, written, (), choices_for(str(seed)))
        assert other
        assert other != written
        assert kept in other


def test_a_day_keeps_a_right_ending() -> None:
    endings = {written_otherwise(Kind.DATE, "March 9th", (), choices_for(str(seed))) for seed in range(200)}
    assert {"March 1st", "March 2nd", "March 3rd", "March 11th", "March 21st", "March 22nd"} <= endings


def test_a_form_that_is_not_known_is_left() -> None:
    assert written_otherwise(Kind.DATE, "in a while", (), choices_for("1")) is None


def test_a_name_is_written_as_the_first_one_was() -> None:
    assert written_otherwise(Kind.NAME, "Alder House", ("elm road",), choices_for("1")) == "Elm Road"
    assert written_otherwise(Kind.NAME, "alder house", ("Elm Road",), choices_for("1")) == "elm road"


@pytest.mark.parametrize(
    ("answer", "turned"),
    [
        ("Pets are allowed.", "Pets are not allowed."),
        ("Pets are not allowed.", "Pets are allowed."),
        ("Pets aren't allowed.", "Pets are allowed."),
        ("It costs $90. Yes, pets are allowed.", "It costs $90. No, pets are not allowed."),
        ("No, pets are not allowed.", "Yes, pets are allowed."),
        ("It has a garden and no pets.", "It has a garden and pets."),
        ("Nothing about it here.", None),
    ],
)
def test_the_clause_that_names_the_field_is_turned_round(answer: str, turned: str | None) -> None:
    assert turned_round(answer, "pets_allowed") == turned


def test_small_words_of_a_name_do_not_tell_the_clause() -> None:
    assert turned_round("The room is at the back and it is quiet.", "is_quiet") == "The room is at the back and it is not quiet."


def copies(**changes: Any) -> list[Altered]:
    made = turn(**changes)
    return list(altered_copies([made], pools_of([made, turn(2, context={"provider_genome": {"practice_name": "Elm Road"}})])))


def test_each_stated_value_is_altered_in_a_copy_of_its_own() -> None:
    name, fee = copies()
    assert name.turn["response"] == "Elm Road asks $85 for a first visit."
    assert (fee.kind, fee.leaf, fee.recorded) == (Kind.MONEY, "fee", 85)
    assert fee.turn["response"].startswith("Alder House Dental asks $")
    assert "$85" not in fee.turn["response"]


def test_the_copies_are_the_same_each_time() -> None:
    assert copies() == copies()


def test_a_value_that_stands_at_two_places_without_a_label_is_left() -> None:
    answer = "Alder House Dental asks $85, 85 in all."
    assert [each.leaf for each in copies(response=answer, gold=[label("fee", is_meant=True)])] == []


def test_the_table_counts_by_kind_and_per_two_hundred_turns() -> None:
    name, fee = copies()
    flagged = ({"path": "fee", "section": "provider_genome"},)
    found = ({"path": "practice_name", "section": "provider_genome"},)
    measured = Measured([Caught(name, flagged, found), Caught(fee, flagged)], [Alarm(turn(), ()), Alarm(turn(2), flagged)])
    assert measured.table["money"] == {"n": 1, "detected": 1.0, "right field": 1.0, "as found": 0.0}
    assert measured.table["enum"] == {"n": 1, "detected": 1.0, "right field": 0.0, "as found": 1.0}
    assert measured.table["false alarms"] == {"n": 1, "in 200": 100.0}


def test_the_halves_are_those_of_the_services() -> None:
    alarms = [Alarm(turn(number, source=f"made/up/{name}"), ()) for number, name in enumerate(("A", "B", "C"))]
    measured = Measured([], alarms)
    assert [alarm.service for alarm in measured.half(is_held_out=False).alarms] == ["A", "C"]
    assert [alarm.service for alarm in measured.half(is_held_out=True).alarms] == ["B"]


def test_figures_are_kept_by_file(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    assert read_figures(path) == {}
    write_figures({"made": {"date": {"n": 3, "detected": 2 / 3}}}, path)
    assert read_figures(path) == {"made": {"date": {"n": 3, "detected": 0.6667}}}
