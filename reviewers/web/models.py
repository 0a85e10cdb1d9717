"""Bases of models: identifiers that sort by time, records only inserted, tenancy by kind of model; compressed JSON, advisory locks."""

from __future__ import annotations

import json
import os
import time
import uuid
import zlib
from typing import Any, ClassVar

from django.apps import apps
from django.db import connection, models


def uuid7() -> uuid.UUID:
    """Return a version 7 UUID (RFC 9562): 48 bits of milliseconds, 12 bits of their fraction (section 6.2, method 3), then random bits.

    Rows made in sequence are adjacent in an index, in their order even within a millisecond. An identifier reveals nothing but when it was
    made.
    """
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = (nanoseconds << 12) // 1_000_000
    chance = int.from_bytes(os.urandom(8)) & ~(0x3 << 62)
    return uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0x2 << 62 | chance)


def read_uuid(text: str) -> uuid.UUID | None:
    """Return the identifier in a text, such as a part of an address, or None if it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def unpack(document: bytes | memoryview) -> Any:
    """Return the JSON value in a compressed column."""
    return json.loads(zlib.decompress(bytes(document)))


def advisory_lock(name: str, *, is_shared: bool = False) -> None:
    """Serialise concurrent callers with this name, until the end of the transaction; those who share only wait for those who do not."""
    function = "pg_advisory_xact_lock_shared" if is_shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, 0))", [name])


class Identified(models.Model):
    """A row whose identifier sorts by time and may appear in a URL."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.pk}"


class InsertOnly(Identified):
    """A record: written once, never changed or deleted.

    The database enforces it: the web's role lacks the right, and a trigger refuses everybody else. ``insert_only.py`` sets
    both up for every model of this kind, so that a new one cannot be forgotten. ``redactable`` names the columns that a redaction may
    change, which is the only change there is (see ``ledger/redaction.py``).
    """

    redactable: ClassVar[tuple[str, ...]] = ()

    class Meta:
        abstract = True


class Redactable(models.Model):
    """A row that the web writes once, and that only a redaction, with the owner's rights, changes."""

    class Meta:
        abstract = True


class TenantLookup(models.Model):
    """A row that is read to find out which organisation is asked for.

    Outside all tenants every row can be read, and inside a tenant its own only. Nothing protected belongs here. Rows are only written
    inside their tenant.
    """

    organisation_column: ClassVar[str] = "organisation_id"

    class Meta:
        abstract = True


class TenantThrough:
    """A model whose rows belong to the organisation of another row; ``organisation_through`` names the foreign key.

    Row-level security covers them too, without a column of their own that could disagree.
    """

    organisation_through: ClassVar[str]


def redactable_columns() -> dict[str, tuple[str, ...]]:
    """Return the columns of records that a redaction may change, by table."""
    models = [model for model in apps.get_models() if issubclass(model, InsertOnly)]
    return {model._meta.db_table: model.redactable for model in models}


def tables_of(kind: type[models.Model]) -> list[str]:
    """Return the tables of all models of a kind."""
    return sorted(model._meta.db_table for model in apps.get_models() if issubclass(model, kind))
