"""Identifiers: phone numbers and codes, however they are grouped."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

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
_COUNTRY = "1"
_PARTS = 2


class Forms(NamedTuple):
    """The other ways to write an identifier: the words of a code, and digits by the rule that finds them."""

    codes: tuple[tuple[str, ...], ...]
    digits: tuple[tuple[str, str], ...]


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The code as written, else regrouped, else its digits with or without its country's code; nothing shorter than four."""
    text = str(value)
    if len(text.strip()) < _SHORTEST:
        return None
    hit = find_phrase(text, answer, "whole_code")
    if hit and hit.rule == "whole_code":
        return _evidence("whole_code", answer.spans(hit.places, len(hit.words)), answer, profile)
    codes, digits = _forms_of(text)
    for words in codes:
        places = answer.find(words)
        if places:
            return _evidence("whole_code", answer.spans(places, len(words)), answer, profile)
    grouped, places_of = answer.figures.digits, answer.places
    for rule, wanted in digits:
        if wanted in grouped or wanted in places_of:
            spans = tuple(figure.span for figure in grouped.get(wanted, ())) or answer.spans(answer.find((wanted,)), 1)
            return _evidence(rule, spans, answer, profile)
    return None


@remembered
def _forms_of(value: str) -> Forms:
    return Forms(_codes_of(value), _digits_of("".join(_DIGITS.findall(value))))


def _codes_of(value: str) -> tuple[tuple[str, ...], ...]:
    """A code of letters and digits in one word, and with a gap between them: PSY12345, PSY 12345."""
    words = words_of(value)
    joined = "".join(words)
    parts = tuple(_LETTERS_OR_DIGITS.findall(joined))
    if len(parts) < _PARTS or "".join(parts) != joined:
        return ()
    return tuple(form for form in ((joined,), parts) if form != words)


def _digits_of(digits: str) -> tuple[tuple[str, str], ...]:
    """All digits in one; without the code of the country in the record, or in the answer."""
    if len(digits) < _SHORTEST:
        return ()
    local = digits[-_LOCAL_DIGITS:] if len(digits) > _LOCAL_DIGITS else _COUNTRY + digits if len(digits) == _LOCAL_DIGITS else ""
    return (("same_digits", digits), ("local_digits", local)) if local else (("same_digits", digits),)


def _evidence(rule: str, spans: tuple[Span, ...], answer: Answer, profile: Profile) -> Evidence:
    score = profile.score(FieldType.IDENTIFIER, rule)
    return Evidence(FieldType.IDENTIFIER, rule, score, spans, describe(answer, spans[0]))
