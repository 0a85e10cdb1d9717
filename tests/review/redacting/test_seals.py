"""After a redaction everything verifies, every receipt holds, and whatever else is changed is still found."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.db import connections, transaction
from psycopg import sql

from reviewers.ledger.encoding import read_openings
from reviewers.ledger.logs import verifier_of
from reviewers.ledger.merkle.receipt import open_receipt
from reviewers.ledger.models import AuditEvent, EventSecret, Log, LogKey
from reviewers.ledger.receipts import receipt_of
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import Label, QueueItem, Signature
from reviewers.review.signing.queries import SignatureStatus, signatures_of
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redaction import check_derived
from reviewers.web.config import DEFAULT, OWNER
from reviewers.web.tenancy import tenant
from tests.factories import make_member, make_organisation
from tests.ledger.opened import opened_tables
from tests.ledger.sealed import forget_published, seal_now
from tests.review.redacting.redactable import lead_and_administrator, make_redactable, names_of, redact
from tests.review.signed import sign_as_it_stands


@pytest.fixture(scope="module")
def world(committed_for_module):
    """An item of which a field, a document and notes were redacted, and then the message; all of it sealed."""
    forget_published()
    alice = make_member(make_organisation())
    item = make_redactable(alice)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, "context.safety.remark", "documents.0", "note."), lead, administrator)
    redact(item, ["user_text"], administrator, lead)
    seal_now(alice.organisation_id)
    return alice, QueueItem.objects.get(pk=item.pk)


def test_verify_says_what_was_redacted_by_whom_on_which_basis(world, capsys):
    with tenant.outside():
        call_command("verify")

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("checkpoints agree.")
    whom = ["Leda Lund and Ada Abbot", "Ada Abbot and Leda Lund"]
    assert [line.partition(": ")[2].partition(" redacted on ")[0] for line in lines[1:]] == ["3 parts", "1 part"]
    assert all(f" by {who}: The person asked for erasure (GDPR Article 17)." in line for who, line in zip(whom, lines[1:], strict=True))


CHANGES = {
    "the record": (Snapshot, "record", "record || 'x'"),
    "another column of a redacted row": (Snapshot, "model", "'another'"),
    "what was derived again": (SnapshotAttribution, "found_count", "found_count + 1"),
    "a note put in the place of a redacted one": (Label, "note", "'another'"),
    "a verdict beside it": (Label, "verdict", "'cannot_judge'"),
    "a signature": (Signature, "printed_name", "'Another'"),
    "its empty statement": (Signature, "statement", "'x'"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_any_other_change_of_what_was_redacted_is_named(world, name):
    alice, _ = world
    model, column, value = CHANGES[name]
    row = model.objects.order_by("pk").first()
    with opened_tables() as cursor:
        names = map(sql.Identifier, (model._meta.db_table, column))
        cursor.execute(sql.SQL("UPDATE {} SET {} = {value} WHERE id = %s").format(*names, value=sql.SQL(value)), [row.pk])
        with pytest.raises(LedgerMismatch) as found:
            verify(organisation_id=alice.organisation_id)
    assert (found.value.table, found.value.key, found.value.column) == (model._meta.db_table, str(row.pk), column)


def closed_secrets(item) -> list[EventSecret]:
    """Of events about an item, those that a redaction has closed."""
    events = AuditEvent.objects.filter(object_id=item.pk, organisation_id=item.organisation_id).values("pk")
    return [secret for secret in EventSecret.objects.filter(pk__in=events).order_by("pk") if len(bytes(secret.salt_seed)) != 32]


def test_any_byte_of_what_opens_an_event_that_was_closed_is_missed(world):
    alice, item = world
    secrets = closed_secrets(item)
    assert len(secrets) > 3
    for secret in secrets:
        for place in (1, len(bytes(secret.salt_seed)) - 1):
            changed = bytearray(secret.salt_seed)
            changed[place] ^= 1
            with opened_tables() as cursor:
                cursor.execute("UPDATE ledger_eventsecret SET salt_seed = %s WHERE event_id = %s", [bytes(changed), secret.pk])
                with pytest.raises(LedgerMismatch) as found:
                    verify(organisation_id=alice.organisation_id)
            assert (found.value.table, found.value.key) == ("ledger_eventsecret", str(secret.pk))


def test_whoever_closes_an_event_without_a_redaction_is_found(world):
    """As to change a row behind it: the seed is taken away, and the row is no longer compared."""
    alice, _ = world
    event = AuditEvent.objects.get(action="review.submitted")
    body = json.loads(bytes(event.body))
    entries = len(body["rows"]) * (b"-" + bytes(32))
    with opened_tables() as cursor:
        cursor.execute("UPDATE review_submission SET label_count = 1")
        cursor.execute("UPDATE ledger_eventsecret SET salt_seed = %s, column_checks = '' WHERE event_id = %s", [entries, event.pk])
        with pytest.raises(LedgerMismatch, match="no longer opens what its event commits to, and no redaction says why"):
            verify(organisation_id=alice.organisation_id)


def test_the_parts_that_stay_can_still_be_opened_and_those_that_went_cannot(world):
    _, item = world
    frozen = AuditEvent.objects.get(object_id=item.pk, action="snapshot.frozen")
    openings = read_openings(json.loads(bytes(frozen.body)), bytes(EventSecret.objects.get(pk=frozen.pk).salt_seed))

    closed = [number for number, salt in enumerate(openings.parts) if salt is None]
    assert {0, 2} <= set(closed), "the digest of the record, and the message"
    assert openings.parts[3] is not None, "the answer"
    assert len(closed) < len(openings.parts)
    assert all(kept[:1] == b"c" for number, kept in enumerate(openings.kept) if number in closed)


def test_every_receipt_still_holds(world):
    alice, item = world
    log = Log.objects.get(organisation_id=alice.organisation_id)
    keys = [verifier_of(key, log) for key in LogKey.objects.filter(log=log)]
    for event in AuditEvent.objects.filter(object_id=item.pk):
        open_receipt(receipt_of(event), keys)


def test_a_signature_over_it_says_that_it_cannot_be_made_again(world):
    alice, item = world
    (row,) = signatures_of(alice.organisation_id, item.pk)

    assert row.standing is SignatureStatus.REDACTED
    with transaction.atomic():
        sign_as_it_stands(item, alice)
        assert [each.standing for each in signatures_of(alice.organisation_id, item.pk)] == [
            SignatureStatus.REDACTED,
            SignatureStatus.HOLDS,
        ]
        transaction.set_rollback(True)


def test_what_is_not_as_it_was_sealed_is_not_redacted(world):
    """Nobody could tell afterwards."""
    alice, item = world
    lead, administrator = lead_and_administrator(alice)
    with opened_tables() as cursor:
        cursor.execute("UPDATE snapshots_snapshot SET model = 'another' WHERE id = %s", [item.pk])
        with tenant.within(alice.organisation_id), pytest.raises(Exception, match="not as it was sealed"):
            redact(item, ["response"], lead, administrator)
    assert connections[DEFAULT] is not connections[OWNER]


DERIVED = {
    "a count": (SnapshotAttribution, "found_count", "found_count + 1"),
    "the attribution": (SnapshotAttribution, "document", "'x'"),
    "where it came from": (SnapshotAttribution, "source", "'other'"),
    "what is said of documents": (SnapshotDocuments, "issues", """'{"uncited": 7}'"""),
    "their document": (SnapshotDocuments, "document", "'x'"),
}


@pytest.mark.parametrize("name", DERIVED)
def test_what_a_redaction_says_was_derived_again_is_derived_once_more(world, name):
    """The database checks only the form of it: whoever makes a redaction up could seal what no engine derives."""
    alice, _ = world
    model, column, value = DERIVED[name]
    row = model.objects.order_by("pk").first()
    with opened_tables() as cursor:
        check_derived(alice.organisation_id)
        names = map(sql.Identifier, (model._meta.db_table, column))
        cursor.execute(sql.SQL("UPDATE {} SET {} = {value} WHERE id = %s").format(*names, value=sql.SQL(value)), [row.pk])
        with pytest.raises(LedgerMismatch, match="is not what the engine derives from the redacted record") as found:
            check_derived(alice.organisation_id)
    assert (found.value.table, found.value.key, found.value.column) == (model._meta.db_table, str(row.pk), column)
