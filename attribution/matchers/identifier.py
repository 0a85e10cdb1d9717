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

_DIGITS = re.compile(r"[0-9]+")
_SHORTEST = 4
_LOCAL_DIGITS = 10


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The code as written, else its digits grouped otherwise, else its last ten digits; nothing shorter than four."""
    text = str(value)
    hit = find_phrase(text, answer, "whole_code") if len(text.strip()) >= _SHORTEST else None
    if hit and hit.rule == "whole_code":
        return _evidence("whole_code", answer.spans(hit.places, len(hit.words)), answer, profile)
    digits = _digits_in(text)
    for rule, wanted in (("same_digits", digits), ("local_digits", digits[-_LOCAL_DIGITS:])) if len(digits) >= _SHORTEST else ():
        figures = answer.figures.digits.get(wanted, ())
        spans = tuple(figure.span for figure in figures) or answer.spans(answer.find((wanted,)), 1)
        if spans:
            return _evidence(rule, spans, answer, profile)
    return None


@remembered
def _digits_in(text: str) -> str:
    return "".join(_DIGITS.findall(text))


def _evidence(rule: str, spans: tuple[Span, ...], answer: Answer, profile: Profile) -> Evidence:
    score = profile.score(FieldType.IDENTIFIER, rule)
    return Evidence(FieldType.IDENTIFIER, rule, score, spans, describe(answer, spans[0]))
