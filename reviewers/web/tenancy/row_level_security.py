"""Row-level security on every table whose rows belong to an organisation, and the rights of the web's database role.

It is the second barrier. The first are the queries, each of which names its organisation; if one forgets to, the web's role reads
nothing of another organisation, and cannot write into it. The owner of the tables, who migrates, is exempt.

The setting ``footnote.organisation`` names the current tenant (see ``tenant``). Policies and rights are set after each migration
rather than in one, for the tables and models that exist, so that a new one cannot be forgotten::

    own_rows    each table: rows of the current tenant can be read and written
    from_above  records: all rows can be read, but not written, across all tenants
    door        tables that say which organisation is asked for: all rows can be read, but not written, outside all tenants
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
from reviewers.web.insert_only import keep_records
from reviewers.web.models import InsertOnly, Redactable, TenantLookup, TenantThrough, tables_of
from reviewers.web.tenancy.tenant import ALL_ORGANISATIONS, SETTING

T = TypeVar("T")

_COLUMN = "organisation_id"
_CURRENT = f"NULLIF(current_setting('{SETTING}', true), '')::uuid"

_ONCE = f"(SELECT {_CURRENT})"
"""Evaluated once a statement. For a table with one policy the planner does so by itself."""

_TABLES = """
SELECT c.relname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = %s AND NOT a.attisdropped
"""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy of a table. If its rule changes, give it another name, so that the old one is replaced."""

    table: str
    name: str
    rule: str


def install_policies(cursor: CursorWrapper) -> None:
    """Give each table its policies, and no others. Without a change no table is locked."""
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
    """Return the policies. They follow from the tables, not the models, so that no table with an organisation is forgotten."""
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
    """Return those of the tables that exist: some do not while only some apps are migrated."""
    cursor.execute("SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NOT NULL", [list(tables)])
    return {table: tables[table] for (table,) in cursor.fetchall()}


@dataclass(frozen=True, slots=True)
class PartOf:
    """A table whose rows are parts of rows of another one, which name an organisation, and its foreign key."""

    table: str
    column: str
    whole: str

    def rule(self, organisation_column: str) -> str:
        """Return the rule for parts of the organisation's rows. The subquery runs once a statement."""
        return f"{self.column} IN (SELECT id FROM {self.whole} WHERE {organisation_column} = {_CURRENT})"  # noqa: S608 — names of our own


def parts() -> list[PartOf]:
    """Return the parts that models declare."""
    return [_part(model, model.organisation_through) for model in apps.get_models() if issubclass(model, TenantThrough)]


def _part(model: type[models.Model], name: str) -> PartOf:
    key = cast("models.ForeignKey[Any, Any]", model._meta.get_field(name))
    return PartOf(model._meta.db_table, key.column, key.remote_field.model._meta.db_table)


def parts_of_lookup_tables() -> list[str]:
    """Return the tables of parts of lookup tables, which are read together."""
    return [part.table for part in parts() if part.whole in lookup_tables()]


def lookup_tables() -> dict[str, str]:
    """Return the tables that are read to find out which organisation is asked for, each with the column that names it."""
    found = [model for model in apps.get_models() if issubclass(model, TenantLookup)]
    return {model._meta.db_table: model.organisation_column for model in found}


_RIGHTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {role}",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role}",  # as in clusters that were upgraded from versions before 15
    "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role}",
    "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC, {role}",  # a temporary table could hide a real one
)


def grant_web_role(using: str) -> None:
    """Set the rights of the web's role on all tables, the triggers that keep records unchanged, and row-level security.

    In one transaction: a right that is granted on all tables and revoked on some is never visible in between.
    """
    role = sql.Identifier(settings.DATABASES[config.DEFAULT]["USER"])
    database = sql.Identifier(str(connections[using].settings_dict["NAME"]))
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for right in _RIGHTS:
            cursor.execute(sql.SQL(right).format(role=role, database=database))
        keep_records(cursor, role)
        install_policies(cursor)
