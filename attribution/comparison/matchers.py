"""One matcher for each field type, in one registry; long texts are read when all other fields have been matched."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from attribution.answer import Answer
from attribution.assertion.yes_no import match_boolean
from attribution.comparison.content_words import match_questions, match_summary, read_later
from attribution.context import NotJSONError, type_of_element
from attribution.errors import InputError
from attribution.mentions.date_values import match_date, match_time
from attribution.mentions.measures import match_duration
from attribution.mentions.name_values import match_name
from attribution.mentions.number_values import match_money, match_numeric
from attribution.mentions.phrases import Matcher, phrase_of
from attribution.mentions.text_values import match_enum, match_field_value, match_identifier
from attribution.model import Evidence, Field, FieldType, new
from attribution.profile import Profile
from attribution.remembering import remembered

Probe = tuple[Matcher | None, str | None, str | None]
"""The matcher for an element, and for a phrase the two stems without which it is out at once."""


def list_matcher(matchers: dict[FieldType, Matcher]) -> Matcher:
    """A matcher that asks ``matchers`` about each element."""

    def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
        elements = value if isinstance(value, list) else [value]
        limit, stems = profile.thresholds.summary_length, answer.stems
        probe = probe_up_to(limit)
        found: list[Evidence] = []
        for element in elements:
            matcher, first_stem, last_stem = probe(element) if type(element) is str else other(element, field, limit)
            if matcher is None or answer.is_spent or not (first_stem is None or (first_stem in stems and last_stem in stems)):
                continue
            evidence = matcher(element, field, answer, profile)
            if evidence and evidence.score:
                found.append(evidence)
        return combine(found, len(elements)) if found else None

    @lru_cache(maxsize=4)
    def probe_up_to(summary_length: int) -> Callable[[str], Probe]:
        @remembered
        def probe(text: str) -> Probe:
            kind = type_of_element(text, summary_length)
            if kind is not FieldType.FIELD_VALUE:
                return matchers.get(kind), None, None
            phrase = phrase_of(text)
            return (matchers[kind], None, None) if phrase.variants else (matchers[kind], phrase.first_stem, phrase.last_stem)

        return probe

    def other(element: Any, field: Field, summary_length: int) -> Probe:
        try:
            return matchers.get(type_of_element(element, summary_length)), None, None
        except NotJSONError as error:
            raise InputError(f"{field.section}.{field.path}", str(error)) from None

    return match


def combine(found: list[Evidence], elements: int) -> Evidence:
    """The evidence of a list from that of the elements found."""
    best = max(found, key=lambda evidence: evidence.score) if len(found) > 1 else found[0]
    spans = best.spans if len(found) == 1 else tuple(sorted({span for evidence in found for span in evidence.spans}))
    trace = f"{len(found)} of {elements} elements: {best.trace}"
    return new(Evidence, (FieldType.LIST, best.rule, best.score, spans, trace, best.uncapped_score, elements, len(found)))


_SCALARS: dict[FieldType, Matcher] = {
    FieldType.ENUM: match_enum,
    FieldType.NUMERIC: match_numeric,
    FieldType.SUMMARY: match_summary,
    FieldType.QUESTION: match_questions,
    FieldType.BOOLEAN: match_boolean,
    FieldType.DATE: match_date,
    FieldType.TIME: match_time,
    FieldType.MONEY: match_money,
    FieldType.DURATION: match_duration,
    FieldType.NAME: match_name,
    FieldType.IDENTIFIER: match_identifier,
    FieldType.FIELD_VALUE: match_field_value,
}

MATCHERS: dict[FieldType, Matcher] = {**_SCALARS, FieldType.LIST: list_matcher(_SCALARS), FieldType.SUMMARY: read_later}
