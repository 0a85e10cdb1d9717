"""Tables as somebody finds them who owns them: nothing refuses, and only verifying tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db import connections, transaction
from psycopg import sql

from reviewers.web.config import DEFAULT, OWNER
from reviewers.web.models import InsertOnly, Redactable

PROTECTED = [model for model in apps.get_models() if issubclass(model, (InsertOnly, Redactable))]
TABLES = [model._meta.db_table for model in apps.get_models() if model.__module__.startswith("reviewers.")]
CONSTRAINTS = """
SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype IN ('f', 'c', 'u') AND conrelid = ANY(%s::regclass[])
ORDER BY contype <> 'f'
"""

PARTIAL = """
SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique AND indpred IS NOT NULL AND indrelid = ANY(%s::regclass[])
"""
"""Uniqueness among some rows only is an index without a constraint."""


@contextmanager
def opened_tables() -> Iterator[Any]:
    """The site runs as the owner of the tables, without the triggers and keys between tables that would refuse; undone afterwards."""
    web = connections[DEFAULT]
    connections[DEFAULT] = connections[OWNER]
    try:
        with transaction.atomic(), connections[OWNER].cursor() as cursor:
            for table in TABLES:
                cursor.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(table)))
            cursor.execute(CONSTRAINTS, [TABLES])
            for table, name in cursor.fetchall():
                cursor.execute(sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.Identifier(table), sql.Identifier(name)))
            cursor.execute(PARTIAL, [TABLES])
            for (name,) in cursor.fetchall():
                cursor.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
            yield cursor
            transaction.set_rollback(True)
    finally:
        connections[DEFAULT] = web
