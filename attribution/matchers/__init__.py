"""One matcher for each field type, in one registry; long texts are read together when all other fields have been matched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from attribution.matchers.long_text import find_long_texts
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


_SHORTEST_SENTENCE = 12


def match_fields(fields: Sequence[Field], answer: Answer, profile: Profile) -> list[Evidence | None]:
    """What each field's own matcher finds, then what the answer takes from long texts. Hidden fields are left out."""
    found = [None if field.is_hidden else _OF_ONE_FIELD[field.type](field.value, field, answer, profile) for field in fields]
    texts = [number for number, field in enumerate(fields) if found[number] is None and _is_long(field)]
    if texts:
        read = find_long_texts([str(fields[number].value) for number in texts], _explained(found, answer), answer, profile)
        for number, evidence in zip(texts, read, strict=True):
            found[number] = evidence
    return found


def _read_later(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    return None


_OF_ONE_FIELD = {**MATCHERS, FieldType.SUMMARY: _read_later, FieldType.EMPTY: _read_later}
_EXPLAINS_NOTHING = (FieldType.BOOLEAN, FieldType.QUESTION)


def _is_long(field: Field) -> bool:
    kind, value = field.type, field.value
    is_sentence = kind is FieldType.FIELD_VALUE and isinstance(value, str) and len(value) >= _SHORTEST_SENTENCE and value[-1] in ".!?"
    return (is_sentence or kind is FieldType.SUMMARY) and not field.is_hidden


def _explained(found: Sequence[Evidence | None], answer: Answer) -> set[str]:
    """The words by which the answer states the value of a field that has been found."""
    stating = [each for each in found if each and each.method not in _EXPLAINS_NOTHING]
    return {word for evidence in stating for start, end in evidence.spans for word in answer.folded[start:end].split()}
