"""Numbers in words against their figures; any heap of such words is read without an error."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import attribute
from attribution.answer import Answer
from attribution.figures.numbers import number_in_words
from attribution.lexicon.words import NUMBER_WORDS, TENS
from attribution.mentions.measures import measured_by

_UNITS = [word for word, number in NUMBER_WORDS.items() if 0 < number < 10]
_HEAP = (
    *("one", "two", "twenty", "thirty", "half", "a", "an", "and", "the", "of", "in", "at", "to", "from", "past", "quarter", "o'clock"),
    *("am", "p.m.", "noon", "midday", "morning", "night", "first", "eighth", "march", "may", "2026", "dozen", "hundred", "thousand"),
    *("point", "dollars", "cents", "percent", "per", "week", "weeks", "hours", "minutes", "every", "twice", "times", "weekly", "ago"),
    *("tomorrow", "today", "day", "after", "next", "this", "friday", "monday", "2", "30", "14.30", "1,200", "$5", "8.3.2026", "10-15k"),
    *("3rd", "no", "not", "dr", "jones", "oak", "st", "#", "-", ",", ".", "\n", "for", "you", "risk", "low"),
)
_CONTEXT = {
    "record": {
        "appointment_date": "2026-03-08",
        "day": "March 8th",
        "appointment_time": "14:30",
        "opening_hours": "14:00-16:00",
        "price": 5,
        "range": "$10,000-$15,000",
        "session_minutes": 90,
        "length": "1.5 hours",
        "rhythm": "weekly",
        "floor": 3,
        "share": 0.3,
        "guests": 2,
        "provider_name": "Dr. Maria T. Jones",
        "address": "2 Oak Street, Apt 30",
        "risk_level": "low",
        "difference": -2,
    }
}


def _in_words(number: int) -> str:
    """A whole number below a million as it is said."""
    if number >= 1_000:
        thousands, rest = divmod(number, 1_000)
        return f"{_in_words(thousands)} thousand" + (f" {_in_words(rest)}" if rest else "")
    if number >= 100:
        hundreds, rest = divmod(number, 100)
        return f"{_in_words(hundreds)} hundred" + (f" and {_in_words(rest)}" if rest else "")
    names = {each: word for word, each in NUMBER_WORDS.items()}
    return names[number] if number in names else f"{names[number - number % 10]} {names[number % 10]}"


@given(st.integers(1, 999_999))
def test_a_number_is_read_from_its_words(number: int) -> None:
    words = _in_words(number).split()
    assert number_in_words(words, 0) == (str(number), len(words))


@given(st.sampled_from(sorted(TENS)), st.sampled_from(_UNITS))
def test_a_unit_belongs_to_the_ten_before_it(ten: str, unit: str) -> None:
    answer = Answer(f"there are {ten}-{unit} of them")
    assert list(answer.number_words) == [str(TENS[ten] + NUMBER_WORDS[unit])]


@given(st.integers(1, 600), st.sampled_from([("minutes", 1), ("hours", 60), ("days", 1_440), ("weeks", 10_080)]))
def test_a_quantity_is_the_same_in_every_unit(number: int, unit: tuple[str, int]) -> None:
    name, factor = unit
    assert measured_by(f"{number} {name}") == ("time", Fraction(number * factor))


@pytest.mark.parametrize("value", ["an hour", "six weeks and a day off", "", "hours", "2 hours 3 hours", "a week ago"])
def test_what_is_no_single_quantity_is_none(value: str) -> None:
    assert (measured_by(value) is None) is (value != "an hour")


@given(st.lists(st.sampled_from(_HEAP), max_size=40), st.sampled_from([None, date(2026, 3, 4), date.min, date.max]))
def test_any_heap_of_such_words_is_read(heap: list[str], day: date | None) -> None:
    text = " ".join(heap)
    result = attribute(response=text, context=_CONTEXT, answered_on=day)
    spans = [span for row in result.fields for span in row.spans]
    assert all(0 <= start < end <= len(result.clean_text) for start, end in spans)
    assert all(row.trace for row in result.used)
    assert result == attribute(response=text, context=_CONTEXT, answered_on=day)


@given(st.lists(st.sampled_from(_HEAP), max_size=12))
def test_any_heap_of_such_words_may_be_a_value(heap: list[str]) -> None:
    value = " ".join(heap)
    for leaf in ("field", "appointment_date", "price", "provider_name", "license_number", "risk_level"):
        attribute(response=f"It is {value} or so, twice a week.", context={"record": {leaf: value}}, answered_on=date(2026, 3, 4))
