"""The wall between organisations: row-level security on every table whose rows belong to one.

The second wall. The first are the queries, each of which names its organisation; where one forgets to, the web's role finds nothing of
another organisation, and can write nothing into it. The owner of the tables, who migrates, stands above the wall.

The setting ``footnote.organisation`` says which organisation has been entered (see ``walls``). The policies are made after each migration,
for the tables that there are::

    own_rows    each table: rows of the organisation that has been entered are read and written
    from_above  records: all rows are read, but not written, from above all organisations
    door        tables that say which organisation is asked for: all rows are read, but not written, from outside of all
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django.apps import apps
from django.conf import settings
from django.db import connections, models, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from reviewers.web import config
from reviewers.web.models import InsertOnly, Redactable, TenantLookup, TenantThrough, redactable_columns, tables_of
from reviewers.web.tenancy.tenant import ALL_ORGANISATIONS, SETTING

T = TypeVar("T")

_COLUMN = "organisation_id"
_CURRENT = f"NULLIF(current_setting('{SETTING}', true), '')::uuid"

_ONCE = f"(SELECT {_CURRENT})"
"""Asked once a statement. Where a table has one policy the planner sees to that itself."""

_TABLES = """
SELECT c.relname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = %s AND NOT a.attisdropped
"""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy of a table. One whose rule is changed gets another name, so that the old one is replaced."""

    table: str
    name: str
    rule: str


def install_policies(cursor: CursorWrapper) -> None:
    """Give each table the policies it is to have, and no others. Where nothing is to change no table is locked."""
    cursor.execute("SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'public'")
    existing = set(cursor.fetchall())
    wanted = {(policy.table, policy.name): policy for policy in _policies(cursor)}
    for table, name in sorted(existing - wanted.keys()):
        cursor.execute(sql.SQL("DROP POLICY {} ON {}").format(sql.Identifier(name), sql.Identifier(table)))
    for key in sorted(wanted.keys() - existing):
        policy = wanted[key]
        table = sql.Identifier(policy.table)
        cursor.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(table))
        cursor.execute(sql.SQL("CREATE POLICY {} ON {} {}").format(sql.Identifier(policy.name), table, sql.SQL(policy.rule)))


def _policies(cursor: CursorWrapper) -> list[Policy]:
    """Found by reflection over the tables, not the models: no table that names an organisation can be forgotten."""
    cursor.execute(_TABLES, [_COLUMN])
    columns = dict.fromkeys((table for (table,) in cursor.fetchall()), _COLUMN) | _there(cursor, lookup_tables())
    kept = {*tables_of(InsertOnly), *tables_of(Redactable), *lookup_tables()}
    rules = {table: f"{column} = {_ONCE if table in kept else _CURRENT}" for table, column in columns.items()}
    rules |= {table: part.rule(columns[part.whole]) for table, part in _there(cursor, {part.table: part for part in parts()}).items()}
    return [
        *(Policy(table, "own_rows", f"USING ({rule})") for table, rule in rules.items()),
        *(Policy(table, "from_above", f"FOR SELECT USING ({_ONCE} = '{ALL_ORGANISATIONS}')") for table in kept & rules.keys()),
        *(
            Policy(table, "door", f"FOR SELECT USING ({_ONCE} IS NULL)")
            for table in rules.keys() & {*lookup_tables(), *parts_of_lookup_tables()}
        ),
    ]


def _there(cursor: CursorWrapper, tables: dict[str, T]) -> dict[str, T]:
    """Those of these tables that exist: not all do where only some apps have been migrated."""
    cursor.execute("SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NOT NULL", [list(tables)])
    return {table: tables[table] for (table,) in cursor.fetchall()}


@dataclass(frozen=True, slots=True)
class PartOf:
    """A table whose rows are parts of those of another one, which name an organisation, and the column that says of which."""

    table: str
    column: str
    whole: str

    def rule(self, organisation_column: str) -> str:
        """The parts of what belongs to the organisation; which these are is asked once a statement."""
        return f"{self.column} IN (SELECT id FROM {self.whole} WHERE {organisation_column} = {_CURRENT})"  # noqa: S608 — names of our own


def parts() -> list[PartOf]:
    """Of models that say so."""
    return [_part(model, model.organisation_through) for model in apps.get_models() if issubclass(model, TenantThrough)]


def _part(model: type[models.Model], name: str) -> PartOf:
    key = cast("models.ForeignKey[Any, Any]", model._meta.get_field(name))
    return PartOf(model._meta.db_table, key.column, key.remote_field.model._meta.db_table)


def parts_of_lookup_tables() -> list[str]:
    """The tables of parts of what is read from outside, which are read with it."""
    return [part.table for part in parts() if part.whole in lookup_tables()]


def lookup_tables() -> dict[str, str]:
    """The tables that are read to find out which organisation is asked for, with the column that names it."""
    found = [model for model in apps.get_models() if issubclass(model, TenantLookup)]
    return {model._meta.db_table: model.organisation_column for model in found}


# What the web's database role may do: read and write rows, only insert into records, see one organisation at a time, own nothing.
#
# Set after each migration rather than in one, from the tables and models that there are: a new one cannot be forgotten.


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
    role = sql.Identifier(settings.DATABASES[config.DEFAULT]["USER"])
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
        install_policies(cursor)


def _keep(cursor: CursorWrapper, table: str, redactable: tuple[str, ...]) -> None:
    names = sql.SQL(", ").join(map(sql.Literal, redactable))
    for trigger in _KEPT:
        cursor.execute(sql.SQL(trigger).format(table=sql.Identifier(table), redactable=names))
