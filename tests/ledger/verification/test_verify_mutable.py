"""Verifying names what was changed in rows that may change: each column of each table, or it is listed here why it need not.

Found by reflection: a new table or column fails here until it is verified, or is in ``NOT_NAMED`` with its reason.
"""

from __future__ import annotations

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import models
from psycopg import sql
from psycopg.types.json import Jsonb

from reviewers.accounts.models import Membership
from reviewers.ledger.models import Checkpoint
from reviewers.ledger.sequencer import open_published
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from tests.ledger.opened import PROTECTED
from tests.ledger.verification.test_verify import other_value, undone_by_owner, verify_all
from tests.sampling import sampled

NOT_NAMED = {
    "accounts_user.password": "a digest, made again by Django when its cost rises; a session begun by it is in the ledger as the person's",
    "accounts_user.last_login": "a time of last use, which nothing is decided by",
    "accounts_membership.signed_in_at": "a time of last use, which nothing is decided by",
    "accounts_proof.used_at": "of a proof for a signature compared with it; other acts are events of their own, with their time",
    "accounts_proof.used_for": "of a proof for a signature compared with it; other acts are events of their own, with their object",
    "review_queueitem.submitted_by_id": "compared where the item is submitted; of one that is to do it says nothing",
    "review_queueitem.submitted_at": "compared where the item is submitted; of one that is to do it says nothing",
    "review_plan.watched_until": "how far a running plan has looked; what it drew are records",
    "calibration_seencombination.id": "a chance number: the profiles, which are records, name it, and there the change is found",
    "calibration_seencombination.first_seen_at": "a time for people, which nothing is decided by",
    "calibration_seencombination.organisation_id": "compared where a profile holds for it; else a row that says what was seen",
    "calibration_seencombination.model": "compared where a profile holds for it; else a row that says what was seen",
    "calibration_seencombination.prompt_version": "compared where a profile holds for it; else a row that says what was seen",
    "calibration_seencombination.schema_version": "compared where a profile holds for it; else a row that says what was seen",
    "calibration_seencombination.engine": "compared where a profile holds for it; else a row that says what was seen",
}
"""Columns that verify does not name, and why."""

TABLES_NOT_NAMED = {
    "accounts_hurdle": "counts failures to sign in, for minutes",
    "accounts_draft": "is being written, and nobody's word yet",
    "accounts_keyuse": "a time of last use",
    "accounts_tokenuse": "a time of last use",
    "snapshots_trace": "what came of a trace; the snapshot that it became is a record, and that spans came late is an event",
    "snapshots_waitingspans": "wait for minutes; what becomes of them are records",
    "webhooks_duedelivery": "when a delivery is sent next; that it was sent is an event",
    "review_lease": "holds an item for minutes; what was done under it are records",
    "review_aside": "who is not offered an item any more",
    "review_countedname": "which names are counted apart",
    "review_tally": "counts the queue, which is verified",
    "calibration_recomputation": "progress of work, whose results are records",
    "calibration_backgroundtask": "progress of work, whose results are records",
    "calibration_judgerun": "progress of work, whose results are records",
    "quality_delta": "counts waiting to be folded",
    "quality_daytotal": "counts records for charts",
    "quality_watch": "how far watching has got",
    "reports_exportchunk": "a file kept for days, whose digest is sealed",
    "ledger_pending": "verified by its events",
}
"""Tables of which no column is named, and why."""

OTHERS_NOT_NAMED = {
    "auth_permission": "Django makes it; what roles may do stands in the code",
    "auth_group": "not used: what roles may do stands in the code",
    "auth_group_permissions": "not used: what roles may do stands in the code",
    "django_content_type": "Django makes it out of the code",
    "django_session": "sessions, for hours: each begins and ends by an event",
    "account_emailaddress": "where the package looks for a person as well; the password and the factor are still asked for",
    "account_emailconfirmation": "not used: nobody confirms an address of their own",
    "mfa_authenticator": "factors count their use in their row; each is added and removed by an event",
    "procrastinate_workers": "which workers run",
    "procrastinate_jobs": "work that waits; what is done by it is an event each",
    "procrastinate_events": "when work began and ended",
    "procrastinate_periodic_defers": "when periodic work last began",
}
"""Tables of other packages: none of their rows is committed to, and why."""

ELSEWHERE = ("organisation_id", "user_id")
"""Where these are changed, the row that is named first may be the other one: one that nobody told of there."""

NOT_MISSED = ("calibration_seencombination",)
"""A row of these is missed where a profile is active in it; the last one only says what was seen."""

MUTABLE = [
    model
    for model in apps.get_models()
    if model.__module__.startswith("reviewers.") and model not in PROTECTED and model._meta.db_table not in TABLES_NOT_NAMED
]
COLUMNS = [
    (model, field)
    for model in MUTABLE
    for field in model._meta.concrete_fields
    if f"{model._meta.db_table}.{field.column}" not in NOT_NAMED
]


def test_what_nobody_touched_agrees(opened):
    verify_all(opened)


def test_every_exception_is_of_a_column_or_table_that_is_there():
    there = {f"{model._meta.db_table}.{field.column}" for model in apps.get_models() for field in model._meta.concrete_fields}
    assert set(NOT_NAMED) <= there
    assert set(TABLES_NOT_NAMED) <= {model._meta.db_table for model in apps.get_models()}


def test_every_table_of_another_package_is_listed_with_its_reason():
    others = [model for model in apps.get_models(include_auto_created=True) if not model.__module__.startswith("reviewers.")]
    assert {model._meta.db_table for model in others} == set(OTHERS_NOT_NAMED)


@pytest.mark.parametrize(
    ("model", "field"),
    sampled(COLUMNS, more=8),
    ids=lambda each: getattr(each, "column", None) or each._meta.db_table,
)
def test_any_column_that_decides_something_is_named(opened, model, field):
    table, key = model._meta.db_table, model._meta.pk.column
    row = model.objects.order_by(key).last()
    assert row is not None, f"Write a row of {table} in do_everything, or list it in TABLES_NOT_NAMED."
    others = list(model.objects.exclude(pk=row.pk).values_list(field.attname, flat=True)[:50])
    value = other_value(field, getattr(row, field.attname), others) if getattr(row, field.attname) is not None else filled(field, others)
    with undone_by_owner() as cursor:
        statement = sql.SQL("UPDATE {} SET {} = %s WHERE {} = %s").format(*map(sql.Identifier, (table, field.column, key)))
        cursor.execute(statement, [Jsonb(value) if isinstance(field, models.JSONField) else value, row.pk])
        with pytest.raises(LedgerMismatch) as found:
            verify_all(opened)
    assert (found.value.table, found.value.key) == (table, str(row.pk)) or field.primary_key or field.column in ELSEWHERE


def filled(field, others):
    """Something for a column that is empty."""
    different = [other for other in others if other is not None]
    if different:
        return different[0]
    if isinstance(field, models.DateTimeField):
        return "2026-01-01T00:00:00Z"
    if isinstance(field, models.DateField):
        return "2026-01-01"
    if isinstance(field, (models.IntegerField, models.FloatField)):
        return 1
    return Membership.objects.first().user_id if isinstance(field, (models.ForeignKey, models.UUIDField)) else "x"


@pytest.mark.parametrize(
    "model", sampled([model for model in MUTABLE if model._meta.db_table not in NOT_MISSED], more=5), ids=lambda model: model._meta.db_table
)
def test_any_row_that_is_gone_is_missed(opened, model):
    row = model.objects.order_by("pk").last()
    with undone_by_owner() as cursor:
        names = map(sql.Identifier, (model._meta.db_table, model._meta.pk.column))
        cursor.execute(sql.SQL("DELETE FROM {} WHERE {} = %s").format(*names), [row.pk])
        with pytest.raises(LedgerMismatch):
            verify_all(opened)


def test_a_member_who_was_put_in_is_named(opened):
    with undone_by_owner() as cursor:
        cursor.execute(
            "INSERT INTO accounts_membership (id, organisation_id, user_id, role, created_at)"
            " SELECT gen_random_uuid(), %s, user_id, 'administrator', created_at FROM accounts_membership"
            " WHERE organisation_id = %s LIMIT 1",
            [opened[0].pk, opened[1].pk],
        )
        with pytest.raises(LedgerMismatch, match="no event tells of this row"):
            verify(organisation_id=opened[0].pk)


@pytest.mark.parametrize("kept", ["", "older", "nothing"])
def test_a_checkpoint_outside_that_is_missing_empty_or_older_is_said(opened, kept):
    organisation = opened[0]
    first = Checkpoint.objects.filter(log__organisation_id=organisation.pk).earliest("size")
    with open_published(organisation.pk) as shelf:
        before = shelf.read()
    try:
        with open_published(organisation.pk) as shelf:
            shelf.place.unlink() if kept == "nothing" else shelf.place.write_text(first.note if kept else "", encoding="utf-8")
        with pytest.raises(CommandError, match="kept outside the database"):
            call_command("verify", organisation=organisation.slug)
        call_command("verify", organisation=organisation.slug, accept_checkpoint=True)
        with open_published(organisation.pk) as shelf:
            assert shelf.read() == before
        call_command("verify", organisation=organisation.slug)
    finally:
        with open_published(organisation.pk) as shelf:
            shelf.write(before)


def test_a_checkpoint_from_elsewhere_has_to_be_among_those_here(opened, tmp_path):
    organisation = opened[0]
    last = Checkpoint.objects.filter(log__organisation_id=organisation.pk).latest("size")
    (tmp_path / "kept.txt").write_text(last.note, encoding="utf-8")
    call_command("verify", organisation=organisation.slug, checkpoint=str(tmp_path / "kept.txt"))
    (tmp_path / "kept.txt").write_text(last.note.replace(f"\n{last.size}\n", f"\n{last.size + 1}\n"), encoding="utf-8")
    with pytest.raises(CommandError, match="known from elsewhere is not here"):
        call_command("verify", organisation=organisation.slug, checkpoint=str(tmp_path / "kept.txt"))


@pytest.mark.parametrize("everything", [False, True])
def test_a_checkpoint_from_elsewhere_of_a_log_that_is_gone_is_missed(opened, tmp_path, everything):
    """Where no organisation has the log any more, none would compare it."""
    organisation = opened[0]
    last = Checkpoint.objects.filter(log__organisation_id=organisation.pk).latest("size")
    (tmp_path / "kept.txt").write_text(last.note.replace(last.log.origin, f"{last.log.origin}-before"), encoding="utf-8")

    with pytest.raises(CommandError, match="is known from elsewhere, and the log is not here"):
        call_command("verify", organisation=None if everything else organisation.slug, checkpoint=str(tmp_path / "kept.txt"))


def test_a_file_without_a_checkpoint_is_taken_for_none(opened, tmp_path):
    (tmp_path / "kept.txt").write_text("something else\n", encoding="utf-8")

    with pytest.raises(CommandError, match=r"kept\.txt holds no checkpoint"):
        call_command("verify", organisation=opened[0].slug, checkpoint=str(tmp_path / "kept.txt"))
