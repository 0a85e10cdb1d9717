"""SQL that makes the rows of records insert-only: nobody changes or deletes them, not even the owner of the tables.

Records are the tables of models that are ``InsertOnly`` or ``Redactable``.
"""

from __future__ import annotations

from django.db.backends.utils import CursorWrapper
from psycopg import sql

from reviewers.web.models import InsertOnly, Redactable, redactable_columns, tables_of

_WITHOUT_RIGHTS = "REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {role}"

_TRIGGERS = (
    "CREATE OR REPLACE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_change({redactable})",
    "CREATE OR REPLACE TRIGGER keep_table BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
)
"""They refuse everybody, including the owner; ``migrations/sql/insert_only.sql`` has the function."""


def keep_records(cursor: CursorWrapper, role: sql.Identifier) -> None:
    """Take the rights to change records from the web's role, and put the triggers that refuse everybody on their tables."""
    there = set(cursor.db.introspection.table_names(cursor))  # some are missing while only some apps are migrated
    for table in there.intersection([*tables_of(Redactable), *tables_of(InsertOnly)]):
        cursor.execute(sql.SQL(_WITHOUT_RIGHTS).format(table=sql.Identifier(table), role=role))
    for table, redactable in redactable_columns().items():
        if table in there:
            names = sql.SQL(", ").join(map(sql.Literal, redactable))
            for trigger in _TRIGGERS:
                cursor.execute(sql.SQL(trigger).format(table=sql.Identifier(table), redactable=names))
