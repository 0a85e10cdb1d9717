"""A query that is put together once and asked again and again with other values.

Putting a query of many annotations together takes Django several times as long as PostgreSQL takes to answer it. Nothing of that depends
on whose row is asked for, so it is done once: with stand-ins for the values, whose places in the statement are kept.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.db import connections
from django.db.models import BooleanField, CharField, F, Func, QuerySet, UUIDField, Value
from django.db.models.query import FlatValuesListIterable, ValuesListIterable

Row = TypeVar("Row")
_OF_VALUES = (ValuesListIterable, FlatValuesListIterable)


def phrased(make: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
    """``make`` gives a query for some values: asked with the same kinds of values again, its statement is the one that there is.

    What is given by position are values, which may stand in the statement as they are: identifiers, moments, bytes, words, or lists of
    them (see ``any_of``), none of them nothing. What is given by name changes the statement, and makes one of its own.
    """
    known: dict[Any, _Phrase] = {}

    @wraps(make)
    def ask(*values: Any, **shape: Any) -> list[Row]:
        key = tuple(map(type, values)), tuple(sorted(shape.items()))
        phrase = known.get(key)
        if phrase is None:
            phrase = known[key] = _Phrase(make, values, shape)
        return phrase.ask(values)

    return ask


def any_of(column: str, values: Sequence[str]) -> Func:
    """As a condition: a column holds one of these texts. They are one parameter, however many there are."""
    return _AnyOf(F(column), Value(values, output_field=ArrayField(CharField())))


def any_id(column: str, values: Sequence[uuid.UUID]) -> Func:
    """The same for identifiers."""
    return _AnyOf(F(column), Value(values, output_field=ArrayField(UUIDField())))


class _AnyOf(Func):
    template = "(%(expressions)s))"
    arg_joiner = " = ANY("
    output_field = BooleanField()


class _Phrase:
    """A statement with the places of its values."""

    def __init__(self, make: Callable[..., QuerySet[Any, Any]], values: Sequence[Any], shape: dict[str, Any]) -> None:
        stand_ins = [_stand_in(value) for value in values]
        self._queryset = make(*stand_ins, **shape)
        self._compiler = self._queryset.query.get_compiler(self._queryset.db)
        self._statement, parameters = self._compiler.as_sql()
        self._parameters = [getattr(each, "obj", each) for each in parameters]  # bytes come wrapped
        self._places = [(place, stand_ins.index(parameter)) for place, parameter in enumerate(self._parameters) if parameter in stand_ins]
        if {number for _, number in self._places} != set(range(len(values))):
            raise TypeError(f"{make.__qualname__}: a value does not stand in the statement as it was given")
        columns = [column for column, *_ in self._compiler.select or ()]
        self._converters = self._compiler.get_converters(columns)
        self._kind = self._queryset._iterable_class  # noqa: SLF001 — what rows are made into is told nowhere else
        is_plain = not self._compiler.has_extra_select and not self._compiler.has_composite_fields(columns)
        self._is_of_values = is_plain and self._kind in _OF_VALUES

    def ask(self, values: Sequence[Any]) -> list[Any]:
        """The rows for these values."""
        parameters = list(self._parameters)
        for place, number in self._places:
            parameters[place] = values[number]
        return self._read(parameters) if self._is_of_values else self._build(parameters)

    def _read(self, parameters: Sequence[Any]) -> list[Any]:
        """Rows of plain values, without what Django prepares to make objects of rows."""
        database = connections[self._queryset.db]
        with database.cursor() as cursor:
            cursor.execute(self._statement, parameters)
            rows: list[Any] = cursor.fetchall()
        if self._converters:
            rows = [self._converted(row, database) for row in rows]
        return [value for (value,) in rows] if self._kind is FlatValuesListIterable else rows

    def _converted(self, row: Sequence[Any], database: Any) -> tuple[Any, ...]:
        values = list(row)
        for place, (converters, expression) in self._converters.items():
            for convert in converters:
                values[place] = convert(values[place], expression, database)
        return tuple(values)

    def _build(self, parameters: Sequence[Any]) -> list[Any]:
        """Rows as Django makes them."""
        compiler = copy(self._compiler)
        compiler.connection = connections[self._queryset.db]
        compiler.as_sql = lambda *_, **__: (self._statement, tuple(parameters))
        asked = self._queryset.all()
        asked.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        return list(asked)


def _stand_in(value: Any) -> Any:
    """A value of the same kind that stands nowhere else."""
    match value:
        case uuid.UUID():
            return uuid.uuid4()
        case datetime():
            return datetime(1900, 1, 1, tzinfo=UTC) + timedelta(microseconds=int.from_bytes(os.urandom(6)))
        case bytes():
            return os.urandom(32)
        case str():
            return os.urandom(16).hex()
        case [first, *_]:
            return [_stand_in(first)]
        case _:
            raise TypeError(f"{value!r} cannot stand in a statement that is used again")
