"""Writes many rows in one statement, in a tenth of the time of an INSERT for each.

As fast as COPY, which PostgreSQL refuses on tables whose rows are walled off: the columns go over as arrays in binary form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, cast

from django.db import connection, models
from psycopg import sql

from reviewers.web.postgresql.base import DatabaseWrapper

_AS_THEY_ARE = frozenset({"uuid", "bytea", "boolean", "integer", "smallint", "bigint", "double precision", "timestamp with time zone"})
"""Types whose arrays go over as they are. Values of others go over as text, which the database reads."""

_READ = ("jsonb", "tsvector", "text[]")
"""Types that text has to be made into; into a shorter text it is made without being asked, and refused where it is too long."""


def insert_rows(model: type[models.Model], rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows by column, all of which name the same ones. In a transaction."""
    rows = list(rows)
    if not rows:
        return
    columns = tuple(rows[0])
    statement, types = _statement(model, columns, is_alone=len(rows) == 1)
    values = [_as_sent(type_, [row[column] for row in rows]) for type_, column in zip(types, columns, strict=True)]
    with cast("DatabaseWrapper", connection).binary_cursor() as cursor:
        cursor.execute(statement, values if len(rows) > 1 else [value for (value,) in values])


@contextmanager
def in_one_go() -> Iterator[None]:
    """Rows that are inserted within go over without waiting for an answer after each statement. In a transaction.

    Nothing is read within: what went wrong with one of the statements is raised at the end, whichever it was.
    """
    wrapper = cast("DatabaseWrapper", connection)
    with wrapper.wrap_database_errors, wrapper.told().pipeline():
        yield


@cache
def _statement(model: type[models.Model], columns: tuple[str, ...], *, is_alone: bool) -> tuple[str, tuple[str, ...]]:
    """The statement that inserts these columns, and their types. Making it takes longer than inserting a row, so it is made once.

    A row that comes alone is spared the arrays, which take longer to make than its values.
    """
    types = tuple(_type_of(model, column) for column in columns)
    begin = sql.SQL("INSERT INTO {} ({}) ").format(sql.Identifier(model._meta.db_table), _listed(map(sql.Identifier, columns)))
    return (begin + (_of_one(types) if is_alone else _of_many(types))).as_string(), types


def _of_one(types: Sequence[str]) -> sql.Composed:
    """Where its values come from: one parameter each."""
    return sql.SQL("VALUES ({})").format(_listed(sql.SQL(f"%b::{_sent_type(each)}{_reading(each)}") for each in types))


def _of_many(types: Sequence[str]) -> sql.Composed:
    """Where their values come from: an array for each column."""
    names = [sql.Identifier(f"column{number}") for number in range(len(types))]
    return sql.SQL("SELECT {} FROM unnest({}) AS sent ({})").format(
        _listed(name + sql.SQL(_reading(each)) for name, each in zip(names, types, strict=True)),
        _listed(sql.SQL(f"%b::{_sent_type(each)}[]") for each in types),
        _listed(names),
    )


def _listed(parts: Iterable[sql.Composable]) -> sql.Composed:
    return sql.SQL(", ").join(parts)


def _sent_type(type_: str) -> str:
    return type_ if type_ in _AS_THEY_ARE else "text"


def _reading(type_: str) -> str:
    return f"::{type_}" if type_ in _READ else ""


def _type_of(model: type[models.Model], column: str) -> str:
    (field,) = (field for field in model._meta.concrete_fields if field.column == column)
    return field.db_type(connection) or ""


def _as_sent(type_: str, values: list[Any]) -> list[Any]:
    if not type_.endswith("[]"):
        return values
    return [None if value is None else _array(value) for value in values]


def _array(texts: Iterable[str]) -> str:
    """A list of texts as PostgreSQL writes it: arrays of arrays would have to be of one length."""
    escaped = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in escaped) + "}"
