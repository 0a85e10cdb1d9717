"""One matcher for each field type, in one registry; long texts are read when all other fields have been matched."""

from __future__ import annotations

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
from attribution.matchers.base import Matcher
from attribution.matchers.list_ import list_matcher
from attribution.model import FieldType

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

MATCHERS: dict[FieldType, Matcher] = {**_SCALARS, FieldType.LIST: list_matcher(_SCALARS), FieldType.SUMMARY: summary.read_later}
