"""What the database holds, so that a test can say: nothing changed."""

from __future__ import annotations

from django.db import connection
from psycopg import sql

_PASSING = frozenset({"django_session", "django_migrations"})


def state_of_tables() -> dict[str, tuple[int, str | None]]:
    """For each table the number of its rows and a digest over all of them, but for sessions."""
    with connection.cursor() as cursor:
        tables = sorted(set(connection.introspection.table_names(cursor)) - _PASSING)
        return {table: _state_of(cursor, table) for table in tables}


def _state_of(cursor, table: str) -> tuple[int, str | None]:
    rows = sql.SQL("SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {} AS t").format(sql.Identifier(table))
    cursor.execute(rows)
    return cursor.fetchone()
