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
from django.db import models
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from reviewers.web.models import Door, InsertOnly, Redactable, Through, tables_of
from reviewers.web.walls import EVERYWHERE, SETTING

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


def build_walls(cursor: CursorWrapper) -> None:
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
    columns = dict.fromkeys((table for (table,) in cursor.fetchall()), _COLUMN) | _there(cursor, doors())
    kept = {*tables_of(InsertOnly), *tables_of(Redactable), *doors()}
    rules = {table: f"{column} = {_ONCE if table in kept else _CURRENT}" for table, column in columns.items()}
    rules |= {table: part.rule(columns[part.whole]) for table, part in _there(cursor, {part.table: part for part in parts()}).items()}
    return [
        *(Policy(table, "own_rows", f"USING ({rule})") for table, rule in rules.items()),
        *(Policy(table, "from_above", f"FOR SELECT USING ({_ONCE} = '{EVERYWHERE}')") for table in kept & rules.keys()),
        *(Policy(table, "door", f"FOR SELECT USING ({_ONCE} IS NULL)") for table in rules.keys() & {*doors(), *parts_of_doors()}),
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
    return [_part(model, model.organisation_through) for model in apps.get_models() if issubclass(model, Through)]


def _part(model: type[models.Model], name: str) -> PartOf:
    key = cast("models.ForeignKey[Any, Any]", model._meta.get_field(name))
    return PartOf(model._meta.db_table, key.column, key.remote_field.model._meta.db_table)


def parts_of_doors() -> list[str]:
    """The tables of parts of what is read from outside, which are read with it."""
    return [part.table for part in parts() if part.whole in doors()]


def doors() -> dict[str, str]:
    """The tables that are read to find out which organisation is asked for, with the column that names it."""
    found = [model for model in apps.get_models() if issubclass(model, Door)]
    return {model._meta.db_table: model.organisation_column for model in found}
