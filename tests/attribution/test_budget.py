"""However much is in a turn, only so much of it is read, in counted steps and always the same. What is left out is said."""

from __future__ import annotations

from typing import Any

import pytest

from attribution import (
    DEFAULT_PROFILE,
    FieldType,
    GuardrailCode,
    IssueCode,
    QuotePolicy,
    attribute,
    attribute_documents,
    canonical_bytes,
    context_values,
    encode,
)
from attribution.budget import MOST_ANSWER, MOST_CHECKED, MOST_FIELDS, MOST_POINTERS, MOST_SOURCES, MOST_STEPS, Budget, part_read
from attribution.documents.checks import Checker
from attribution.markers import parse_markers
from attribution.rows import rows_of
from attribution.schema.context import walk
from tests.attribution.growth import cpu_seconds
from tests.attribution.test_linear import ANSWER, ANSWERS, CONTEXT, FIELDS, growth
from tests.sampling import sampled

MOST_SECONDS = 6.0
"""No turn is to take more than two; a slow machine may take three times as long."""
MOST_TAKEN = 3 * MOST_STEPS
"""Places that were found while there were steps left are looked at twice more: for what is said of them, and for other values."""


def steps_of(answer: str, context: dict[str, Any]) -> int:
    fields, _ = walk(context, DEFAULT_PROFILE.registry, frozenset(), DEFAULT_PROFILE.thresholds.summary_length)
    parsed = parse_markers(part_read(answer), fields, DEFAULT_PROFILE.registry, frozenset())
    rows_of(fields, parsed, DEFAULT_PROFILE)
    return parsed.answer.steps


def partly(answer: str, context: dict[str, Any]) -> list[str]:
    findings = attribute(response=answer, context=context).guardrails
    return [each.message for each in findings if each.code is GuardrailCode.READ_IN_PART]


def test_an_ordinary_turn_is_read_as_a_whole() -> None:
    assert partly(ANSWER, CONTEXT) == []
    assert steps_of(ANSWER, CONTEXT) < MOST_STEPS / 20


@pytest.mark.parametrize("kind", sampled(FIELDS, more=3))
def test_comparing_many_fields_takes_so_many_steps_at_most(kind: str) -> None:
    context = {"safety": {f"n{number}": FIELDS[kind](number) for number in range(3_000)}}
    assert steps_of(ANSWER * 10, context) <= MOST_TAKEN


@pytest.mark.parametrize("kind", ["contradicted values", "dates", "lists", "numbers", "phrases", "notes"])
def test_twice_the_fields_are_twice_the_steps(kind: str) -> None:
    once, twice = (steps_of(ANSWER, {"safety": {f"n{number}": FIELDS[kind](number) for number in range(size)}}) for size in (100, 200))
    assert twice / once <= 2.3


def test_the_end_of_a_very_long_answer_is_shown_and_not_read() -> None:
    answer = "Your risk is low. " * 10_000 + "[[SF:risk_level]]"
    attribution = attribute(response=answer, context=CONTEXT)
    assert attribution.clean_text == answer
    assert all(end <= MOST_ANSWER for row in attribution.fields if row.evidence for _, end in row.evidence.spans)
    what = "it has 180,017 characters, of which the first 99,999 are examined"
    assert partly(answer, CONTEXT) == [f"this answer was read in part: {what}. What was not read is not in the table"]


def test_a_marker_is_not_cut_in_two() -> None:
    answer = "x" * (MOST_ANSWER - 8) + "[[SF:risk_level]] and so on"
    assert part_read(answer) == "x" * (MOST_ANSWER - 8)
    assert attribute(response=answer, context=CONTEXT).markers == ()


def test_the_first_fields_of_a_very_large_context_are_in_the_table() -> None:
    attribution = attribute(response="a", context={"safety": dict.fromkeys(map(str, range(20_000)), "b")})
    assert len(attribution.fields) == MOST_FIELDS
    assert [each.code for each in attribution.guardrails] == [GuardrailCode.READ_IN_PART]


def test_deep_and_long_paths_take_no_more_room_than_what_was_sent() -> None:
    deep: dict[str, Any] = {f"leaf{number}": number for number in range(3_000)}
    for number in range(60):
        deep = {f"{number}" * 500: deep}
    assert len(canonical_bytes(encode(attribute(response="a", context={"safety": deep})))) < 2_000_000


def test_what_was_read_in_part_is_the_same_at_each_run() -> None:
    context = {"safety": {f"n{number}": FIELDS["contradicted values"](number) for number in range(2_000)}}
    first, second = (canonical_bytes(encode(attribute(response=ANSWER * 10, context=context))) for _ in range(2))
    assert first == second
    assert partly(ANSWER * 10, context)


def test_a_budget_grants_all_that_is_asked_for_or_nothing() -> None:
    budget = Budget(10)
    assert [budget.take(6), budget.take(6), budget.take(4)] == [True, False, True]
    assert (budget.left, budget.refused) == (0, 1)


BODY = " ".join(f"word{number % 977} not {number % 31} staff open" for number in range(45_000))[:900_000]
CITING: dict[str, dict[str, Any]] = {
    "documents": {"response": "a [1].", "documents": ["a"] * 250_000},
    "marks": {"response": "staff is open [1]. " * 50_000, "documents": ["Staff is open."]},
    "ranges": {"response": "[1-200] " * 12_000, "documents": ["Staff is open."] * 300},
    "digits": {"response": "At 3 [1]. " * 5_000, "documents": ["1 " * 450_000]},
    "quotes": {
        "response": "staff open [1].",
        "documents": [{"id": "d", "text": BODY[:400_000]}],
        "citations": [{"id": "d", "quote": BODY[place * 40 : place * 40 + 50] + " x"} for place in range(8_000)],
    },
    "claims": {
        "response": BODY[:95_000],
        "documents": [{"id": "d", "text": BODY[:300_000]}],
        "citations": [{"id": "d", "answer_span": [0, 90_000 - place]} for place in range(10_000)],
    },
}


@pytest.mark.parametrize("name", CITING)
def test_what_is_too_much_to_check_is_not_checked_and_it_is_said(name: str) -> None:
    attribution = attribute_documents(**CITING[name])
    assert IssueCode.READ_IN_PART in {issue.code for issue in attribution.issues}
    assert len(attribution.sources) <= MOST_SOURCES
    assert sum(len(each.targets) for each in attribution.references) <= MOST_POINTERS + len(CITING[name].get("citations", ()))


def test_checking_takes_so_many_steps_at_most() -> None:
    attribution = attribute_documents(response="staff open at word3 [1]. " * 500, documents=[BODY[:200_000]])
    checker = Checker(attribution.sources, attribution.clean_text, "", QuotePolicy.OPTIONAL)
    checker.check(attribution.references)
    assert 0 <= checker.budget.left < MOST_CHECKED


@pytest.mark.parametrize("name", CITING)
def test_a_megabyte_of_citations_is_read_in_time(name: str) -> None:
    assert cpu_seconds(lambda: attribute_documents(**CITING[name]), enough=MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize("unit", sampled(ANSWERS[::6], more=4))
def test_a_megabyte_of_answer_is_read_in_time(unit: str) -> None:
    answer = unit * (1_000_000 // len(unit))
    assert cpu_seconds(lambda: attribute(response=answer, context=CONTEXT), enough=MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", ANSWERS)
@pytest.mark.parametrize("size", [10_000, 100_000, 1_000_000])
def test_any_shape_of_answer_is_read_in_time(unit: str, size: int) -> None:
    assert cpu_seconds(lambda: attribute(response=unit * (size // len(unit)), context=CONTEXT), enough=MOST_SECONDS) <= MOST_SECONDS


BLANK: dict[str, str] = {
    "behind an entry": "Staff is open [1].\n[1] a" + " " * 90_000 + "b",
    "behind a heading": "Staff is open [1].\nSources" + " " * 90_000 + "b",
}


@pytest.mark.parametrize("name", BLANK)
def test_a_line_of_blanks_in_a_list_of_sources_is_read_in_time(name: str) -> None:
    assert cpu_seconds(lambda: attribute_documents(response=BLANK[name], documents=["Staff is open."]), enough=MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize(
    "context",
    [
        {"s": {"k" * 500_000: {format(number, "x"): 0 for number in range(5_000)}}},
        {"s" * 100_000: {format(number, "x"): 0 for number in range(5_000)}},
        {"s": {"k" * 1_500: {"k" * 1_500: {format(number, "x"): 0 for number in range(5_000)}}}},
    ],
    ids=["a long key", "a long section", "long keys in each other"],
)
def test_a_long_name_is_not_repeated_in_each_field_below_it(context):
    assert len(canonical_bytes(encode(attribute(response="hello", context=context)))) < 4_000_000
    assert sum(len(path) for _, path in context_values(context, only_read=True)) < 20_000_000


def test_a_long_identifier_of_a_tool_call_is_not_repeated_in_each_result():
    call = {"name": "web_search", "id": "I" * 100_000, "output": {"results": [{"title": "t"}] * 1_000}}
    found = attribute_documents(response="a", documents=[], tool_calls=[call])

    assert len(repr(found)) < 3_000_000


@pytest.mark.parametrize("value", ["ab-cd " * 4_000, "Dr. A B " * 3_000, "a-b & c and d, " * 1_600], ids=["pairs", "titles", "both"])
@pytest.mark.parametrize("name", ["risk_level", "phone", "provider_name", "fee_range"])
def test_a_long_text_under_the_name_of_a_short_one_is_a_long_text(name, value):
    fields, _ = walk({"safety": {name: value}}, DEFAULT_PROFILE.registry, frozenset(), DEFAULT_PROFILE.thresholds.summary_length)
    assert [field.type for field in fields] == [FieldType.SUMMARY]

    def run(size: int) -> None:
        attribute(response=ANSWER, context={"safety": {name: value[: 100 * size]}})

    assert growth(run, 60) <= 2.3


LONG_WORDS = " ".join(f"abc{number:05b}{number:05d}".translate(str.maketrans("0123456789", "bcdfghjklm")) for number in range(7_000))
UNSAID: dict[str, tuple[str, str]] = {
    "codes that nothing names": ("Take A-2 now. " * 7_000, "A-1"),
    "codes beside a label": ("copay A-2 copay A-3 " * 5_000, "A-1"),
    "words that look alike": (LONG_WORDS, "abczzzzzzzzzz"),
    "figures of another language": ("三月四日20元" * 14_000, "$20"),
    "shares of another language": ("您的预约已经确认" * 300 + "1%" * 32_000 + "%" * 32_000, "$20"),
    "words of another language": ("您的预约已经确认" * 30 + "手语" * 47_000, "American Sign Language"),
    "words of another language in lines": ("هذا هو الموعد الخاص بك. " * 20 + "القلق\n" * 15_000, "anxiety"),
}


@pytest.mark.parametrize("name", UNSAID)
def test_many_fields_whose_value_is_not_said_are_read_in_time(name):
    answer, value = UNSAID[name]
    context = {"safety": {f"copay_{number}": value for number in range(4_000)}}
    assert cpu_seconds(lambda: attribute(response=answer, context=context), enough=MOST_SECONDS) <= MOST_SECONDS


def test_a_code_is_looked_for_once_however_many_fields_have_one_of_its_form():
    fewer, more = (steps_of("Take A-2 now. " * 100, {"safety": {f"copay_{number}": "A1" for number in range(size)}}) for size in (1, 2))
    assert more - fewer < len("Take A-2 now. " * 100) // 100
