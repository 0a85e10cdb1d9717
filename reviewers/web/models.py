"""Kinds of model."""

from __future__ import annotations

from typing import ClassVar

from django.apps import apps
from django.db import models

from reviewers.web.ids import uuid7


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


class Door(models.Model):
    """Read to find out which organisation is asked for: by whoever stands outside of all of them, and within one its own rows only.

    Nothing protected belongs here. Rows are written by those within alone, like all others.
    """

    organisation_column: ClassVar[str] = "organisation_id"

    class Meta:
        abstract = True


class Through:
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
