"""Encodings of the ledger: rows as bytes that an event commits to, and the secrets that open its commitments.

Columns are encoded in the order of their names, each with its name, so two rows have the same bytes only if they hold the same values. A
row read from the database is encoded like the row that was written: numbers by value, times in UTC, the words of a search index sorted.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from psycopg.types.json import Jsonb

from attribution import canonical_bytes
from reviewers.ledger.commitments import SALT_LENGTH, salts

CHECK_LENGTH = 4
_SHAPE_LENGTH = 16
_WORD = re.compile(r"'((?:[^']|'')*)'")


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """A row of a record: its table, its key as text, and its values by column."""

    table: str
    id: str
    values: Mapping[str, Any]

    @property
    def shape(self) -> str:
        """A digest of the column names: a later version of the table may have more columns."""
        return shape_of(frozenset(self.values))

    def encode(self) -> tuple[bytes, bytes]:
        """Return the bytes of the row, and a short checksum of each of its columns in their order."""
        columns = [_encode_column(name, self.values[name]) for name in sorted(self.values)]
        return b"".join(columns), b"".join(zlib.crc32(column).to_bytes(CHECK_LENGTH) for column in columns)


@cache
def shape_of(columns: frozenset[str]) -> str:
    """Return a short digest of column names."""
    return hashlib.sha256("\n".join(sorted(columns)).encode()).hexdigest()[:_SHAPE_LENGTH]


def row_of(record: models.Model) -> LedgerRow:
    """Return the row of a record that was just written or read."""
    return row_from(type(record), {field.column: getattr(record, field.attname) for field in record._meta.concrete_fields})


def rows_of(records: Iterable[models.Model]) -> list[LedgerRow]:
    """Return the rows of records."""
    return [row_of(record) for record in records]


def row_from(model: type[models.Model], values: Mapping[str, Any]) -> LedgerRow:
    """Return a row from values by column, as they are copied into a table."""
    words = _search_columns(model)
    if words:
        values = {**values, **{name: sorted(set(_WORD.findall(values[name]))) for name in words}}
    return LedgerRow(model._meta.db_table, str(values[_key_column(model)]), values)


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
    return b"j", canonical_bytes(_as_stored(value.obj if isinstance(value, Jsonb) else value))


def _as_stored(value: Any) -> Any:
    """Return JSON as PostgreSQL gives it back: its numbers have no negative zero."""
    if isinstance(value, dict):
        return {name: _as_stored(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_stored(each) for each in value]
    return 0.0 if isinstance(value, float) and value == 0 else value


# Openings of an event's commitments. If nothing was redacted, the event's secret is the seed of all salts. Otherwise it has an entry for
# each part and then for each row: the salt of one that can still be opened, the commitment of a redacted part, or nothing if the event's
# body suffices, which holds the commitment of each row and the digest over those of all parts.

_SALT, _COMMITMENT, _NOTHING = b"s", b"c", b"-"
_ENTRY = 1 + SALT_LENGTH


@dataclass(frozen=True, slots=True)
class Openings:
    """The salts of an event's parts and rows in order; None for those that are closed. ``kept`` are the stored entries."""

    parts: Sequence[bytes | None]
    rows: Sequence[bytes | None]
    kept: Sequence[bytes] = ()

    @property
    def is_closed(self) -> bool:
        """True if anything was redacted."""
        return None in (*self.parts, *self.rows)


class InvalidOpening(Exception):  # noqa: N818 — says what it is
    """The bytes are no openings of such an event."""


def read_openings(body: Mapping[str, Any], kept: bytes) -> Openings:
    """Return the openings in an event's secret; raise ``InvalidOpening`` if it has none."""
    parts, rows = body.get("parts", {"count": 0})["count"], len(body.get("rows", []))
    if len(kept) == SALT_LENGTH:
        own = salts(kept, parts + rows)
        return Openings(own[:parts], own[parts:], [_SALT + salt for salt in own])
    if len(kept) != _ENTRY * (parts + rows):
        raise InvalidOpening
    entries = [kept[start : start + _ENTRY] for start in range(0, len(kept), _ENTRY)]
    read = [_read(entry) for entry in entries]
    return Openings(read[:parts], read[parts:], entries)


def commitment_of(entry: bytes) -> bytes | None:
    """Return the commitment in the entry of a closed part, or None."""
    return entry[1:] if entry[:1] == _COMMITMENT else None


def close(openings: Openings, parts: Mapping[int, bytes | None], rows: frozenset[int]) -> bytes:
    """Return the stored form with parts and rows closed, each part with its commitment if known. Closed ones stay as they are."""
    entries = list(openings.kept)
    for number, commitment in parts.items():
        if entries[number][:1] == _SALT:
            entries[number] = _COMMITMENT + commitment if commitment else _NOTHING + bytes(SALT_LENGTH)
    for number in rows:
        entries[len(openings.parts) + number] = _NOTHING + bytes(SALT_LENGTH)
    return b"".join(entries)


def _read(entry: bytes) -> bytes | None:
    if entry[:1] not in (_SALT, _COMMITMENT, _NOTHING):
        raise InvalidOpening
    return entry[1:] if entry[:1] == _SALT else None
