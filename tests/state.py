"""What the database holds, so that a test can say: nothing changed."""

from __future__ import annotations

from django.db import connection
from psycopg import sql

from reviewers.accounts.queries import list_organisation_ids
from reviewers.web import walls

_PASSING = frozenset({"django_session", "django_migrations", "accounts_keyuse", "web_cache"})


State = dict[str, list[tuple[int, str | None]]]


def state_of_tables() -> State:
    """For each table, as each organisation sees it, the number of its rows and a digest over all of them.

    Sessions are left out, and when a key was last used.
    """
    with connection.cursor() as cursor:
        tables = sorted(set(connection.introspection.table_names(cursor)) - _PASSING)
        state: State = {table: [] for table in tables}
        for organisation_id in list_organisation_ids():
            with walls.within(organisation_id):
                for table in tables:
                    state[table].append(_state_of(cursor, table))
    return state


def _state_of(cursor, table: str) -> tuple[int, str | None]:
    rows = sql.SQL("SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {} AS t").format(sql.Identifier(table))
    cursor.execute(rows)
    return cursor.fetchone()
