"""Durations: a number, in figures or words, with the same unit; anything longer as it is written."""

from __future__ import annotations

import re
from typing import Any

from attribution.answer import Answer
from attribution.figures import canonical_number
from attribution.figures.number_words import number_in_words
from attribution.matchers.base import describe
from attribution.matchers.phrase import find_phrase
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.text import stem, words_of

_VALUE = re.compile(r"\s*([0-9]{1,18}(?:\.[0-9]{1,12})?)[\s-]+([a-z]+)\s*", re.IGNORECASE)
_SHORT_UNITS = {"min": "minute", "hr": "hour", "hrs": "hour", "wk": "week", "wks": "week", "yr": "year", "yrs": "year"}
_UNITS = {short: stem(unit) for short, unit in _SHORT_UNITS.items()}


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """One number directly before its unit; where the value is not that, the whole phrase."""
    text = str(value)
    amount, unit = _read(text)
    if not amount:
        hit = find_phrase(text, answer, "whole_phrase")
        exact = answer.spans(hit.places, len(hit.words)) if hit and hit.rule == "whole_phrase" else ()
        return _evidence("whole_phrase", exact, answer, profile)
    spans = [span for span in _number_spans(amount, answer) if _unit_after(span, answer) == unit]
    return _evidence("same_unit", tuple([_with_unit(span, answer) for span in spans]), answer, profile)


def _read(value: str) -> tuple[str, str]:
    """``six weeks`` → ``("6", "week")``; empty where the value is not one number and its unit."""
    figure = _VALUE.fullmatch(value)
    if figure:
        return canonical_number(figure[1]), _unit(figure[2].lower())
    *number, unit = words_of(value) or ("",)
    count, length = number_in_words(number, 0) if number else ("", 0)
    return (count, _unit(unit)) if length and length == len(number) else ("", "")


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


def _evidence(rule: str, spans: tuple[Span, ...], answer: Answer, profile: Profile) -> Evidence | None:
    if not spans:
        return None
    return Evidence(FieldType.DURATION, rule, profile.score(FieldType.DURATION, rule), spans, describe(answer, spans[0]))
