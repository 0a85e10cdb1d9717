"""Helpers for logs: write events, seal them, and act as only the owner of the tables can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connections
from django.utils import timezone
from psycopg import sql

from reviewers.accounts.audit import SYSTEM
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.ledger.logs import StoredHashes, verifier_of
from reviewers.ledger.merkle.notes import open_checkpoint
from reviewers.ledger.merkle.proofs import check_inclusion
from reviewers.ledger.merkle.tree import inclusion_proof, root
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log, LogKey, Pending
from reviewers.ledger.sequencer import open_published, seal
from reviewers.web.config import OWNER
from tests.factories import NOW


def write_events(organisation_id: UUID, count: int = 1) -> None:
    """So many events about nothing."""
    record_all([Event(Action.QUEUE_VIEWED, organisation_id, SYSTEM, NOW, "organisation", uuid4()) for _ in range(count)])


def seal_now(organisation_id: UUID, **options: Any) -> int:
    """Seal what waits."""
    return seal(organisation_id=organisation_id, now=timezone.now(), **options)


def forget_published() -> None:
    """Delete the checkpoints of organisations that earlier tests have made and taken back."""
    for note in (settings.LEDGER_FOLDER / "checkpoints").glob("*.txt"):
        note.unlink()


def check_log(log: Log) -> int:
    """The log has neither gap nor a root that is not that of its leaves; returns its size."""
    indexes = list(Leaf.objects.filter(log=log).order_by("index").values_list("index", flat=True))
    assert indexes == list(range(len(indexes)))
    verifiers = [verifier_of(key, log) for key in LogKey.objects.filter(log=log)]
    read = StoredHashes(log.id).read
    for row in Checkpoint.objects.filter(log=log):
        checkpoint = open_checkpoint(row.note, verifiers)
        assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (log.origin, row.size, root(read, row.size))
    for index in {0, len(indexes) // 2, len(indexes) - 1} if indexes else ():
        leaf = Leaf.objects.get(log=log, index=index)
        proof = inclusion_proof(read, index, len(indexes))
        check_inclusion(leaf=bytes(leaf.hash), index=index, size=len(indexes), proof=proof, root=root(read, len(indexes)))
    return len(indexes)


def check_all_sealed(organisation_id: UUID) -> None:
    """Every event of an organisation is in one of its logs, once, and none waits."""
    events = set(AuditEvent.objects.filter(organisation_id=organisation_id).values_list("id", flat=True))
    logs = Log.objects.filter(organisation_id=organisation_id)

    assert not Pending.objects.filter(organisation_id=organisation_id).exists()
    assert set(Leaf.objects.filter(log__in=logs).values_list("id", flat=True)) == events
    assert sum(check_log(log) for log in logs) == len(events)


@contextmanager
def by_the_owner(*tables: str) -> Iterator[Any]:
    """A cursor of the tables' owner, with the triggers off that keep records."""
    with connections[OWNER].cursor() as cursor:
        for table in tables:
            cursor.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(table)))
        try:
            yield cursor
        finally:
            for table in tables:
                cursor.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(sql.Identifier(table)))


def read_published(organisation_id: UUID) -> str:
    """The note that was last published; an empty string if there is none."""
    with open_published(organisation_id) as shelf:
        return shelf.read()
