"""What the web's database role may do: read and write rows, only insert into records, see one organisation at a time, own nothing.

Set after each migration rather than in one, from the tables and models that there are: a new one cannot be forgotten.
"""

from __future__ import annotations

from django.conf import settings
from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from reviewers.web import databases
from reviewers.web.models import InsertOnly, Redactable, redactable_columns, tables_of
from reviewers.web.wall_building import build_walls

_RIGHTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {role}",
    "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}",
    "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC, {role}",  # a table of its own would be read in the place of another
)

_ONLY_INSERTED = "REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {role}"

_KEPT = (
    "CREATE OR REPLACE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_change({redactable})",
    "CREATE OR REPLACE TRIGGER keep_table BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
)
"""They refuse everybody, the owner as well; ``migrations/sql/refuse_change.sql`` has the function."""


def grant_web_role(using: str) -> None:
    """Set the rights of the web's role on all tables, and the triggers that keep records as they were written.

    In one transaction: what is granted on all tables and taken back of some is never seen in between. The walls between
    organisations are built with them.
    """
    role = sql.Identifier(settings.DATABASES[databases.DEFAULT]["USER"])
    database = sql.Identifier(str(connections[using].settings_dict["NAME"]))
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for right in _RIGHTS:
            cursor.execute(sql.SQL(right).format(role=role, database=database))
        there = set(connections[using].introspection.table_names(cursor))  # not all, where only some apps have been migrated
        for table in there.intersection([*tables_of(Redactable), *tables_of(InsertOnly)]):
            cursor.execute(sql.SQL(_ONLY_INSERTED).format(table=sql.Identifier(table), role=role))
        for table, redactable in redactable_columns().items():
            if table in there:
                _keep(cursor, table, redactable)
        build_walls(cursor)


def _keep(cursor: CursorWrapper, table: str, redactable: tuple[str, ...]) -> None:
    names = sql.SQL(", ").join(map(sql.Literal, redactable))
    for trigger in _KEPT:
        cursor.execute(sql.SQL(trigger).format(table=sql.Identifier(table), redactable=names))
