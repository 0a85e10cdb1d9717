"""What the web's database role may do: read and write rows, only insert into records, see one organisation at a time, own nothing."""

from __future__ import annotations

from django.conf import settings
from django.db import connections, transaction
from psycopg import sql

from reviewers.web import databases
from reviewers.web.models import InsertOnly, Redactable, redactable_columns, tables_of
from reviewers.web.wall_building import build_walls

_REFUSE = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_NARGS > 0 AND current_setting('footnote.redaction', true) <> '' THEN
        IF to_jsonb(OLD) - TG_ARGV = to_jsonb(NEW) - TG_ARGV THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% is a record: rows are inserted, never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$
"""
"""The web's role may not update records at all; the setting lets through what a redaction does with the owner's rights."""

_KEEP = (
    "CREATE OR REPLACE TRIGGER keep_rows BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_change({columns})",
    "CREATE OR REPLACE TRIGGER keep_table BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()",
)


def grant_web_role(using: str) -> None:
    """Set the rights of the web's role on all tables, and the triggers that keep records as they were written.

    In one transaction: what is granted on all tables and taken back of some is never seen in between. The walls between
    organisations are built with them.
    """
    role = sql.Identifier(settings.DATABASES[databases.DEFAULT]["USER"])
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for statement in (
            "GRANT USAGE ON SCHEMA public TO {role}",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
            "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
            "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {role}",
            "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}",
            "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC, {role}",  # a table of its own would be read in the place of another
        ):
            database = sql.Identifier(str(connections[using].settings_dict["NAME"]))
            cursor.execute(sql.SQL(statement).format(role=role, database=database))
        cursor.execute(_REFUSE)
        there = set(connections[using].introspection.table_names(cursor))  # part of the way back, later ones are gone
        for table in there.intersection([*tables_of(Redactable), *tables_of(InsertOnly)]):
            cursor.execute(sql.SQL("REVOKE UPDATE, DELETE, TRUNCATE ON {} FROM {}").format(sql.Identifier(table), role))
        for table, columns in redactable_columns().items():
            for statement in _KEEP if table in there else ():
                cursor.execute(
                    sql.SQL(statement).format(table=sql.Identifier(table), columns=sql.SQL(", ").join(map(sql.Literal, columns)))
                )
        build_walls(cursor)
