"""Everything of an organisation: its logs, the events that wait, and that its tables hold nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from reviewers.ledger.merkle.checkpoint import read_checkpoint
from reviewers.ledger.models import AuditEvent, EventSecret, Leaf, Log, Pending
from reviewers.ledger.publishing import read_published
from reviewers.ledger.redacted import Redacted, list_redacted
from reviewers.ledger.verifying.closings import Closings
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.events import read_body
from reviewers.ledger.verifying.further import check_further
from reviewers.ledger.verifying.log import Progress, check_commitments, verify_log
from reviewers.ledger.verifying.paging import pages
from reviewers.ledger.verifying.rows import check_no_others
from reviewers.web import walls


@dataclass(frozen=True, slots=True)
class Verified:
    """What was looked at, and agrees; and what of it was redacted, so that nobody can compare it any more."""

    events: int
    waiting: int
    rows: int
    checkpoints: int
    redacted: Sequence[Redacted] = ()


def verify(*, organisation_id: UUID, progress: Progress = lambda _: None) -> Verified:
    """Compare everything, as it stands at one moment. Raises ``Differs`` at the first row that does not agree."""
    published = read_published(organisation_id)  # before that moment: what was published by then is in the tables
    with walls.above(), transaction.atomic():
        _at_one_moment()
        logs = Log.objects.filter(organisation_id=organisation_id).order_by("epoch")
        closings = Closings()
        results = [verify_log(log, published, closings, progress) for log in logs]
        if published and not logs.filter(origin=read_checkpoint(published).origin).exists():
            raise Differs(Log, read_checkpoint(published).origin, "a checkpoint of this log was published, and the log is not here")
        _check_places(organisation_id)
        waiting, rows = _verify_waiting(organisation_id, closings, progress)
        closings.check_end()
        _check_secrets(organisation_id)
        check_no_others(organisation_id)
        check_further(organisation_id)
        redacted = list_redacted(organisation_id)
    events, found, checkpoints = (sum(each) for each in zip(*results, strict=True)) if results else (0, 0, 0)
    return Verified(events, waiting, rows + found, checkpoints, redacted)


def verify_shared() -> None:
    """Records that belong to no organisation. Raises ``Differs``."""
    with walls.above():
        check_no_others(None)


def _at_one_moment() -> None:
    """What is written meanwhile is not seen. Inside a transaction that has begun already, its level stays as it is."""
    with connection.cursor() as cursor:
        if not connection.savepoint_ids:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _verify_waiting(organisation_id: UUID, closings: Closings, progress: Progress) -> tuple[int, int]:
    """Events without a leaf have to wait for one, and what they commit to is looked at as well."""
    rows = count = 0
    waiting = set(Pending.objects.filter(organisation_id=organisation_id).values_list("event_id", flat=True))
    unsealed = AuditEvent.objects.filter(~Exists(Leaf.objects.filter(pk=OuterRef("pk"))), organisation_id=organisation_id)
    for events in pages(unsealed, "id"):
        bodies = {event.id: read_body(event) for event in events}
        for event in events:
            if event.id not in waiting:
                raise Differs(AuditEvent, event.id, "is not sealed, and does not wait for it")
        rows += check_commitments({event.id: event for event in events}, bodies, closings)
        waiting -= {event.id for event in events}
        count += len(events)
        progress(len(events))
    if waiting:
        raise Differs(Pending, min(waiting), "waits, and there is no such event that could")
    return count, rows


def _check_secrets(organisation_id: UUID) -> None:
    events = AuditEvent.objects.filter(pk=OuterRef("event_id"), organisation_id=organisation_id)
    orphan = EventSecret.objects.filter(~Exists(events), organisation_id=organisation_id).first()
    if orphan:
        column = "organisation_id" if AuditEvent.objects.filter(pk=orphan.event_id).exists() else "event_id"
        raise Differs(EventSecret, orphan.event_id, "there is no such event of this organisation", column)


def _check_places(organisation_id: UUID) -> None:
    """No event has its place in a log that is not one of its organisation's."""
    own = AuditEvent.objects.filter(pk=OuterRef("pk"), organisation_id=organisation_id)
    leaf = Leaf.objects.exclude(log_id__in=Log.objects.filter(organisation_id=organisation_id).values("pk")).filter(Exists(own)).first()
    if leaf and Log.objects.filter(pk=leaf.log_id).exists():
        raise Differs(Leaf, leaf.id, "stands in another organisation's log", "log_id")
    if leaf:
        raise Differs(Log, leaf.log_id, "is gone")
