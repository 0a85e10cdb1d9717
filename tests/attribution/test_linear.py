"""Twice the input is at most 2.3 times the work, counted in calls and not by a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from attribution import Stripper, attribute
from attribution.codec import read_json
from tests.sampling import sampled

LENGTH = 4_000
MOST = 2.3
CONTEXT: dict[str, Any] = {
    "safety": {"risk_level": "low", "flags": ["a", "b c"], "assessment_summary": "word " * 30, "is_ok": True, "n": 3, "fit_score": 0.85},
    "patient_context": {
        "appointment": "2026-03-08T14:00",
        "budget_range": "$81-$110",
        "provider_name": "Dr. A Beck",
        "phone": "5107970142",
    },
    "plan": {
        "times_per_day": 2,
        "stops": 0,
        "balance": 2384.16,
        "caregiver": "Teresa Nunez",
        "open_sunday": False,
        "frequency": "twice daily",
    },
    "client_signal": {"suggested_questions": ["Is the word risky?"], "length": "23 weeks", "appointment_date": "2026-03-09"},
}

ANSWERS = (
    *(
        "[[SF:",
        "[",
        "[[",
        "]]",
        "[[SF:risk_level]]",
        "low [[SF:risk_level]] ",
        "x [[SF:foo]] ",
        "[[SF:a[[SF:b]]]]",
        "[[SF:risk level",
        "(SF:",
    ),
    *(
        "［［ＳＦ：",
        "[[ЅF:risk_level]]",
        "&#91;",
        "\\[",
        "%5b",
        "1",
        "1,",
        "111,",
        "1.",
        "1 ",
        "85% ",
        "$81 ",
        "$81-$110 ",
        "510-797-",
        "+1 5",
    ),
    *("low ", "risk ", "risk is low ", "not low risk, ", "risk: low\n", "ok ", "not ok ", "ok: no ", "ok? No. ", "if ok ", "is ok and "),
    *(
        "march 8th ",
        "3/8 ",
        "sunday, march 9th ",
        "sunday ",
        "2 pm ",
        "noon ",
        "day after tomorrow ",
        "twenty three weeks ",
        "one hundred ",
    ),
    *(
        "twice a day ",
        "3 times a day ",
        "no ",
        "nonstop ",
        "balance is $7 ",
        "Teresa ",
        "Teresa Alvarez ",
        "but not open sunday ",
        "closed sunday ",
    ),
    *(
        ".",
        "a. ",
        "? ",
        "risk? ",
        "is the word risky? ",
        "\n",
        "# safety\n",
        "**safety**\nlow\n",
        "Safety:\nlow ",
        '"',
        '"a" ',
        "“a” ",
        "`",
        "` `` ``` ",
    ),
    *("```\n", "> a\n", "<a ", "é\u200b", "\u200b", "\u0301", "x", "word ", "b b c c ", "b", "dr. a beck, dr. beck ", "\ud800", "🙂 "),
)


def work(action: Callable[[], object]) -> int:
    """How many functions an action calls, Python's own included."""
    count = 0

    def observe(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(observe)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def growth(action: Callable[[int], object], size: int) -> float:
    """The work for twice the size by the work for the size, caches filled."""
    action(size * 2)
    return work(lambda: action(size * 2)) / work(lambda: action(size))


@pytest.mark.parametrize("unit", sampled(ANSWERS, more=8))
def test_the_work_grows_with_the_answer(unit: str) -> None:
    assert growth(lambda size: attribute(response=unit * (size // len(unit)), context=CONTEXT, user_text="[[CS:x]]"), LENGTH) <= MOST


@pytest.mark.parametrize("unit", ["a [[SF:risk_level]] ", "[[SF:risk_lev", "[", " [[SF:", "x"])
def test_the_work_of_stripping_grows_with_the_answer(unit: str) -> None:
    def stream(size: int) -> None:
        stripper = Stripper()
        for character in unit * (size // len(unit)):
            stripper.feed(character)

    assert growth(stream, LENGTH) <= MOST


ANSWER = (
    "Your risk is low, alpha beta gamma delta. Dr. Beck is not accepting new clients; the fit is 85% or 14. Is alpha beta your gamma? "
    "Sunday, March 8th at 2 pm, six weeks, $81 to $110, 510-797-0142. Tuesday the alpha low 3/8 5/4 6/7 "
) * 4

FIELDS: dict[str, Callable[[int], dict[str, Any]]] = {
    "equal words": lambda _: {"risk_level": "low"},
    "contradicted values": lambda number: {"risk_level": ("elevated", "low")[number % 2], "fit_score": 0.75, "accepting_new": True},
    "phrases": lambda number: {"topic": f"alpha beta {number % 7}"},
    "yes or no": lambda _: {"alpha_is_ok": True, "accepting_new": False},
    "numbers": lambda number: {"score": number % 100, "fit_score": (number % 100) / 100},
    "dates": lambda number: {"date": f"2026-03-{number % 28 + 1:02}", "due": "2026-03-10"},
    "times": lambda number: {"time": f"{number % 24:02}:00"},
    "lists": lambda _: {"list": ["alpha beta", "gamma", 14, "2 pm"]},
    "long texts": lambda number: {"text": f"alpha beta gamma delta epsilon zeta eta theta iota {number}"},
    "notes": lambda number: {"note": f"Alpha on the {number} beta. Low is my gamma! A walk by the sea, and no fits since."},
    "lists of notes": lambda number: {"notes": [f"Alpha and beta came late on day {number}.", "Close to the risk of low gamma."]},
    "names": lambda number: {"name": f"Dr. Beck {number % 9}"},
    "questions": lambda _: {"suggested_questions": ["Is alpha your beta gamma?", "What?"]},
    "amounts": lambda number: {"fee": f"${number % 99}-$110"},
    "codes": lambda number: {"phone": f"+1 510 797 {number % 9:04}"},
    "objects in objects": lambda _: {"b": {"c": {"d": {"e": "low"}}}},
    "nothing": lambda _: {"none": None, "empty": [], "object": {}},
    "names of their own": lambda number: {f"alpha_beta_low_{number}_" * 9: "low"},
}


@pytest.mark.parametrize("kind", sampled(FIELDS, more=3))
def test_the_work_grows_with_the_context(kind: str) -> None:
    def run(size: int) -> None:
        attribute(response=ANSWER, context={"safety": {f"n{number}": FIELDS[kind](number) for number in range(size)}})

    assert growth(run, 300) <= MOST


def test_the_work_grows_with_a_text_of_many_sentences() -> None:
    def run(size: int) -> None:
        attribute(
            response=ANSWER,
            context={"safety": {"note": "Alpha is near the beta. It was low, at risk of gamma. " * size}},
            user_text="alpha?",
        )

    assert growth(run, 150) <= MOST


def test_the_work_grows_with_the_answer_beside_many_notes() -> None:
    notes = {f"n{number}": f"Alpha on the {number} beta. Low is my gamma, a walk by the sea!" for number in range(40)}

    def run(size: int) -> None:
        attribute(response="Alpha walks to the beta. Gamma is low by the sea. " * size, context={"safety": notes}, user_text="the sea?")

    assert growth(run, 60) <= MOST


def test_the_work_grows_with_the_elements_of_a_list() -> None:
    assert growth(lambda size: attribute(response=ANSWER, context={"safety": {"list": ["alpha beta", "low"] * size}}), 300) <= MOST


def test_the_work_grows_with_fields_and_markers_together() -> None:
    def run(size: int) -> None:
        alternatives = [{"fee": number, "name": "Beck"} for number in range(size)]
        answer = " ".join(f"It is {number} [[TF:alternatives.{number}.fee]]." for number in range(size))
        attribute(response=answer, context={"therapeutic_fit": {"alternatives": alternatives}})

    assert growth(run, 150) <= MOST


def test_the_work_grows_with_the_text_that_may_be_echoed() -> None:
    def run(size: int) -> None:
        others = [["[[SF:risk_level]]", {"a": "[[SF:x]]"}]] * size
        attribute(response="It is low [[SF:risk_level]].", context={"safety": {"notes": others}}, documents=others)

    assert growth(run, 300) <= MOST


@pytest.mark.parametrize("unit", ["[]", '""', '"\\"', "{", "\\"])
def test_the_work_of_reading_json_grows_with_its_length(unit: str) -> None:
    def run(size: int) -> None:
        with pytest.raises(ValueError, match=r"nested|not JSON"):
            read_json(b"[" * 70 + unit.encode() * size)

    assert growth(run, 2_000) <= MOST


def test_the_work_of_names_grows_with_their_sentence_beside_many_fields() -> None:
    """What a sentence shows was counted anew for each name and field: 400 fields beside one sentence of 10 kB took 17 seconds."""
    fields = {f"geriatric_medicine_price_level_{number}": f"Pay{number}" for number in range(100)}

    def run(size: int) -> None:
        attribute(response="x Mary Zorro has x " * 33 + "x " * size, context={"safety": fields})

    assert growth(run, 1_000) <= 1.3
