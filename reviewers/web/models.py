"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import time
import uuid
from typing import ClassVar

from django.apps import apps
from django.db import connection, models


def uuid7() -> uuid.UUID:
    """A version 7 UUID (RFC 9562): 48 bits of milliseconds, 12 of the fraction of one (section 6.2, method 3), then chance.

    Rows made after each other stand beside each other in an index, in the order in which they were made even where many fall into one
    millisecond. An identifier tells nothing but when it was made.
    """
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = (nanoseconds << 12) // 1_000_000
    chance = int.from_bytes(os.urandom(8)) & ~(0x3 << 62)
    return uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0x2 << 62 | chance)


# Turns: of those who do the same thing at once, one after the other does it.


def advisory_lock(name: str) -> None:
    """Until the end of the transaction around, it is nobody else's turn at what has this name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


# Kinds of model.


class Identified(models.Model):
    """A row whose identifier sorts by time and may stand in a URL."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.pk}"


class InsertOnly(Identified):
    """A record: written once, never changed or deleted.

    Not by Python: the web's role has no right to, and a trigger refuses everybody else. Both are set by ``grants``, which finds these
    models by their kind, so that a new one cannot be forgotten. ``redactable`` are the columns that a redaction may take away, which is
    the only change there is (see ``ledger/redacting.py``).
    """

    redactable: ClassVar[tuple[str, ...]] = ()

    class Meta:
        abstract = True


class Redactable(models.Model):
    """What the web writes once and reads, and only a redaction, which is the owner's to carry out, takes away."""

    class Meta:
        abstract = True


class TenantLookup(models.Model):
    """Read to find out which organisation is asked for: by whoever stands outside of all of them, and within one its own rows only.

    Nothing protected belongs here. Rows are written by those within alone, like all others.
    """

    organisation_column: ClassVar[str] = "organisation_id"

    class Meta:
        abstract = True


class TenantThrough:
    """A model whose rows belong to the organisation of what they are part of: ``organisation_through`` names the key of that.

    The wall between organisations stands around them as well, without a column of their own that could say something else.
    """

    organisation_through: ClassVar[str]


def redactable_columns() -> dict[str, tuple[str, ...]]:
    """The columns of records that a redaction may take away, by table."""
    models = [model for model in apps.get_models() if issubclass(model, InsertOnly)]
    return {model._meta.db_table: model.redactable for model in models}


def tables_of(kind: type[models.Model]) -> list[str]:
    """The tables of all models of a kind."""
    return sorted(model._meta.db_table for model in apps.get_models() if issubclass(model, kind))
