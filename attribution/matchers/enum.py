"""Enumerated values: a whole word, or several with underscores and hyphens read as spaces, or a phrase known for the value."""

from __future__ import annotations

from typing import Any

from attribution.answer import Answer
from attribution.matchers.base import Hit, evidence_of
from attribution.matchers.phrase import find_phrase, known_phrase
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The value as one of the words of the answer."""
    hit = find_phrase(value, answer, "whole_word") or known_phrase(value, answer, profile)
    return evidence_of(_with_separators(hit, value, answer), FieldType.ENUM, field, answer, profile) if hit else None


def _with_separators(hit: Hit, text: str, answer: Answer) -> Hit:
    """``in_person`` written "in person" is a rule of its own."""
    if hit.rule != "whole_word" or not ("_" in text or "-" in text):
        return hit
    wanted, count = text.strip().lower(), len(hit.words)
    is_as_written = any(answer.as_written(answer.span(place, count)).lower() == wanted for place in hit.places)
    return hit if is_as_written else hit._replace(rule="separated_words")
