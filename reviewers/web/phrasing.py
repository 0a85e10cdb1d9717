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

from reviewers.web.postgresql.cursor import AsWritten

Row = TypeVar("Row")


def phrased(make: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
    """``make`` gives a query for some values: asked with the same kinds of values again, its statement is the one that there is.

    What is given by position are values, which may stand in the statement as they are: identifiers, moments, bytes, words, or lists of
    them (see ``any_of``), none of them nothing. What is given by name changes the statement, and makes one of its own.
    """
    return _remembering(make, str)


def phrased_as_written(make: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
    """The same for a query of few rows and many look-ups, whose joins are taken as they stand (see ``AsWritten``)."""
    return _remembering(make, AsWritten)


def _remembering(make: Callable[..., QuerySet[Any, Row]], kind: type[str]) -> Callable[..., list[Row]]:
    known: dict[Any, _Phrase] = {}

    @wraps(make)
    def ask(*values: Any, **shape: Any) -> list[Row]:
        key = tuple(map(type, values)), tuple(sorted(shape.items()))
        phrase = known.get(key)
        if phrase is None:
            phrase = known[key] = _Phrase(make, values, shape, kind)
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

    def __init__(self, make: Callable[..., QuerySet[Any, Any]], values: Sequence[Any], shape: dict[str, Any], kind: type[str]) -> None:
        stand_ins = [_stand_in(value) for value in values]
        self._queryset = make(*stand_ins, **shape)
        self._compiler = self._queryset.query.get_compiler(self._queryset.db)
        statement, parameters = self._compiler.as_sql()
        self._statement = kind(statement)
        self._parameters = [getattr(each, "obj", each) for each in parameters]  # bytes come wrapped
        self._places = [(place, stand_ins.index(parameter)) for place, parameter in enumerate(self._parameters) if parameter in stand_ins]
        if {number for _, number in self._places} != set(range(len(values))):
            raise TypeError(f"{make.__qualname__}: a value does not stand in the statement as it was given")

    def ask(self, values: Sequence[Any]) -> list[Any]:
        """The rows for these values."""
        parameters = list(self._parameters)
        for place, number in self._places:
            parameters[place] = values[number]
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
