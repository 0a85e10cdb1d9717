"""Insert rows by constant statements, where a queryset would put together many columns for each row anew."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.db import connection, models


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
