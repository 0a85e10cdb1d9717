"""Identifiers: phone numbers and codes, however they are grouped."""

from __future__ import annotations

import re
from typing import Any

from attribution.answer import Answer
from attribution.matchers.base import describe
from attribution.matchers.phrase import find_phrase
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import words_of

_DIGITS = re.compile(r"[0-9]+")
_LETTERS_OR_DIGITS = re.compile(r"[0-9]+|[a-z]+", re.ASCII)
_SHORTEST = 4
_LOCAL_DIGITS = 10


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The code as written, else its digits grouped otherwise, else with or without its country's code; nothing shorter than four."""
    text = str(value)
    hit = find_phrase(text, answer, "whole_code") if len(text.strip()) >= _SHORTEST else None
    if hit and hit.rule == "whole_code":
        return _evidence("whole_code", answer.spans(hit.places, len(hit.words)), answer, profile)
    if len(text.strip()) < _SHORTEST:
        return None
    for words in _regrouped(text):
        places = answer.find(words)
        if places:
            return _evidence("whole_code", answer.spans(places, len(words)), answer, profile)
    return _by_digits(_digits_in(text), answer, profile)


def _by_digits(digits: str, answer: Answer, profile: Profile) -> Evidence | None:
    """All digits, grouped in any way; without the code of the country in the record, or in the answer."""
    if len(digits) < _SHORTEST:
        return None
    forms = [("same_digits", digits), ("local_digits", digits[-_LOCAL_DIGITS:])]
    if len(digits) == _LOCAL_DIGITS:
        forms.append(("local_digits", f"1{digits}"))
    for rule, wanted in forms:
        figures = answer.figures.digits.get(wanted, ())
        spans = tuple(figure.span for figure in figures) or answer.spans(answer.find((wanted,)), 1)
        if spans:
            return _evidence(rule, spans, answer, profile)
    return None


@remembered
def _regrouped(value: str) -> tuple[tuple[str, ...], ...]:
    """A code of letters and digits in one word, and with a gap between them: PSY12345, PSY 12345."""
    joined = "".join(words_of(value))
    parts = tuple(_LETTERS_OR_DIGITS.findall(joined))
    if joined.isdigit() or len(parts) < len(("psy", "12345")) or "".join(parts) != joined:
        return ()
    return tuple(form for form in ((joined,), parts) if form != words_of(value))


@remembered
def _digits_in(text: str) -> str:
    return "".join(_DIGITS.findall(text))


def _evidence(rule: str, spans: tuple[Span, ...], answer: Answer, profile: Profile) -> Evidence:
    score = profile.score(FieldType.IDENTIFIER, rule)
    return Evidence(FieldType.IDENTIFIER, rule, score, spans, describe(answer, spans[0]))
