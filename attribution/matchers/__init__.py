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


_SENTENCE_SIGNS = (".", "!", "?")
_SHORTEST_SENTENCE = 12
_EXPLAINS_NOTHING = (FieldType.BOOLEAN, FieldType.QUESTION)


def match_fields(fields: Sequence[Field], answer: Answer, profile: Profile) -> list[Evidence | None]:
    """What each field's own matcher finds, then what the answer takes from long texts. Hidden fields are left out."""
    found: list[Evidence | None] = []
    texts: list[tuple[int, str]] = []
    for field in fields:
        _, _, _, kind, value, is_hidden = field
        matcher = None if is_hidden else MATCHERS.get(kind)
        evidence = matcher(value, field, answer, profile) if matcher and kind is not FieldType.SUMMARY else None
        if evidence is None and type(value) is str and matcher and (kind is FieldType.SUMMARY or _is_sentence(kind, value)):
            texts.append((len(found), value))
        found.append(evidence)
    if texts:
        read = find_long_texts([text for _, text in texts], _explained(found, answer), answer, profile)
        for (number, _), evidence in zip(texts, read, strict=True):
            found[number] = evidence
    return found


def _is_sentence(kind: FieldType, text: str) -> bool:
    return kind is FieldType.FIELD_VALUE and text.endswith(_SENTENCE_SIGNS) and len(text) >= _SHORTEST_SENTENCE


def _explained(found: Sequence[Evidence | None], answer: Answer) -> set[str]:
    """The words by which the answer states the value of a field that has been found."""
    stating = [each for each in found if each and each.method not in _EXPLAINS_NOTHING]
    return {word for evidence in stating for start, end in evidence.spans for word in answer.folded[start:end].split()}
