"""Durations: a number, in figures or words, with the same unit."""

from __future__ import annotations

import re
from typing import Any

from attribution.answer import Answer
from attribution.figures import canonical_number
from attribution.lexicon import NUMBER_WORDS
from attribution.matchers.base import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.text import stem, words_of

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_UNITS = {"min": "minute", "hr": "hour"}


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The number directly before its unit."""
    amount, unit = _read(str(value))
    if not amount:
        return None
    spans = [span for span in _number_spans(amount, answer) if _unit_after(span, answer) == unit]
    if not spans:
        return None
    whole = [_with_unit(span, answer) for span in spans]
    trace = describe(answer, whole[0])
    return Evidence(FieldType.DURATION, "same_unit", profile.score(FieldType.DURATION, "same_unit"), tuple(whole), trace)


def _read(value: str) -> tuple[str, str]:
    """``six weeks`` → ``("6", "week")``; empty if there is no number."""
    words = words_of(value)
    figure = _NUMBER.search(value)
    number = (
        canonical_number(figure.group())
        if figure
        else next((str(NUMBER_WORDS[word]) for word in words if word in NUMBER_WORDS), "")
    )
    return number, _unit(words[-1]) if words else ""


def _unit(word: str) -> str:
    return _UNITS.get(stem(word), stem(word))


def _number_spans(amount: str, answer: Answer) -> list[Span]:
    spans = [figure.span for figure in answer.figures.numbers.get(amount, ())]
    return spans + [answer.span(place, count) for place, count in answer.number_words.get(amount, ())]


def _unit_after(span: Span, answer: Answer) -> str:
    place = answer.place_at(span[1] - 1) + 1
    return _unit(answer.words[place]) if place < len(answer.words) else ""


def _with_unit(span: Span, answer: Answer) -> Span:
    return (span[0], answer.word_end(answer.place_at(span[1] - 1) + 1))
