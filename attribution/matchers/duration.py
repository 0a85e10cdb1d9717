"""Durations and other quantities: the same amount of the same measure, in whatever words; anything longer as it is written."""

from __future__ import annotations

from typing import Any

from attribution.answer import Answer
from attribution.lexicon.words import MEASURES
from attribution.matchers.base import describe_all
from attribution.matchers.phrase import find_phrase
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.quantities import Measured
from attribution.remembering import remembered
from attribution.text import words_of


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The quantity; where the value is not one quantity, the whole phrase."""
    text = str(value)
    if measured_by(text):
        return match_quantity(text, FieldType.DURATION, answer, profile)
    hit = find_phrase(text, answer, "whole_phrase")
    if hit is None or hit.rule != "whole_phrase":
        return None
    return _evidence("whole_phrase", FieldType.DURATION, answer.spans(hit.places, len(hit.words)), answer, profile)


def match_quantity(value: str, method: FieldType, answer: Answer, profile: Profile, because: str = "") -> Evidence | None:
    """Return where an answer has the quantity that a value writes."""
    measured = measured_by(value)
    spans = answer.quantities.get(measured) if measured else None
    if not measured or not spans:
        return None
    unit = words_of(value)[-1]
    same = [span for span in spans if _unit_of(span, answer) == MEASURES.get(unit)] if method is FieldType.DURATION else []
    if same:
        return _evidence("same_unit", method, tuple(same), answer, profile)
    return _evidence("same_quantity", method, tuple(spans), answer, profile, f"; as much as ‘{value.strip()}’{because}")


@remembered
def measured_by(value: str) -> Measured | None:
    """Return what a value measures, if it is one quantity and nothing else."""
    written = Answer(value.strip())
    whole = next(((measured, spans) for measured, spans in written.quantities.items() if len(spans) == 1), None)
    return whole[0] if whole and whole[1][0] == (0, len(written.text)) else None


def _unit_of(span: Span, answer: Answer) -> tuple[str, int] | None:
    return MEASURES.get(answer.words[answer.place_at(span[1] - 1)])


def _evidence(rule: str, method: FieldType, spans: tuple[Span, ...], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    return Evidence(method, rule, profile.score(method, rule), spans, describe_all(answer, spans) + because)
