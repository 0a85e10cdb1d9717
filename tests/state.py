"""Read the whole database, so that a test can say that nothing changed."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from psycopg import sql

from reviewers.accounts.queries import list_organisation_ids
from reviewers.web.tenancy import tenant

_PASSING = frozenset({"django_session", "django_migrations", "accounts_keyuse", "accounts_tokenuse", "web_cache"})


State = dict[str, list[tuple[int, str | None]]]


def state_of_tables(*organisations: UUID) -> State:
    """For each table, as each of these organisations sees it, or each that there is, the number of its rows and a digest over all of them.

    Sessions are left out, and when a key was last used.
    """
    with connection.cursor() as cursor:
        tables = sorted(set(connection.introspection.table_names(cursor)) - _PASSING)
        everything = sql.SQL(" UNION ALL ").join(_state_of(table) for table in tables)
        state: State = {table: [] for table in tables}
        for organisation_id in organisations or list_organisation_ids():
            with tenant.within(organisation_id):
                cursor.execute(everything)
                for table, count, digest in cursor.fetchall():
                    state[table].append((count, digest))
    return state


def _state_of(table: str) -> sql.Composed:
    rows = sql.SQL("SELECT {}, count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {} AS t")
    return rows.format(sql.Literal(table), sql.Identifier(table))
