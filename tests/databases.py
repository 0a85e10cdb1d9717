"""A database for a run of tests: copied from one that was migrated before and is kept, for migrating takes most of a short run."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from reviewers.snapshots.ingest.actions import forget_profiles
from reviewers.web.config import OWNER

_KEPT = "footnote_template_"
_TURN = 0x7465_7374


def make_database(server: psycopg.Connection, name: str) -> None:
    """A migrated database of this name, which is the site's from now on. Whoever else makes one at this moment waits.

    It is migrated once more: what the site does behind migrations, such as granting rights, is done by the present code.
    """
    server.execute("SELECT pg_advisory_lock(%s)", [_TURN])
    try:
        template = _KEPT + _digest_of_migrations()
        if template not in _kept(server):
            _keep(server, template)
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    finally:
        server.execute("SELECT pg_advisory_unlock(%s)", [_TURN])
    _migrate(name)


def drop_database(server: psycopg.Connection, name: str) -> None:
    """Without force the server stops what it does there itself, such as vacuuming, which force may not; with it what a test left open."""
    drop = sql.SQL("DROP DATABASE {}").format(sql.Identifier(name))
    try:
        server.execute(drop)
    except psycopg.errors.ObjectInUse:
        server.execute(drop + sql.SQL(" WITH (FORCE)"))


def empty_all_tables() -> None:
    """Empty them by the owner, with the triggers off that keep records as they are."""
    forget_profiles()
    for connection in connections.all(initialized_only=True):
        connection.close()
    with connections[OWNER].cursor() as cursor:
        cursor.execute(_WRITTEN)
        tables = [table for (table,) in cursor.fetchall()]
        if tables:
            by_name = {
                way: sql.SQL(";").join(sql.SQL(f"ALTER TABLE {{}} {way} TRIGGER USER").format(sql.Identifier(table)) for table in tables)
                for way in ("DISABLE", "ENABLE")
            }
            cursor.execute(by_name["DISABLE"])
            cursor.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(map(sql.Identifier, tables))))
            cursor.execute(by_name["ENABLE"])
    connections.close_all()


_WRITTEN = """
WITH RECURSIVE written (id) AS (
    SELECT oid FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'django_migrations' AND pg_relation_size(oid) > 0
    UNION SELECT conrelid FROM pg_constraint JOIN written ON confrelid = id WHERE contype = 'f'
)
SELECT id::regclass::text FROM written
"""
"""Tables in which something was written since they were empty, and those that refer to them."""


def _keep(server: psycopg.Connection, template: str) -> None:
    """Make the one to copy, in place of those of earlier migrations. It has its name once it is whole."""
    for old in _kept(server):
        drop_database(server, old)
    begun = f"{_KEPT}begun"
    server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(begun)))
    _migrate(begun)
    connections.close_all()
    server.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(begun), sql.Identifier(template)))


def _kept(server: psycopg.Connection) -> set[str]:
    return {name for (name,) in server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [_KEPT])}


def _migrate(name: str) -> None:
    for alias in connections:
        connections[alias].settings_dict["NAME"] = name
        settings.DATABASES[alias]["NAME"] = name
    call_command("migrate", verbosity=0)


def _digest_of_migrations() -> str:
    """Of all that there are, Django's and the libraries' among them, and of the SQL beside them."""
    digest = hashlib.sha256()
    for key, migration in sorted(MigrationLoader(None).disk_migrations.items()):
        file = Path(inspect.getfile(type(migration)))
        for part in (file, *sorted(file.with_name("sql").glob("*.sql"))):
            digest.update(repr((*key, part.name)).encode() + part.read_bytes())
    return digest.hexdigest()[:16]
