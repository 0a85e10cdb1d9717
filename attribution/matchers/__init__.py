"""One matcher for each field type, in one registry; long texts are read together when all other fields have been matched."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.matchers import (
    boolean,
    date,
    duration,
    enum,
    field_value,
    identifier,
    money,
    name,
    numeric,
    question,
    summary,
    time,
)
from attribution.answer import Answer
from attribution.matchers.base import Matcher
from attribution.matchers.list_ import list_matcher
from attribution.matchers.long_text import find_paraphrases
from attribution.model import Evidence, Field, FieldType
from attribution.profile import Profile

_SCALARS: dict[FieldType, Matcher] = {
    FieldType.ENUM: enum.match,
    FieldType.NUMERIC: numeric.match,
    FieldType.SUMMARY: summary.match,
    FieldType.QUESTION: question.match,
    FieldType.BOOLEAN: boolean.match,
    FieldType.DATE: date.match,
    FieldType.TIME: time.match,
    FieldType.MONEY: money.match,
    FieldType.DURATION: duration.match,
    FieldType.NAME: name.match,
    FieldType.IDENTIFIER: identifier.match,
    FieldType.FIELD_VALUE: field_value.match,
}

MATCHERS: dict[FieldType, Matcher] = {**_SCALARS, FieldType.LIST: list_matcher(_SCALARS)}


def match_fields(fields: Sequence[Field], answer: Answer, profile: Profile) -> list[Evidence | None]:
    """What each field's own matcher finds, then what the answer takes from long texts in other words. Hidden fields are left out."""
    found: list[Evidence | None] = []
    texts: list[int] = []
    for field in fields:
        kind, value = field.type, field.value
        matcher = None if field.is_hidden else MATCHERS.get(kind)
        evidence = matcher(value, field, answer, profile) if matcher else None
        if matcher and (kind is FieldType.SUMMARY or (evidence is None and kind is FieldType.FIELD_VALUE and _is_sentence(value))):
            texts.append(len(found))
        found.append(evidence)
    if texts:
        covered = _covered([each for each in found if each and each.method not in _EXPLAINS_NOTHING], answer)
        read = find_paraphrases([str(fields[number].value) for number in texts], answer, covered, profile)
        for number, evidence in zip(texts, read, strict=True):
            if evidence:
                found[number] = evidence
    return found


_EXPLAINS_NOTHING = (FieldType.SUMMARY, FieldType.BOOLEAN, FieldType.QUESTION)


def _is_sentence(value: object) -> bool:
    return isinstance(value, str) and len(value) > 8 and value[-1] in ".!?"


def _covered(found: Sequence[Evidence], answer: Answer) -> set[int]:
    return {place for evidence in found for span in evidence.spans for place in answer.places_in(span)}
