"""The sequencer: every event gets one place, without a gap, and whatever ends it in the middle leaves the log as it was."""

from __future__ import annotations

import os
import stat
import uuid
from contextlib import suppress
from itertools import count

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.utils import DatabaseError
from django.test.utils import CaptureQueriesContext
from psycopg import sql

from reviewers.accounts.audit import SYSTEM
from reviewers.ledger.logs import newest_key, verifier_of
from reviewers.ledger.merkle.notes import Verifier, decode_base64, open_checkpoint, read_checkpoint, read_verifier
from reviewers.ledger.merkle.receipt import open_receipt
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log, LogKey, Node, Pending
from reviewers.ledger.queries import load_overview
from reviewers.ledger.receipts import receipt_of
from reviewers.ledger.sequencer import change_key, node_id, seal_all, statement_of
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.web.config import write_private
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, make_item, make_organisation
from tests.ledger.sealed import by_the_owner, check_all_sealed, check_log, read_published, seal_now, write_events
from tests.threads import at_once


def test_events_wait_until_they_are_sealed(organisation):
    make_item(organisation)
    written = AuditEvent.objects.count()
    assert Pending.objects.count() == written > 1

    assert seal_now(organisation.pk) == written + 1
    check_all_sealed(organisation.pk)
    assert seal_now(organisation.pk) == 0


def test_an_event_cannot_miss_the_log_however_it_is_written(organisation):
    write_events(organisation.pk)
    seal_now(organisation.pk)
    others = ", ".join(field.column for field in AuditEvent._meta.concrete_fields if not field.primary_key)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO ledger_auditevent (id, {others}) SELECT gen_random_uuid(), {others} FROM ledger_auditevent LIMIT 3")  # noqa: S608

    assert Pending.objects.count() == 3
    seal_now(organisation.pk)
    check_all_sealed(organisation.pk)


def test_the_first_event_of_a_log_tells_its_name_and_its_key(organisation):
    seal_now(organisation.pk)

    log, (started,) = Log.objects.get(), events("log.started")
    assert started["object"] == {"type": "log", "id": str(log.pk)}
    assert started["details"] == {"epoch": 1, "origin": log.origin, "key": str(verifier_of(newest_key(log), log))}
    assert Leaf.objects.get(index=0).pk == uuid.UUID(started["id"])


def test_each_organisation_has_a_log_of_its_own(organisation, charlie):
    make_item(organisation)

    assert seal_all(now=NOW) == len(events())
    for each in (organisation, charlie.organisation):
        with tenant.within(each.pk):
            check_all_sealed(each.pk)
            assert Log.objects.count() == 1


def test_a_large_log_is_sealed_in_batches_each_with_a_checkpoint(organisation):
    write_events(organisation.pk, 600)
    waiting = Pending.objects.count()

    assert seal_now(organisation.pk, batch=250) == waiting + 1
    check_all_sealed(organisation.pk)
    assert list(Checkpoint.objects.order_by("size").values_list("size", flat=True)) == [250, 500, waiting + 1]
    assert Node.objects.count() == 2


@pytest.mark.parametrize(("waiting", "looks"), [(249, 1), (250, 2), (400, 2)])
def test_a_batch_that_is_not_full_was_all_there_was(organisation, waiting, looks):
    """Whoever seals does not look again at once for what may have come in meanwhile: it would be sealed one by one."""
    seal_now(organisation.pk)
    write_events(organisation.pk, waiting)
    with CaptureQueriesContext(connection) as captured:
        assert seal_now(organisation.pk, batch=250) == waiting
    assert sum("pg_advisory_xact_lock" in query["sql"] for query in captured) == looks
    check_all_sealed(organisation.pk)


def test_what_turns_up_late_goes_to_the_end(organisation):
    """A transaction that took long commits events older than what is sealed already."""
    write_events(organisation.pk, 2)
    seal_now(organisation.pk)
    oldest, body = AuditEvent.objects.order_by("id").first(), b"{}"
    late = AuditEvent.objects.create(
        id=uuid.UUID(int=oldest.pk.int - 1), organisation_id=organisation.pk, action="x", object_id=oldest.pk, occurred_at=NOW, body=body
    )

    seal_now(organisation.pk)
    assert Leaf.objects.latest("index").pk == late.pk
    check_all_sealed(organisation.pk)


@pytest.mark.parametrize("by", ["an event that has its place", "more than a batch without events"])
def test_rows_that_no_event_waits_by_keep_none_from_being_sealed(organisation, by):
    """As the web's role may put them in."""
    write_events(organisation.pk)
    seal_now(organisation.pk)
    stray = [Leaf.objects.first().pk] if by.startswith("an event") else [uuid.UUID(int=number) for number in range(30)]
    Pending.objects.bulk_create([Pending(event_id=key, organisation_id=organisation.pk) for key in stray])
    write_events(organisation.pk, 25)

    assert seal_now(organisation.pk, batch=10) == 25
    with pytest.raises(LedgerMismatch, match="there is no such event that could"):
        verify(organisation_id=organisation.pk)
    Pending.objects.all().delete()
    check_all_sealed(organisation.pk)


def put_log(log: Log, epoch: int) -> Log:
    """Put a log beside another one."""
    return Log.objects.create(organisation_id=log.organisation_id, epoch=epoch, origin=f"somebody's {epoch}")


def put_leaf(log: Log, index: int) -> Leaf:
    return Leaf.objects.create(log=log, index=index, hash=b"x" * 32)


def put_checkpoint(log: Log) -> None:
    put_leaf(log, size := Leaf.objects.filter(log=log).count())
    Checkpoint.objects.create(log=log, size=size + 1, note=f"{log.origin}\n{size + 1}\n{'A' * 43}=\n\n— x AAAA\n")


def put_node(log: Log, **changes: object) -> None:
    Node.objects.create(**{"log": log, "level": 1, "index": 0, "hash": b"x" * 32} | changes)


PUT_IN = {
    "a log": lambda log: put_log(log, 2),
    "a log after all others": lambda log: put_log(log, 2**31 - 1),
    "a log with a leaf": lambda log: put_leaf(put_log(log, 2**31 - 1), 0),
    "a log with a checkpoint": lambda log: put_checkpoint(put_log(log, 2)),
    "a log with our key": lambda log: LogKey.objects.create(log=put_log(log, 2), public=newest_key(log).public),
    "a leaf": lambda log: put_leaf(log, Leaf.objects.count()),
    "a node": put_node,
    "the key of a node": lambda log: put_node(put_log(log, 2), id=node_id(log.pk, 1, 0), level=9),
    "a checkpoint": put_checkpoint,
    "a key": lambda log: LogKey.objects.create(log=log, public=b"x" * 32),
}


@pytest.mark.parametrize("put", PUT_IN)
def test_rows_that_nobody_signed_stop_no_sealing_and_are_named(organisation, put):
    """The web's role may put them in, and nobody can delete them."""
    seal_now(organisation.pk)
    log, event = Log.objects.get(), AuditEvent.objects.latest("id")
    verifier = verifier_of(newest_key(log), log)
    PUT_IN[put](log)

    for _ in range(3):
        write_events(organisation.pk, 300)
        assert seal_now(organisation.pk) >= 300

    assert not Pending.objects.exists()
    assert Log.objects.exclude(origin__startswith="somebody").count() <= 2
    assert load_overview(organisation.pk).note == read_published(organisation.pk)
    assert open_receipt(receipt_of(event), [verifier])
    with pytest.raises(LedgerMismatch):
        verify(organisation_id=organisation.pk)


class Killed(Exception):  # noqa: N818 — what is done to it
    """Stands for the end of the process."""


def test_whatever_ends_it_in_the_middle_leaves_the_log_as_it_was(committed):
    """It is ended at each statement in turn, until an attempt comes through; then all is sealed."""
    organisation = make_organisation()
    write_events(organisation.pk, 300)
    seal_now(organisation.pk)
    write_events(organisation.pk, 300)
    checkpoint, published = Checkpoint.objects.get(), read_published(organisation.pk)

    for last in count():
        seal_until(organisation.pk, last)
        if not Pending.objects.exists():
            break
        assert Checkpoint.objects.get() == checkpoint
        assert (Leaf.objects.count(), Pending.objects.count()) == (checkpoint.size, 300)
        assert read_published(organisation.pk) == published

    assert last > 8
    check_all_sealed(organisation.pk)


def seal_until(organisation_id: uuid.UUID, last: int) -> None:
    """Seal, and be ended before the statement of this number."""
    numbers = count()

    def end(execute, statement, params, many, context):
        if next(numbers) == last:
            raise Killed
        return execute(statement, params, many, context)

    with suppress(Killed), connection.execute_wrapper(end):
        seal_now(organisation_id)


def test_several_sequencers_and_writers_at_once_leave_no_gap(committed):
    organisation = make_organisation()
    writers = [lambda: [write_events(organisation.pk, 3) for _ in range(10)]] * 4
    sequencers = [lambda: [seal_now(organisation.pk, batch=7) for _ in range(10)]] * 4

    at_once([*writers, *sequencers])
    seal_now(organisation.pk)

    check_all_sealed(organisation.pk)
    assert Log.objects.count() == 1


@pytest.mark.parametrize("index", [-1, 1, 7])
def test_the_database_refuses_a_gap(organisation, index):
    seal_now(organisation.pk)
    log, size = Log.objects.get(), Leaf.objects.count()

    with pytest.raises(IntegrityError, match="without a gap"), transaction.atomic():
        Leaf.objects.create(id=uuid.uuid4(), log=log, index=size + index if index > 0 else index, hash=b"x" * 32)


def test_the_database_refuses_a_second_root_for_a_size(organisation):
    seal_now(organisation.pk)
    log, size = Log.objects.get(), Leaf.objects.count()

    with pytest.raises(IntegrityError, match="one_root_a_size"), transaction.atomic():
        Checkpoint.objects.create(id=uuid.uuid4(), log=log, size=size, note="another")


@pytest.mark.parametrize("difference", [-1, 1])
def test_the_database_refuses_a_checkpoint_of_another_size_than_the_log_has(organisation, difference):
    seal_now(organisation.pk)
    log, size = Log.objects.get(), Leaf.objects.count()

    with pytest.raises(IntegrityError, match="of all leaves there are"), transaction.atomic():
        Checkpoint.objects.create(id=uuid.uuid4(), log=log, size=size + difference, note="another")


def test_an_event_has_one_place(organisation):
    seal_now(organisation.pk)
    leaf = Leaf.objects.latest("index")

    with pytest.raises(DatabaseError, match="ledger_leaf_pkey"), transaction.atomic():
        Leaf.objects.create(id=leaf.pk, log=leaf.log, index=leaf.index + 1, hash=leaf.hash)


def test_the_private_key_is_a_file_that_only_its_owner_reads(organisation):
    seal_now(organisation.pk)
    key = newest_key(Log.objects.get())

    file = settings.LEDGER_FOLDER / "keys" / f"{bytes(key.public).hex()}.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(decode_base64(file.read_text().strip())) == 32


def test_the_last_checkpoint_lies_outside_the_database(organisation):
    write_events(organisation.pk)
    seal_now(organisation.pk)

    assert read_published(organisation.pk) == Checkpoint.objects.latest("size").note


def test_the_old_key_signs_the_new_one_and_both_the_checkpoint_between_them(organisation):
    seal_now(organisation.pk)
    log = Log.objects.get()
    old = verifier_of(newest_key(log), log)

    new = change_key(organisation_id=organisation.pk, by=SYSTEM, now=NOW)
    between = Checkpoint.objects.latest("size")
    write_events(organisation.pk)
    seal_now(organisation.pk)

    (changed,) = events("log.key_changed")
    assert read_verifier(changed["details"]["key"]) == new == verifier_of(newest_key(log), log)
    assert old.is_signed(statement_of(new), decode_base64(changed["details"]["signature"]))
    assert open_checkpoint(between.note, [old]) == open_checkpoint(between.note, [new])
    assert is_signed_by(Checkpoint.objects.latest("size"), old, new) == [False, True]
    check_all_sealed(organisation.pk)


def is_signed_by(checkpoint: Checkpoint, *verifiers: Verifier) -> list[bool]:
    lines = checkpoint.note.partition("\n\n")[2].splitlines()
    ids = [decode_base64(line.split(" ")[2])[:4] for line in lines]
    return [verifier.key_id in ids for verifier in verifiers]


def test_the_key_is_changed_by_a_command(organisation, capsys):
    seal_now(organisation.pk)

    call_command("change_ledger_key", organisation.slug)

    assert read_verifier(capsys.readouterr().out.strip()).public == bytes(LogKey.objects.latest("id").public)


def restore_backup(size: int) -> None:
    """Restore the database as it was when the log had this size: everything sealed afterwards is gone."""
    with by_the_owner("ledger_leaf", "ledger_node", "ledger_checkpoint", "ledger_auditevent") as cursor:
        cursor.execute("DELETE FROM ledger_auditevent WHERE id IN (SELECT id FROM ledger_leaf WHERE index >= %s)", [size])
        cursor.execute("DELETE FROM ledger_leaf WHERE index >= %s", [size])
        cursor.execute("DELETE FROM ledger_node WHERE (index + 1) * 256 ^ level > %s", [size])
        cursor.execute("DELETE FROM ledger_checkpoint WHERE size > %s", [size])


def test_after_an_older_backup_was_restored_a_new_log_begins_and_names_the_last_checkpoint(committed):
    organisation = make_organisation()
    seal_now(organisation.pk)
    size = Leaf.objects.count()
    write_events(organisation.pk, 300)
    seal_now(organisation.pk)
    published = read_published(organisation.pk)

    restore_backup(size)
    write_events(organisation.pk, 5)
    seal_now(organisation.pk)

    first, second = Log.objects.order_by("epoch")
    started = events("log.started")[-1]
    assert (check_log(first), check_log(second)) == (size, 6)
    assert Checkpoint.objects.filter(log=first).latest("size").size == size
    assert started["details"] == {
        "epoch": 2,
        "origin": second.origin,
        "key": str(verifier_of(newest_key(second), second)),
        "reason": "restored",
        "last": published,
    }
    assert Leaf.objects.get(log=second, index=0).pk == uuid.UUID(started["id"])
    assert read_checkpoint(read_published(organisation.pk)).origin == second.origin
    check_all_sealed(organisation.pk)


def test_a_log_whose_own_beginning_was_lost_is_not_begun_a_second_time(committed):
    """The backup is older than the log."""
    organisation = make_organisation()
    seal_now(organisation.pk)
    published = read_published(organisation.pk)
    with by_the_owner("ledger_log", "ledger_logkey", "ledger_leaf", "ledger_checkpoint") as cursor:
        for table in ("ledger_checkpoint", "ledger_leaf", "ledger_logkey", "ledger_log"):
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))

    write_events(organisation.pk)
    seal_now(organisation.pk)

    assert events("log.started")[-1]["details"]["last"] == published
    assert Log.objects.get().origin != read_checkpoint(published).origin


def test_without_its_private_key_a_log_ends_and_another_begins(organisation):
    seal_now(organisation.pk)
    published, key = read_published(organisation.pk), newest_key(Log.objects.get())
    (settings.LEDGER_FOLDER / "keys" / f"{bytes(key.public).hex()}.key").unlink()

    write_events(organisation.pk)
    seal_now(organisation.pk)

    details = events("log.started")[-1]["details"]
    assert (details["epoch"], details["reason"], details["last"]) == (2, "key missing", published)
    check_all_sealed(organisation.pk)


def test_the_command_seals_what_waits(organisation, capsys):
    written = AuditEvent.objects.count()

    call_command("seal")
    call_command("seal")

    assert capsys.readouterr().out == f"{written + 1} events sealed.\n0 events sealed.\n"


def test_what_is_sealed_while_it_verifies_is_no_difference(committed):
    organisation = make_organisation()
    seal_now(organisation.pk)

    def go_on(_: int) -> None:
        with tenant.within(organisation.pk):
            at_once([lambda: (write_events(organisation.pk, 3), seal_now(organisation.pk))])

    before = Leaf.objects.count()
    assert verify(organisation_id=organisation.pk, progress=go_on).events == before
    assert Leaf.objects.count() == before + 3


def test_a_key_is_on_disk_before_its_file_has_its_name(tmp_path, monkeypatch):
    """After a power cut a file that was renamed first could be empty: sealing would stop, and second factors could not be read."""
    place, synced = tmp_path / "keys" / "new.key", []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append((os.fstat(descriptor).st_size, place.exists())))

    write_private(place, "a key\n")

    assert synced == [(6, False)]
    assert place.read_text(encoding="utf-8") == "a key\n"
