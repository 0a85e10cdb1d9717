"""Verifying finds whatever was changed: each column of each record, and rows that are gone or were put in."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, models, transaction
from psycopg import sql
from psycopg.types.json import Jsonb

from reviewers.accounts.actions import note_second_factor, switch_citation_search
from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.members.actions import accept_with_new_account, invite
from reviewers.accounts.members.tokens import Because, end_token
from reviewers.accounts.models import SearchWay, ServiceKey
from reviewers.accounts.retention import set_period
from reviewers.accounts.single_sign_on.actions import ProviderSettings, link_identity, remove_provider, set_provider
from reviewers.ledger.jobs import run_verification
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, Log, Node
from reviewers.ledger.sequencer import change_key
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import Verified, verify, verify_none_gone, verify_shared
from reviewers.ledger.verification.rows import tables_within
from reviewers.quality.alarms import acknowledge
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.legal_holds.actions import lift, propose_lift
from reviewers.review.models import CitationVerdict, Flag, HoldKind, Label, Verdict
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import resolve_flag
from reviewers.snapshots.versions import actions as versions
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.snapshots.versions.trust import TRUST_TABLES
from reviewers.web.config import OWNER
from reviewers.web.tenancy import tenant
from reviewers.webhooks.actions import send_again, switch_endpoint
from tests.accounts.tokens import program_of_member, token_of
from tests.calibration.standing import Standing
from tests.factories import (
    CITED,
    NOW,
    choose,
    choose_finding,
    claim_words,
    flag_finding,
    make_item,
    make_key,
    make_member,
    make_organisation,
    without_proofs,
)
from tests.ledger.opened import PROTECTED, opened_tables
from tests.ledger.sealed import forget_published, seal_now, write_events
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import decide_all, make_conflict
from tests.review.holds.held import make_hold
from tests.review.plans.planning import make_plan, run_blind
from tests.review.redacting.redactable import redact_twice
from tests.review.signed import sign_as_it_stands
from tests.sampling import sampled
from tests.snapshots.judged import judge_here
from tests.snapshots.schemas import schema_text
from tests.snapshots.schemas import upload as upload_schema
from tests.snapshots.searches import make_searched, run_all
from tests.snapshots.trust_tables import write_table
from tests.webhooks.endpoints import make_delivery

COLUMNS = [(model, field, place) for model in PROTECTED for field in model._meta.concrete_fields for place in ("first", "last")]

NOT_NAMED = {
    ("ledger_eventsecret", "salt_seed", "first"): "opens commitments to rows that were written again since, so to nothing that is there",
    ("ledger_eventsecret", "column_checks", "first"): "the same: checks of columns whose row was written again since",
    ("reports_suggestionnames", "near", "last"): "two suggestions of one provider that come at once may both have it; it finds the same",
}
NAMED_BY_ANOTHER = {
    ("ledger_log", "organisation_id", "first"): "the log is missed where its checkpoint was published, by its name",
    ("ledger_checkpoint", "log_id", "first"): "the checkpoint after it names it as gone",
    ("ledger_checkpoint", "size", "first"): "the checkpoint after it names it as gone",
}


def do_everything(organisation) -> None:
    """At least two rows in each table, each written as the site writes it."""
    alice, bob = make_member(organisation), make_member(organisation, name="Bob Birch")
    for member in (alice, bob):
        item = make_item(organisation)
        for note in ("look", "again"):
            flag_finding(choice=choose_finding(item, "over_cited"), note=note, by=member, now=NOW)
        actions.save_label(choice=choose(item), verdict=Verdict.WRONG, note="no", by=member, now=NOW)
        actions.label_remaining(item_id=item.pk, by=member, now=NOW)
        actions.submit(item_id=item.pk, by=member, now=NOW)
        sign_as_it_stands(item, member)
        cited = make_item(organisation, **CITED, completeness={"safety": 0.5}, completeness_threshold=0.25)
        choice = RowChoice(cited.pk, cited.attribution_id, 0)
        save_citation_label(choice=choice, verdict=CitationVerdict.SUPPORTS, note="yes", by=member, now=NOW)
        make_searched(organisation)
        alarm = make_alarm(organisation, model=member.user.name)
        acknowledge(alarm_id=alarm.pk, reason=f"{member.user.name} knows", by=member, now=NOW)
    run_all()
    for name in ("one", "two"):
        for _ in range(3):
            make_item(organisation, model=name)
        run_blind(make_member(organisation, "lead"), candidates={"facets": {"model": [name]}}, control_share=0.5, guide=f"Look {name}.")
    for note in ("here", "there"):
        conflict, lead = make_conflict(organisation, note), make_member(organisation, "lead")
        decide_all(conflict, lead)
        reopen(item_id=conflict.pk, reason=f"look {note}", by=lead, now=NOW)
    for member in (alice, bob):
        actions.skip(item_id=make_item(organisation).pk, reason="not mine", by=member, now=NOW)
    talk(organisation, alice, bob)
    redact_twice(organisation)
    lift_some(organisation)
    use_schemas(organisation)
    use_trust_tables(organisation)
    use_webhooks(organisation)
    use_tokens(organisation)
    judge_here(organisation)
    for name in ("three", "four"):
        standing = Standing(organisation, name)
        standing.fill()
        standing.retire()
    without_proofs(alice).post("/queue/search/", {"words": "somebody soon"}, follow=True)
    for form in ("csv", "jsonl"):
        make_export(make_member(organisation, "auditor"), form)
    switch_citation_search(organisation=organisation, to=SearchWay.OFF, at=NOW, by=SYSTEM)
    make_key(organisation)
    change_accounts(organisation)
    sign_on_by(organisation, alice, bob)
    write_events(organisation.pk, 256)
    seal_now(organisation.pk)
    run_verification(organisation_id=organisation.pk, begun_at=NOW)
    run_verification(organisation_id=organisation.pk, begun_at=NOW)
    change_key(organisation_id=organisation.pk, by=SYSTEM, now=NOW)
    make_item(organisation)


def talk(organisation, alice, bob) -> None:
    """Flags that a lead resolves, and comments that mention a colleague."""
    lead = make_member(organisation, "lead")
    for member, name in ((alice, "Mona Reed"), (bob, "Nils Wren")):
        make_member(organisation, name=name)
        flag = Flag.objects.filter(reviewer=member.user_id).first()
        resolve_flag(item_id=flag.snapshot_id, flag_id=flag.pk, note="seen", by=lead, now=NOW)
        claim_words(flag.snapshot.item, member, note="nowhere", reason="seen late")
        write_comment(item_id=flag.snapshot_id, text=f"@{name}, look at this", by=member, now=NOW)


def change_accounts(organisation) -> None:
    """Members who were invited, periods, a second factor."""
    for email in ("ina@example.org", "ira@example.org"):
        invitation = invite(organisation=organisation, email=f"{organisation.slug}-{email}", role="auditor", at=NOW, by=SYSTEM)
    member = accept_with_new_account(invitation=invitation, name="Ira Ives", password="a long password of hers", at=NOW)
    note_second_factor(member=member, at=NOW)
    invite(organisation=organisation, email=f"{organisation.slug}@example.org", role="lead", at=NOW, by=SYSTEM)
    for kind, years in (("answers", 7), ("reviews", 8)):
        set_period(organisation=organisation, kind=kind, years=years, at=NOW, by=SYSTEM)


def sign_on_by(organisation, one, other) -> None:
    """A provider that was removed, one that another replaced, and that one, which was set again for other domains."""

    def trust(client, *domains):
        names = tuple(f"{domain}.{organisation.slug}.example" for domain in domains)
        return set_provider(
            organisation=organisation, terms=ProviderSettings("North", "https://login.example", client, "known", names), at=NOW
        )

    for client in ("removed", "replaced"):
        provider = trust(client, "first", "second")
        for member in (one, other):
            link_identity(provider=provider, user=member.user, subject=f"subject of {member.pk}", at=NOW, by=SYSTEM)
        if client == "removed":
            remove_provider(organisation=organisation, at=NOW)
    provider = trust("kept", "second")
    link_identity(provider=provider, user=one.user, subject=f"subject of {one.pk}", at=NOW, by=SYSTEM)
    trust("kept", "second", "third")


def use_schemas(organisation) -> None:
    """Versions that people and programs uploaded: two that answers use, and one that is declined."""
    lead, other = (make_member(organisation, "lead", name) for name in ("Sella Schema", "Siri Second"))
    for by, second, hours in ((lead, other, 1), (other, lead, 2)):
        text = schema_text(f"version {hours}")
        schema = upload_schema(by, text)
        versions.propose(SCHEMAS, version_id=schema.pk, by=by, now=NOW + timedelta(minutes=hours))
        versions.approve(SCHEMAS, version_id=schema.pk, by=second, now=NOW + timedelta(hours=hours))
        make_item(organisation, schema_version=f"version {hours}")
        make_key(organisation)
        key = ServiceKey.objects.filter(organisation=organisation).latest("created_at")
        versions.write(SCHEMAS, content=schema_text(f"sent {hours}").encode(), by=key, now=NOW + timedelta(days=hours))
    schema = upload_schema(lead, schema_text("declined"))
    versions.propose(SCHEMAS, version_id=schema.pk, by=lead, now=NOW)
    versions.decline(SCHEMAS, version_id=schema.pk, by=other, now=NOW)


def use_webhooks(organisation) -> None:
    """An endpoint that was switched off and on, with a delivery that was sent once and waits to be sent again."""
    delivery, admin = make_delivery(organisation), make_member(organisation, "administrator")
    for on in (False, True):
        switch_endpoint(endpoint_id=delivery.endpoint_id, on=on, by=admin, now=NOW)
    send_again(delivery_id=delivery.pk, by=admin, now=NOW)


def use_tokens(organisation) -> None:
    """Two tokens of a member, of which one has ended."""
    member = make_member(organisation, "lead", "Tara Token")
    token, _ = token_of(member)
    end_token(token=token, because=Because.ASKED, at=NOW, by=user_actor(member.user_id))
    program_of_member(member).get("/api/v1/items")


def use_trust_tables(organisation) -> None:
    """Two tables that answers were judged under, and one that is declined."""
    lead, other = (make_member(organisation, "lead", name) for name in ("Tilda Trust", "Tycho Two"))
    for by, second, hours in ((lead, other, 1), (other, lead, 2)):
        table = write_table(by, f"guild.example, {hours}, our own handbook")
        versions.propose(TRUST_TABLES, version_id=table.pk, by=by, now=NOW + timedelta(minutes=hours))
        versions.approve(TRUST_TABLES, version_id=table.pk, by=second, now=NOW + timedelta(hours=hours))
        make_item(organisation, **CITED)
    table = write_table(lead, "# declined")
    versions.propose(TRUST_TABLES, version_id=table.pk, by=lead, now=NOW)
    versions.decline(TRUST_TABLES, version_id=table.pk, by=other, now=NOW)


def lift_some(organisation) -> None:
    """Holds of each kind; two of them are lifted."""
    lead, other = (make_member(organisation, "lead", name) for name in ("Hetty Hold", "Lars Lift"))
    for by, second, days in ((lead, other, 1), (other, lead, 2)):
        plan = make_plan(by)
        make_hold(by, HoldKind.PLAN, plan_id=plan.pk)
        make_hold(by, HoldKind.PERIOD, since=NOW.date() + timedelta(days=days), until=NOW.date() + timedelta(days=days + 7))
        hold = make_hold(by, reference=f"client-held-{days}")
        propose_lift(hold_id=hold.pk, reason=f"settled {days}", by=by, now=NOW + timedelta(minutes=days))
        lift(hold_id=hold.pk, by=second, now=NOW + timedelta(hours=days))


@pytest.fixture(scope="module")
def world(committed_for_module) -> list[Any]:
    """Two organisations with everything in them."""
    forget_published()
    organisations = [make_organisation(), make_organisation("Elsewhere Clinic")]
    for organisation in organisations:
        with tenant.within(organisation.pk):
            do_everything(organisation)
    tenant.enter(tenant.ALL_ORGANISATIONS)
    return organisations


@pytest.fixture(scope="module")
def opened(world) -> Iterator[list[Any]]:
    """One transaction for all tests: to open each table anew takes longer than to verify what is in it."""
    with opened_tables():
        yield world


def verify_all(organisations, first: Any = None) -> list[Verified]:
    """That which is named comes first, where a difference is to be expected."""
    in_order = sorted(organisations, key=lambda each: each.pk != first)
    found = [verify(organisation_id=organisation.pk) for organisation in in_order]
    verify_shared()
    verify_none_gone()
    return found


@contextmanager
def undone_by_owner() -> Iterator[Any]:
    """Change what nobody may; undone afterwards."""
    with transaction.atomic(), connections[OWNER].cursor() as cursor:
        yield cursor
        transaction.set_rollback(True)


def test_what_nobody_touched_agrees(world):
    found = verify_all(world)

    assert [each.events for each in found] == [Leaf.objects.filter(log__organisation_id=each.pk).count() for each in world]
    assert all(each.waiting and each.rows > 20 and each.checkpoints == 2 for each in found)


def test_there_are_rows_to_be_changed(world):
    empty = [model._meta.db_table for model in PROTECTED if not model.objects.exists()]

    assert empty == [], "Write some in do_everything: a column of a table without rows is not tested."


def other_value(field: models.Field[Any, Any], value: Any, others: list[Any]) -> Any:  # noqa: PLR0911 — one for each type
    """Another value that the column can hold: that of another row if there is one, as whoever knows what they do would choose."""
    different = [other for other in others if other != value and other is not None]
    if isinstance(field, (models.IntegerField, models.FloatField)):
        return (value or 0) + 1000
    if isinstance(field, (models.UUIDField, models.ForeignKey)) or (different and not field.unique and not field.primary_key):
        return next((other for other in different if not field.primary_key), uuid.uuid4() if isinstance(value, uuid.UUID | None) else "x")
    if isinstance(field, models.BooleanField):
        return not value
    if isinstance(field, models.DateTimeField):
        return value + timedelta(microseconds=1)
    if isinstance(field, models.DateField):
        return value + timedelta(days=1)
    if isinstance(field, models.BinaryField):
        content = bytes(value or b"\0")
        return content[:-1] + bytes([content[-1] ^ 1]) if content else b"\1"
    if isinstance(field, models.JSONField):
        return {"other": 1}
    if field.get_internal_type() == "ArrayField":
        return [*value, "other"]
    if field.max_length and len(value) == field.max_length:
        return f"{value[:-1]}{'y' if value.endswith('x') else 'x'}"
    return f"{value or ''}x"


@pytest.mark.parametrize(
    ("model", "field", "place"),
    sampled(COLUMNS, lambda case: case[0], lambda case: (type(case[1]), case[2])),
    ids=lambda each: getattr(each, "column", None) or (each if type(each) is str else each._meta.db_table),
)
def test_any_column_of_any_record_that_was_changed_is_found(opened, model, field, place):
    """In the first row that was ever written in its table, and in the last one."""
    table, key = model._meta.db_table, model._meta.pk.column
    if reason := NOT_NAMED.get((table, field.column, place)):
        pytest.skip(reason)
    row = getattr(model.objects.order_by("size" if model is Checkpoint else key), place)()
    others = list(model.objects.exclude(pk=row.pk).values_list(field.attname, flat=True)[:50])
    value = "'changed'" if field.column == "search" else other_value(field, getattr(row, field.attname), others)
    with undone_by_owner() as cursor:
        statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} = %s").format(*map(sql.Identifier, (table, field.column, key)))
        cursor.execute(statement, [Jsonb(value) if isinstance(field, models.JSONField) else value, row.pk])
        assert cursor.rowcount == 1
        with pytest.raises(LedgerMismatch) as found:
            verify_all(opened, first=None if field.column == "organisation_id" else getattr(row, "organisation_id", None))
    assert found.value.table == table, str(found.value)
    if not field.primary_key and (table, field.column, place) not in NAMED_BY_ANOTHER:
        assert found.value.key == str(row.pk), str(found.value)
        assert field.column in found.value.column.split(", ") or "or" in found.value.column, str(found.value)


def test_what_is_not_named_opens_nothing_that_is_there(opened):
    """Its event keeps no text, and a later event commits to each row that it names: those states are nowhere, so nothing is lost."""
    first = AuditEvent.objects.get(pk=EventSecret.objects.earliest("pk").pk)
    body = json.loads(bytes(first.body))
    later = [json.loads(bytes(each)) for each in AuditEvent.objects.filter(pk__gt=first.pk).values_list("body", flat=True)]
    told_again = {(row["table"], row["id"]) for each in later for row in each.get("rows", [])}

    assert "parts" not in body
    assert {(row["table"], row["id"]) for row in body["rows"]} <= told_again


@pytest.mark.parametrize("model", sampled(PROTECTED, more=8), ids=lambda model: model._meta.db_table)
def test_any_row_that_is_gone_is_missed(opened, model):
    row = model.objects.order_by("size" if model is Checkpoint else "pk").last()
    with undone_by_owner() as cursor:
        cursor.execute(
            sql.SQL("DELETE FROM {} WHERE {} = %s").format(*map(sql.Identifier, (model._meta.db_table, model._meta.pk.column))),
            [row.pk],
        )
        with pytest.raises(LedgerMismatch):
            verify_all(opened, first=getattr(row, "organisation_id", None))


@pytest.mark.parametrize("model", sampled(PROTECTED, more=8), ids=lambda model: model._meta.db_table)
def test_any_row_that_was_put_in_is_found(opened, model):
    row = model.objects.order_by("pk").last()
    for field in model._meta.concrete_fields:
        if field.primary_key or field.unique or field.column in ("external_id", "index", "size", "epoch", "engine_version", "reviewer_id"):
            value = getattr(row, field.attname)
            setattr(row, field.attname, value + 100 if isinstance(value, int) else uuid.uuid4() if isinstance(value, uuid.UUID) else "new")
    with undone_by_owner():
        row.save(force_insert=True)
        with pytest.raises(LedgerMismatch) as found:
            verify_all(opened, first=getattr(row, "organisation_id", None))
    assert found.value.table == model._meta.db_table, str(found.value)


def test_a_log_that_was_cut_off_at_its_end_is_known_by_what_was_published(opened):
    log = Log.objects.get(organisation_id=opened[0].pk)
    with undone_by_owner() as cursor:
        cut = Checkpoint.objects.filter(log=log).order_by("size").first().size
        cursor.execute(
            "DELETE FROM ledger_auditevent WHERE id IN (SELECT id FROM ledger_leaf WHERE log_id = %s AND index >= %s)", [log.pk, cut]
        )
        cursor.execute("DELETE FROM ledger_eventsecret AS s WHERE NOT EXISTS (SELECT FROM ledger_auditevent WHERE id = s.event_id)")
        cursor.execute("DELETE FROM ledger_logkey AS k WHERE NOT EXISTS (SELECT FROM ledger_auditevent WHERE id = k.id)")
        cursor.execute("DELETE FROM ledger_leaf WHERE log_id = %s AND index >= %s", [log.pk, cut])
        cursor.execute("DELETE FROM ledger_checkpoint WHERE log_id = %s AND size > %s", [log.pk, cut])
        with pytest.raises(LedgerMismatch, match=f"a checkpoint of {cut + 1} leaves was published, and is not here"):
            verify(organisation_id=opened[0].pk)


def test_a_checkpoint_that_is_gone_is_named_by_the_one_after_it(opened):
    first, second = Checkpoint.objects.filter(log__organisation_id=opened[0].pk).order_by("size")
    with undone_by_owner() as cursor:
        cursor.execute("DELETE FROM ledger_checkpoint WHERE id = %s", [first.pk])
        with pytest.raises(
            LedgerMismatch, match=f"a checkpoint of {first.size} leaves was signed before this one, and is not here"
        ) as found:
            verify(organisation_id=opened[0].pk)
    assert found.value.key == str(second.pk)


def test_two_events_that_changed_places_are_found(opened):
    one, other = Leaf.objects.filter(log__organisation_id=opened[0].pk, index__in=(4, 5)).order_by("index")
    with undone_by_owner() as cursor:
        for leaf, index in ((one, -1), (other, 4), (one, 5)):
            cursor.execute("UPDATE ledger_leaf SET index = %s WHERE id = %s", [index, leaf.pk])
        with pytest.raises(LedgerMismatch) as found:
            verify(organisation_id=opened[0].pk)
    assert found.value.table == "ledger_node"


def test_a_column_that_came_later_is_not_missed_by_what_was_written_before(opened):
    with undone_by_owner() as cursor:
        cursor.execute("ALTER TABLE review_label ADD COLUMN colour text")
        verify_all(opened)


def test_the_command_says_what_agrees(world, capsys):
    call_command("verify")
    call_command("verify", organisation=world[0].slug)

    everything = capsys.readouterr().out.splitlines()
    lines = [line for line in everything if " redacted on " not in line]
    assert len(lines) == 3
    assert len(everything) == 3 + 3 * 3, "and of each of them what was redacted"
    assert lines[0] == lines[2]
    assert " events sealed, " in lines[0]
    assert lines[0].endswith(" rows and 2 checkpoints agree.")


def test_the_command_names_the_row_and_fails(opened):
    label = Label.objects.filter(organisation=opened[1]).first()
    with undone_by_owner() as cursor:
        cursor.execute("UPDATE review_label SET note = 'another' WHERE id = %s", [label.pk])
        with pytest.raises(CommandError) as failed:
            call_command("verify")
    assert str(failed.value) == (f"Not as it was sealed:\n{opened[1].slug}: review_label {label.pk}, column note: is not what was written")


def test_the_command_knows_its_organisations(world):
    with pytest.raises(CommandError, match="There is no organisation 'nobody'"):
        call_command("verify", organisation="nobody")


def test_nodes_are_among_what_is_verified(world):
    assert Node.objects.filter(log__organisation_id=world[0].pk).exists()


def test_a_log_that_was_published_and_is_gone_is_missed(opened):
    tables = ("ledger_checkpoint", "ledger_leaf", "ledger_node", "ledger_logkey", "ledger_log", "ledger_auditevent", "ledger_eventsecret")
    with undone_by_owner() as cursor:
        for table in tables:
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        with pytest.raises(LedgerMismatch, match="a checkpoint of this log was published, and the log is not here"):
            verify(organisation_id=opened[0].pk)


def test_an_organisation_whose_row_is_gone_is_missed(opened):
    with undone_by_owner() as cursor:
        cursor.execute("DELETE FROM accounts_organisation WHERE id = %s", [opened[0].pk])
        with pytest.raises(CommandError, match=r"ledger_auditevent .* column organisation_id: is of an organisation that is not here"):
            call_command("verify")


def test_an_organisation_that_is_gone_with_all_its_records_is_missed(opened):
    with undone_by_owner() as cursor:
        cursor.execute("DELETE FROM accounts_organisation WHERE id = %s", [opened[0].pk])
        for table in ["ledger_auditevent", *tables_within(opened[0].pk)]:
            cursor.execute(sql.SQL("DELETE FROM {} WHERE organisation_id = %s").format(sql.Identifier(table)), [opened[0].pk])
        with pytest.raises(
            CommandError, match=f"accounts_organisation {opened[0].pk}: is gone, though a checkpoint of its log was published"
        ):
            call_command("verify")
