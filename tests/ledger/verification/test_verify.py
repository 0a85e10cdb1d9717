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

from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, Log, Node
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import Verified, verify, verify_none_gone, verify_shared
from reviewers.ledger.verification.rows import tables_within
from reviewers.review.models import Label
from reviewers.web.config import OWNER
from tests.ledger.opened import PROTECTED
from tests.sampling import sampled

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
