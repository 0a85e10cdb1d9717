"""Constant statements: inserts and joined reads, where querysets would put many columns together anew, and the SQL files of migrations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.migrations import RunSQL
from django.db.models import F, Func, JSONField
from psycopg.sql import Composable

# Insert rows by constant statements, where a queryset would put together many columns for each row anew.


def insert(rows: Iterable[models.Model]) -> None:
    """Insert new rows whose keys are set, table by table in the order of their first rows, in one round trip.

    Raise ``IntegrityError`` as each of the statements would. Neither defaults of the database nor signals are considered.
    """
    by_model: dict[type[models.Model], list[models.Model]] = {}
    for row in rows:
        by_model.setdefault(type(row), []).append(row)
    if not by_model:
        return
    statements = [_statement(model, len(of_model)) for model, of_model in by_model.items()]
    values = [value for of_model in by_model.values() for row in of_model for value in _values_of(row)]
    with connection.cursor() as cursor:
        cursor.execute("; ".join(statements), values)


def _statement(model: type[models.Model], count: int) -> str:
    head, places = _parts(model)
    return head + ", ".join([places] * count)


@cache
def _parts(model: type[models.Model]) -> tuple[str, str]:
    """Return the statement up to its values, and the placeholders of one row."""
    columns = [connection.ops.quote_name(field.column) for field in model._meta.concrete_fields]
    head = f"INSERT INTO {connection.ops.quote_name(model._meta.db_table)} ({', '.join(columns)}) VALUES "  # noqa: S608 — names of our own
    return head, f"({', '.join(['%s'] * len(columns))})"


def _values_of(row: models.Model) -> list[Any]:
    return [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in row._meta.concrete_fields]


# Read rows of several tables by a constant statement, as the models that a queryset with ``select_related`` would give.


class Columns:
    """The columns of a model's table, which a statement calls by an alias; those in ``without`` are deferred."""

    def __init__(self, model: type[models.Model], alias: str, *, without: Sequence[str] = ()) -> None:
        self._model, self._alias = model, alias
        self._fields = [field for field in model._meta.concrete_fields if field.attname not in without]

    def __str__(self) -> str:
        return ", ".join(f'{self._alias}."{field.column}"' for field in self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def read(self, values: Sequence[Any]) -> models.Model | None:
        """Return the row as an instance, or None where an outer join found none."""
        if values[self._key] is None:
            return None
        read = [reader(value, None, connection) if reader else value for reader, value in zip(self._readers, values, strict=True)]
        return self._model.from_db(connection.alias, self._names, read)

    @cached_property
    def _names(self) -> list[str]:
        return [field.attname for field in self._fields]

    @cached_property
    def _readers(self) -> list[Any]:
        """Return the reader of each field whose values come from the database as something else, as JSON comes as text."""
        return [getattr(field, "from_db_value", None) for field in self._fields]

    @cached_property
    def _key(self) -> int:
        return next(number for number, field in enumerate(self._fields) if field.primary_key)


def read_joined(statement: str, values: Sequence[Any], *tables: Columns) -> Iterator[tuple[Any, ...]]:
    """Yield for each row an instance of each table, and whatever columns follow theirs."""
    for row in read_rows(statement, values):
        position, instances = 0, []
        for table in tables:
            instances.append(table.read(row[position : position + len(table)]))
            position += len(table)
        yield (*instances, *row[position:])


def read_rows(statement: str | Composable, values: Sequence[Any] | Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
    """Return the rows that a statement finds."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def json_rows(template: str, *columns: str) -> Func:
    """Return an annotation with the rows of a subquery as JSON; the columns replace ``%(expressions)s`` in the template."""
    return Func(*map(F, columns), template=template, output_field=ArrayField(JSONField()))


def sql_of(annotation: Func, *columns: str) -> str:
    """Return an annotation by ``json_rows`` over these columns, for a statement that is written out."""
    return str(annotation.extra["template"]) % {"expressions": ", ".join(columns)}


def sql_file(migration: str, name: str) -> RunSQL:
    """Return the operation that runs ``sql/<name>.sql`` beside a migration, which passes its ``__file__``."""
    return RunSQL(Path(migration).with_name("sql").joinpath(f"{name}.sql").read_text(encoding="utf-8"))
