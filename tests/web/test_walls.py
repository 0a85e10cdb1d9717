"""The second wall between organisations: whatever is asked, the database shows and takes rows of one organisation alone."""

from __future__ import annotations

import ast
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from psycopg import sql

from reviewers.accounts.models import Membership, Organisation, ServiceKey
from reviewers.accounts.queries import list_organisation_ids
from reviewers.web.config import OWNER
from reviewers.web.models import InsertOnly, Redactable, tables_of
from reviewers.web.tenancy import tenant
from reviewers.web.tenancy.row_level_security import lookup_tables, parts, parts_of_lookup_tables
from tests.factories import make_member, make_organisation
from tests.web import test_records

OPEN = {
    "accounts_user": "a person belongs to several organisations",
    "account_emailaddress": "a person's",
    "account_emailconfirmation": "a person's",
    "mfa_authenticator": "a person's",
    "django_session": "a person's, read before it is known who asks",
    "snapshots_profile": "what the engine goes by: named by its content, and the same row for all whose answers it was used for",
    "auth_group": "the framework's, empty",
    "auth_group_permissions": "the framework's, empty",
    "auth_permission": "the framework's, words for kinds of rows",
    "django_content_type": "the framework's, words for kinds of rows",
    "accounts_hurdle": "counts of failures, by a digest",
    "web_cache": "counts of failures and what is used once, by a digest",
    "django_migrations": "what the owner did to the tables",
    "procrastinate_events": "when jobs began and ended",
    "procrastinate_jobs": "jobs name rows by their identifiers, and hold nothing of them",
    "procrastinate_periodic_defers": "when jobs came round",
    "procrastinate_workers": "which workers run",
}
"""The tables without a wall, and why."""

REFUSALS = (psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation, psycopg.errors.RestrictViolation)
"""By the wall, or by a trigger that is asked first, and that sees no row of another organisation either."""

INSERT = "INSERT INTO {table} SELECT * FROM jsonb_populate_record(NULL::{table}, %s)"

rows_everywhere = test_records.rows_everywhere


def walled() -> dict[str, str]:
    """The tables of models that name an organisation, with the column that does."""
    named = {model._meta.db_table for model in apps.get_models() if _names_organisation(model)}
    return dict.fromkeys(sorted(named), "organisation_id") | lookup_tables() | {part.table: part.column for part in parts()}


def _names_organisation(model) -> bool:
    return any(field.column == "organisation_id" for field in model._meta.local_fields)


WALLED = walled()
SEEN_OUTSIDE = {*lookup_tables(), *parts_of_lookup_tables()}


@pytest.fixture
def stranger(rows_everywhere) -> Organisation:
    """An organisation beside the one whose rows are everywhere; the test stands within it."""
    organisation = Organisation(slug="strangers", name="Strangers")
    tenant.enter(organisation.pk)
    return organisation


def ask(alias: str, statement: str, table: str, *values: object) -> list[tuple]:
    composed = sql.SQL(statement).format(table=sql.Identifier(table), column=sql.Identifier(WALLED[table]))
    with connections[alias].cursor() as cursor:
        cursor.execute(composed, values)
        return cursor.fetchall() if cursor.description else [(cursor.rowcount,)]


def change(statement: str, table: str, *values: object) -> int:
    """How many rows were changed; none where it is refused."""
    try:
        with transaction.atomic():
            return ask("default", statement, table, *values)[0][0]
    except DatabaseError as error:
        if not isinstance(error.__cause__, REFUSALS):
            raise
        return 0


def test_every_table_has_a_wall_or_a_reason_to_have_none(db):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, c.relrowsecurity, array_agg(p.polname ORDER BY p.polname)::text[] FROM pg_class AS c "
            "LEFT JOIN pg_policy AS p ON p.polrelid = c.oid "
            "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') GROUP BY c.oid"
        )
        found = {table: (is_on, policies) for table, is_on, policies in cursor.fetchall()}

    assert {table for table, (is_on, _) in found.items() if not is_on} == set(OPEN)
    kept = {*tables_of(InsertOnly), *tables_of(Redactable), *lookup_tables()}
    assert {table: set(policies) for table, (is_on, policies) in found.items() if is_on} == {
        table: {"own_rows", *(["from_above"] if table in kept else []), *(["door"] if table in SEEN_OUTSIDE else [])} for table in WALLED
    }


@pytest.mark.parametrize("table", WALLED)
def test_another_organisations_rows_are_neither_seen_nor_changed(stranger, table):
    assert ask(OWNER, "SELECT count(*) FROM {table}", table) > [(0,)]

    assert ask("default", "SELECT count(*) FROM {table}", table) == [(0,)]
    assert change("UPDATE {table} SET {column} = {column}", table) == 0
    assert change("DELETE FROM {table}", table) == 0


@pytest.mark.parametrize("table", WALLED)
def test_no_row_is_put_into_another_organisation(stranger, table):
    ((row,),) = ask(OWNER, "SELECT to_jsonb(t)::text FROM {table} AS t LIMIT 1", table)

    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        ask("default", INSERT, table, row)

    assert isinstance(refused.value.__cause__, REFUSALS)


@pytest.mark.parametrize("table", sorted(WALLED.keys() - set(tables_of(InsertOnly) + tables_of(Redactable))))
def test_no_row_is_moved_into_another_organisation(rows_everywhere, table):
    assert ask("default", "SELECT count(*) FROM {table}", table) > [(0,)]

    with pytest.raises(DatabaseError) as refused, transaction.atomic():
        ask("default", "UPDATE {table} SET {column} = %s", table, make_organisation("Others").pk)

    assert isinstance(refused.value.__cause__, REFUSALS)


@pytest.mark.parametrize("table", WALLED)
def test_outside_of_all_organisations_nothing_is_seen_but_the_doors(rows_everywhere, table):
    with tenant.outside():
        assert (ask("default", "SELECT count(*) FROM {table}", table) > [(0,)]) is (table in SEEN_OUTSIDE)
        assert change("UPDATE {table} SET {column} = {column}", table) == 0


@pytest.mark.parametrize("table", WALLED)
def test_from_above_records_are_seen_and_nothing_is_written(rows_everywhere, table):
    kept = {*tables_of(InsertOnly), *tables_of(Redactable), *lookup_tables()}
    ((row,),) = ask(OWNER, "SELECT to_jsonb(t)::text FROM {table} AS t LIMIT 1", table)

    with tenant.across_all():
        assert (ask("default", "SELECT count(*) FROM {table}", table) > [(0,)]) is (table in kept)
        assert change("UPDATE {table} SET {column} = {column}", table) == change("DELETE FROM {table}", table) == 0
        assert change(INSERT, table, row) == 0


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE review_label DISABLE ROW LEVEL SECURITY",
        "DROP POLICY own_rows ON review_label",
        "CREATE POLICY mine ON review_label USING (true)",
        "ALTER POLICY own_rows ON review_label USING (true)",
        "SET LOCAL row_security = off; SELECT * FROM review_label",
    ],
)
def test_the_web_cannot_take_the_wall_down(rows_everywhere, statement):
    assert isinstance(test_records.refusal_of("default", statement), psycopg.errors.InsufficientPrivilege)


def test_the_doors_show_whoever_is_inside_their_own_organisation_alone(db):
    one, other = make_organisation(), make_organisation()
    make_member(one)
    make_member(other)

    with tenant.within(other.pk):
        assert list(Organisation.objects.values_list("pk", flat=True)) == [other.pk]
        assert list(Membership.objects.values_list("organisation", flat=True)) == [other.pk]
        assert not ServiceKey.objects.exists()
    assert list_organisation_ids() == [one.pk, other.pk]


PAST_THE_WRAPPER = frozenset({"callproc", "copy", "copy_from", "copy_to", "stream"})


def past_the_wrapper(path: Path) -> list[str]:
    """The calls of a module by which a cursor, or the driver's connection, asks the database without Django's wrapper of statements."""
    calls = [each for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(each, ast.Call)]
    found = [each.func for each in calls if isinstance(each.func, ast.Attribute) and each.func.attr in PAST_THE_WRAPPER]
    return [ast.unparse(each) for each in found if any(word in ast.unparse(each.value) for word in ("cursor", "connection"))]


def test_nothing_asks_the_database_past_the_wrapper_that_tells_it_the_tenant(tmp_path):
    assert {path: found for path in (settings.ROOT / "reviewers").rglob("*.py") if (found := past_the_wrapper(path))} == {}

    (tmp_path / "module.py").write_text("with connection.cursor() as cursor:\n    cursor.copy('COPY t TO STDOUT')\n")
    assert past_the_wrapper(tmp_path / "module.py") == ["cursor.copy"]
