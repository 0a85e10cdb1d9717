"""Records stay as they were written: by grants for the web's role, by triggers for everybody else. Found by reflection over the models."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import connections, transaction
from django.db.utils import DatabaseError
from psycopg import sql

from reviewers.accounts.actions import keep_draft, note_use
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.tokens import note_token_use
from reviewers.accounts.models import (
    Draft,
    Hurdle,
    Invitation,
    KeyUse,
    Membership,
    MemberToken,
    Organisation,
    Proof,
    RetentionPeriod,
    ServiceKey,
    SignOnDomain,
    SignOnIdentity,
    SignOnProvider,
    TokenUse,
    User,
)
from reviewers.accounts.queries import find_service_key
from reviewers.accounts.retention import RecordKind, set_period
from reviewers.accounts.sign_in.throttle import count_failure
from reviewers.accounts.single_sign_on.actions import ProviderSettings, link_identity, set_provider
from reviewers.calibration.models import BackgroundTask, JudgeRun, Recomputation, SeenCombination
from reviewers.ledger.jobs import run_verification
from reviewers.ledger.models import Pending
from reviewers.ledger.sequencer import seal_all
from reviewers.quality.alarms import acknowledge
from reviewers.quality.jobs import fold
from reviewers.quality.models import DayTotal, Delta, Watch
from reviewers.reports.models import ExportChunk
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.legal_holds.actions import lift
from reviewers.review.models import Aside, CitationVerdict, CountedName, Lease, Plan, QueueItem, Tally
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import resolve_flag
from reviewers.snapshots.models import Trace, WaitingSpans
from reviewers.web.config import DEFAULT, OWNER
from reviewers.web.models import InsertOnly, Redactable, tables_of
from reviewers.web.tenancy.row_level_security import grant_web_role
from reviewers.webhooks.models import DueDelivery, Endpoint
from tests.accounts.invited import invite_one
from tests.accounts.tokens import token_of
from tests.api.sending import program_of
from tests.calibration.standing import Standing
from tests.factories import CITED, NOW, choose_finding, claim_words, flag_finding, make_item, make_key, make_member, make_organisation
from tests.ledger.sealed import write_events
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import decide_one, make_conflict
from tests.review.holds.held import make_lifting
from tests.review.listed import make_view
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import redact_something
from tests.review.signed import sign_as_it_stands
from tests.snapshots.judged import judge_here
from tests.snapshots.otlp.tracing import send, span
from tests.snapshots.schemas import approve_schema
from tests.snapshots.searches import make_searched, run_all
from tests.snapshots.trust_tables import approve_table
from tests.webhooks.endpoints import make_delivery, make_due_delivery

MAY_CHANGE = {
    User: "people change their password, accounts are closed",
    Organisation: "switches",
    Membership: "ends",
    ServiceKey: "is revoked",
    Hurdle: "counts failures",
    Draft: "is being written",
    Proof: "is used up, once",
    SignOnProvider: "is set by the operator",
    SignOnDomain: "is set with its provider",
    SignOnIdentity: "goes with its provider",
    RetentionPeriod: "is set",
    KeyUse: "is the last one",
    MemberToken: "ends",
    TokenUse: "is the last one",
    Invitation: "is accepted or ends",
    Trace: "waits for its spans, and ends",
    WaitingSpans: "wait for their trace to end",
    QueueItem: "moves through the queue",
    ExportChunk: "is let go of after some days",
    Lease: "is taken, renewed, released",
    Aside: "is taken up again",
    Plan: "starts and ends",
    SeenCombination: "gets another active profile",
    Recomputation: "goes on",
    BackgroundTask: "goes on",
    JudgeRun: "goes on",
    CountedName: "belongs to counts",
    Tally: "counts",
    Delta: "is folded",
    DayTotal: "adds up",
    Watch: "goes on",
    Pending: "is sealed",
    Endpoint: "is switched on and off",
    DueDelivery: "is tried again, and done",
}
"""The models of the site whose rows may change, and why. All others are records."""

RECORDS = tables_of(InsertOnly)
KEPT = sorted(RECORDS + tables_of(Redactable))
CHANGES = {
    "update": "UPDATE {table} SET {column} = {column}",
    "delete": "DELETE FROM {table}",
    "truncate": "TRUNCATE {table} CASCADE",
}


@pytest.fixture(scope="module")
def rows_everywhere(committed_for_module) -> None:
    """At least one row in each table of the site, each written as the site writes it."""
    organisation = make_organisation()
    alice = make_member(organisation)
    item = make_item(organisation, provider="Dr. Ada Quill")
    note_use(key=find_service_key(make_key(organisation), NOW), at=NOW)
    note_token_use(token=token_of(alice)[0], at=NOW)
    count_failure("somebody's digest", NOW)
    invite_one(organisation)
    provider = set_provider(
        organisation=organisation, terms=ProviderSettings("North", "https://n.example", "c", "s", ("n.example",)), at=NOW
    )
    link_identity(provider=provider, user=alice.user, subject="alice", at=NOW, by=SYSTEM)
    keep_draft(page="/", field="note", text="half a sentence", by=alice, now=NOW)
    set_period(organisation=organisation, kind=RecordKind.REVIEWS, years=9, at=NOW, by=SYSTEM)
    flag = flag_finding(choice=choose_finding(item, "over_cited"), note="look", by=alice, now=NOW)
    lead = make_member(organisation, "lead", "Leda Lund")
    resolve_flag(item_id=item.pk, flag_id=flag.pk, note="seen to", by=lead, now=NOW)
    write_comment(item_id=item.pk, text="look, @Leda Lund", by=alice, now=NOW)
    make_view(alice)
    claim_words(item, alice)
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)
    cited = make_item(organisation, **CITED)
    choice = RowChoice(cited.pk, cited.attribution_id, 0)
    save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, by=alice, now=NOW)
    _run_plan(organisation)
    acknowledge(alarm_id=make_alarm(organisation).pk, reason="seen to", by=alice, now=NOW)
    fold()
    conflict, lead = make_conflict(organisation), make_member(organisation, "lead")
    decide_one(conflict, lead)
    reopen(item_id=conflict.pk, reason="look again", by=lead, now=NOW)
    sign_as_it_stands(item, alice)
    redact_something(organisation)
    lift(hold_id=make_lifting(organisation).hold_id, by=make_member(organisation, "lead"), now=NOW)
    approve_schema(organisation)
    approve_table(organisation)
    make_delivery(organisation)
    make_due_delivery(organisation)
    standing = Standing(organisation)
    standing.recompute()
    standing.fill()
    standing.retire()
    send(program_of(organisation), span())
    make_searched(organisation)
    run_all()
    judge_here(organisation)
    make_export(make_member(organisation, "auditor"))
    write_events(organisation.pk, 256)
    run_verification(organisation_id=organisation.pk, begun_at=NOW)
    seal_all(now=NOW)
    write_events(organisation.pk)


def _run_plan(organisation) -> None:
    """With a guide, and a seeded row of each kind."""
    make_item(organisation, model="planned")
    lead = make_member(organisation, "lead")
    aside = make_item(organisation, model="planned")
    run_blind(lead, candidates={"facets": {"model": ["planned"]}}, control_share=0.5, guide="Look twice.")
    actions.skip(item_id=aside.pk, reason="not mine", by=lead, now=NOW)


def test_while_rights_are_set_nothing_is_granted_that_is_taken_back(rows_everywhere):
    """Another connection looks all the while; a migration may run beside a site that serves."""
    asked, done = "SELECT bool_or(has_table_privilege(%s, t, 'UPDATE')) FROM unnest(%s::text[]) AS t", threading.Event()

    def watch() -> set[bool]:
        seen = set()
        with connections[OWNER].cursor() as cursor:
            while not done.is_set():
                cursor.execute(asked, [settings.DATABASES[DEFAULT]["USER"], KEPT])
                seen.add(cursor.fetchone()[0])
        connections.close_all()
        return seen

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        for _ in range(30):
            grant_web_role(OWNER)
        done.set()
    assert watching.result() == {False}


def refusal_of(alias: str, statement: str, table: str = "") -> psycopg.Error:
    """The database's reason not to do something."""
    with connections[alias].cursor() as cursor:
        column = connections[alias].introspection.get_table_description(cursor, table)[0].name if table else ""
        composed = sql.SQL(statement).format(table=sql.Identifier(table), column=sql.Identifier(column))
        with pytest.raises(DatabaseError) as refused, transaction.atomic(using=alias):
            cursor.execute(composed)
    cause = refused.value.__cause__
    assert isinstance(cause, psycopg.Error)
    return cause


def test_every_model_of_the_site_is_a_record_or_may_change_for_a_reason():
    ours = {model for model in apps.get_models() if model.__module__.startswith("reviewers.")}

    assert {model for model in ours if not issubclass(model, (InsertOnly, Redactable))} == set(MAY_CHANGE)


def test_there_is_a_row_to_be_changed_in_every_table(rows_everywhere):
    ours = [model for model in apps.get_models() if model.__module__.startswith("reviewers.")]

    assert [model for model in ours if not model.objects.exists()] == [], (
        "Write one in rows_everywhere: on an empty table no trigger for rows fires."
    )


@pytest.mark.parametrize("change", CHANGES)
def test_the_web_may_not_change_a_record(rows_everywhere, change):
    for table in KEPT:
        assert isinstance(refusal_of(DEFAULT, CHANGES[change], table), psycopg.errors.InsufficientPrivilege), table


@pytest.mark.parametrize("change", CHANGES)
def test_not_even_the_owner_may_change_a_record(rows_everywhere, change):
    for table in RECORDS:
        refusal = refusal_of(OWNER, CHANGES[change], table)

        assert isinstance(refusal, psycopg.errors.RestrictViolation), table
        assert "is a record: rows are inserted, never changed or deleted" in str(refusal), table


@pytest.mark.parametrize("table", KEPT)
def test_the_web_may_read_and_insert_records_and_nothing_else(rows_everywhere, table):
    with connections[DEFAULT].cursor() as cursor:
        rights = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES"]
        cursor.execute(f"SELECT {', '.join(f'has_table_privilege(%(table)s, {right!r})' for right in rights)}", {"table": table})
        granted = dict(zip(rights, cursor.fetchone(), strict=True))
        cursor.execute("SELECT has_any_column_privilege(%s, 'UPDATE')", [table])
        (some_column,) = cursor.fetchone()

    assert {right for right, has in granted.items() if has} == {"SELECT", "INSERT"}
    assert not some_column


@pytest.mark.parametrize("table", RECORDS)
def test_the_triggers_that_keep_a_record_are_on(rows_everywhere, table):
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute("SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname LIKE 'keep_%%'", [table])
        assert dict(cursor.fetchall()) == {"keep_rows": "O", "keep_table": "O"}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE mine (id int)",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "ALTER TABLE ledger_auditevent DISABLE TRIGGER keep_rows",
        "ALTER TABLE ledger_auditevent ADD COLUMN mine int",
        "ALTER TABLE ledger_auditevent OWNER TO footnote_web",
        "DROP TRIGGER keep_rows ON ledger_auditevent",
        "DROP TABLE ledger_auditevent",
        "DROP FUNCTION refuse_change() CASCADE",
        "CREATE RULE mine AS ON INSERT TO ledger_auditevent DO INSTEAD NOTHING",
        "CREATE TRIGGER mine BEFORE INSERT ON ledger_auditevent FOR EACH ROW EXECUTE FUNCTION refuse_change()",
        "SET ROLE footnote_owner",
        "SET session_replication_role = replica",
        "CREATE ROLE mine",
        "DELETE FROM django_migrations",
        "COPY ledger_auditevent TO PROGRAM 'cat'",
        "COPY ledger_auditevent FROM '/dev/null'",
        "COPY ledger_auditevent FROM PROGRAM 'true'",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT lo_import('/dev/null')",
        "SELECT lo_export(1, '/dev/null')",
        "SELECT pg_ls_dir('.')",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user",
        "CREATE TEMPORARY TABLE ledger_redactiondecision (id int)",
        "CREATE TEMPORARY VIEW snapshots_snapshot AS SELECT 1 AS id",
        "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'",
        "CREATE EVENT TRIGGER mine ON ddl_command_end EXECUTE FUNCTION refuse_change()",
        "ALTER FUNCTION ledger_redact SET search_path = pg_temp",
        "ALTER FUNCTION redaction_allows OWNER TO footnote_web",
        "ALTER TABLE ledger_auditevent NO FORCE ROW LEVEL SECURITY",
        "UPDATE pg_trigger SET tgenabled = 'D'",
        "SET SESSION AUTHORIZATION footnote_owner",
    ],
)
def test_the_web_cannot_take_the_protection_away(rows_everywhere, statement):
    assert isinstance(refusal_of(DEFAULT, statement), psycopg.errors.InsufficientPrivilege)


def test_the_web_makes_nothing_even_where_everybody_once_might(rows_everywhere):
    """Clusters that were upgraded from older versions let everybody create in ``public``."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    grant_web_role(OWNER)

    assert isinstance(refusal_of(DEFAULT, "CREATE TABLE mine (id int)"), psycopg.errors.InsufficientPrivilege)


def test_the_web_cannot_grant_itself_what_it_has_not(rows_everywhere):
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute("GRANT UPDATE ON ledger_auditevent TO footnote_web")  # PostgreSQL only warns
        cursor.execute("SELECT has_table_privilege('ledger_auditevent', 'UPDATE')")
        assert cursor.fetchone() == (False,)


def test_the_web_owns_nothing_and_is_nobody_special(rows_everywhere):
    web = settings.DATABASES[DEFAULT]["USER"]
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == (web,)
        cursor.execute(
            """
            SELECT 'relation ' || relname FROM pg_class WHERE relowner = current_user::regrole
            UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE proowner = current_user::regrole
            UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspowner = current_user::regrole
            UNION ALL SELECT 'database ' || datname FROM pg_database WHERE datdba = current_user::regrole
            UNION ALL SELECT 'member of ' || roleid::regrole FROM pg_auth_members WHERE member = current_user::regrole
            UNION ALL SELECT 'special' FROM pg_roles
                WHERE rolname = current_user AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolbypassrls OR rolreplication)
            """
        )
        assert cursor.fetchall() == []


def test_the_web_may_make_nothing_in_any_schema(rows_everywhere):
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE')")
        assert cursor.fetchall() == []
        cursor.execute("SELECT has_database_privilege(current_database(), 'CREATE'), has_database_privilege(current_database(), 'TEMP')")
        assert cursor.fetchone() == (False, False)


def test_the_web_sets_no_sequence(rows_everywhere):
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute("SELECT oid::regclass FROM pg_class WHERE CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'UPDATE') END")
        assert cursor.fetchall() == []


def test_what_has_its_owners_rights_finds_nothing_that_the_caller_put_in_its_way(rows_everywhere):
    """Every function of the schema that is called with the owner's rights, or from one of these, looks where nobody else can write."""
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute(
            "SELECT proname, proconfig FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            " AND (prosecdef OR proname LIKE 'redaction\\_%')"
        )
        found = dict(cursor.fetchall())
    assert len(found) > 5
    assert all("search_path=pg_catalog, public, pg_temp" in config for config in found.values())


@pytest.mark.parametrize("table", KEPT)
def test_the_owners_rights_change_no_record_for_whoever_asks(rows_everywhere, table):
    """Each row of each record, each of its columns, with a setting as the trigger knows it and without."""
    with connections[OWNER].cursor() as cursor:
        columns = [column.name for column in connections[OWNER].introspection.get_table_description(cursor, table)]
        cursor.execute(sql.SQL("SELECT to_jsonb(kept)->>{} FROM {} AS kept LIMIT 1").format(sql.Literal(columns[0]), sql.Identifier(table)))
        (key,) = cursor.fetchone()
    key = key if len(key) == 36 else "00000000-0000-0000-0000-000000000000"  # no record, then
    ask = "SELECT set_config('footnote.redaction', %s, true), ledger_redact(%s, %s, jsonb_build_object(%s::text, null))"
    with connections[DEFAULT].cursor() as cursor:
        for column in columns:
            for setting in ("", key):
                with pytest.raises(DatabaseError, match="no redaction that is approved now names"), transaction.atomic():
                    cursor.execute(ask, [setting, table, key, column])


def test_only_a_redaction_lends_the_web_its_owners_rights(rows_everywhere):
    """See tests/review/redacting/test_hostile.py for how narrow it is."""
    with connections[DEFAULT].cursor() as cursor:
        cursor.execute("SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace")
        assert cursor.fetchall() == [("ledger_redact",)]
