"""Rows of records as bytes, so that an event can commit to every column of what was written with it.

The columns stand in the order of their names, each with its name, so that two rows have the same bytes only if they hold the same. What
a database gives back is encoded like what was written: numbers by their value, times in UTC, the words of a search index sorted.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from psycopg.types.json import Jsonb

from attribution import canonical_bytes

CHECK_LENGTH = 4
_SHAPE_LENGTH = 16
_WORD = re.compile(r"'((?:[^']|'')*)'")


@dataclass(frozen=True, slots=True)
class EncodedRow:
    """A row's bytes, and a few of a checksum for each of its columns in their order."""

    content: bytes
    checks: bytes


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a record: its table, its key as text, and its values by column."""

    table: str
    id: str
    values: Mapping[str, Any]

    @property
    def shape(self) -> str:
        """Says which columns there are: a later version of the table may have more."""
        return shape_of(frozenset(self.values))

    def encode(self) -> EncodedRow:
        """All of it."""
        columns = [_encode_column(name, self.values[name]) for name in sorted(self.values)]
        return EncodedRow(b"".join(columns), b"".join(zlib.crc32(column).to_bytes(CHECK_LENGTH) for column in columns))


@cache
def shape_of(columns: frozenset[str]) -> str:
    """A short digest of the names of columns."""
    return hashlib.sha256("\n".join(sorted(columns)).encode()).hexdigest()[:_SHAPE_LENGTH]


def row_of(record: models.Model) -> Row:
    """The row of a record that was just written, or read."""
    return row_from(type(record), {field.column: getattr(record, field.attname) for field in record._meta.concrete_fields})


def rows_of(records: Iterable[models.Model]) -> list[Row]:
    """The rows of some."""
    return [row_of(record) for record in records]


def row_from(model: type[models.Model], values: Mapping[str, Any]) -> Row:
    """A row out of values by column, as they are copied into a table."""
    words = _search_columns(model)
    if words:
        values = {**values, **{name: sorted(set(_WORD.findall(values[name]))) for name in words}}
    return Row(model._meta.db_table, str(values[_key_column(model)]), values)


@cache
def _search_columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.column for field in model._meta.concrete_fields if isinstance(field, SearchVectorField))


@cache
def _key_column(model: type[models.Model]) -> str:
    return str(model._meta.pk.column)


def _encode_column(name: str, value: Any) -> bytes:
    kind, content = _encode_value(value)
    return b"%s\0%s%d\0%s" % (name.encode(), kind, len(content), content)


def _encode_value(value: Any) -> tuple[bytes, bytes]:  # noqa: PLR0911 — one for each type
    if value is None:
        return b"-", b""
    if isinstance(value, str):
        return b"s", value.encode("utf-8", "surrogatepass")
    if isinstance(value, bool):
        return b"b", b"%d" % value
    if isinstance(value, (int, float)):
        return b"n", str(int(value) if value == int(value) else value).encode()
    if isinstance(value, UUID):
        return b"u", value.bytes
    if isinstance(value, datetime):
        return b"t", value.astimezone(UTC).isoformat(timespec="microseconds").encode()
    if isinstance(value, date):
        return b"d", value.isoformat().encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b"x", bytes(value)
    return b"j", canonical_bytes(value.obj if isinstance(value, Jsonb) else value)
