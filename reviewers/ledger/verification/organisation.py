"""Verification of an organisation: its logs, its waiting events, and that its tables hold nothing else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from reviewers.accounts.models import Organisation
from reviewers.ledger.hooks import run_verification_checks
from reviewers.ledger.merkle.notes import read_checkpoint
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, Log, Pending
from reviewers.ledger.queries import Redacted, list_redacted
from reviewers.ledger.sequencer import list_published, open_published
from reviewers.ledger.verification.checks import LedgerMismatch, pages, read_body
from reviewers.ledger.verification.log import Progress, check_commitments, verify_log
from reviewers.ledger.verification.rows import Closings, check_authors, check_no_others, record_models, tables_within
from reviewers.web.tenancy import tenant


@dataclass(frozen=True, slots=True)
class Verified:
    """The numbers of what was compared and agrees, and the redactions, whose text nobody can compare any more."""

    events: int
    waiting: int
    rows: int
    checkpoints: int
    redacted: Sequence[Redacted] = ()


def verify(*, organisation_id: UUID, progress: Progress = lambda _: None, known: str = "", published: str | None = None) -> Verified:
    """Compare everything, in one consistent view of the database; raise ``LedgerMismatch`` at the first row that differs.

    ``known`` is a checkpoint that somebody has kept elsewhere, and ``published`` one to take for that outside the database.
    """
    with tenant.across_all(), transaction.atomic():
        with open_published(organisation_id) as shelf:  # nobody seals meanwhile, so both last checkpoints match
            _at_one_moment()
            published = shelf.read() if published is None else published
        logs = Log.objects.filter(organisation_id=organisation_id).order_by("epoch")
        closings = Closings()
        results = [verify_log(log, published, closings, progress) for log in logs]
        _check_known(organisation_id, known)
        if published and not logs.filter(origin=read_checkpoint(published).origin).exists():
            raise LedgerMismatch(Log, read_checkpoint(published).origin, "a checkpoint of this log was published, and the log is not here")
        _check_places(organisation_id)
        waiting, rows = _verify_waiting(organisation_id, closings, progress)
        closings.check_end()
        with tenant.within(organisation_id):  # across all tenants only records can be read
            closings.mutable_rows.check_end(organisation_id)
        _check_kept_outside(organisation_id, published)
        _check_secrets(organisation_id)
        check_no_others(organisation_id)
        check_authors(organisation_id)
        with tenant.within(organisation_id):
            run_verification_checks(organisation_id)
        redacted = list_redacted(organisation_id)
    events, found, checkpoints = (sum(each) for each in zip(*results, strict=True)) if results else (0, 0, 0)
    return Verified(events, waiting, rows + found, checkpoints, redacted)


def verify_shared() -> None:
    """Check the records that belong to no organisation; raise ``LedgerMismatch`` at the first row that differs."""
    with tenant.across_all():
        check_no_others(None)


def verify_none_gone() -> None:
    """Raise ``LedgerMismatch`` for an organisation that is gone although an event, a record or a published checkpoint names it.

    Each organisation is verified by its row: without one nobody would look at the rest.
    """
    verify_none_named_gone()
    for published in list_published_gone():
        raise LedgerMismatch(Organisation, published, "is gone, though a checkpoint of its log was published")


def verify_none_named_gone() -> None:
    """Raise ``LedgerMismatch`` for an organisation that is gone although an event or a record names it."""
    with tenant.across_all():
        there = set(Organisation.objects.values_list("pk", flat=True))
        for name in [AuditEvent._meta.db_table, *tables_within(tenant.ALL_ORGANISATIONS)]:
            model = AuditEvent if name == AuditEvent._meta.db_table else record_models()[name]
            if (row := model._base_manager.exclude(organisation_id__in=there).first()) is not None:  # noqa: SLF001 — Django's documented name
                raise LedgerMismatch(model, row.pk, "is of an organisation that is not here", "organisation_id")


def list_published_gone() -> list[UUID]:
    """Return the organisations that are gone though a checkpoint of their log was published."""
    with tenant.across_all():
        there = set(Organisation.objects.values_list("pk", flat=True))
    return [each for each in list_published() if each not in there]


def verify_known_log(known: str, organisation_ids: Collection[UUID]) -> None:
    """Raise ``LedgerMismatch`` if none of these organisations has the log of a checkpoint that somebody has kept elsewhere.

    Each is compared with the checkpoints of its own logs: if the whole log is gone, none would miss it.
    """
    origin = read_checkpoint(known).origin
    with tenant.across_all():
        if not Log.objects.filter(origin=origin, organisation_id__in=organisation_ids).exists():
            raise LedgerMismatch(Log, origin, "a checkpoint of this log is known from elsewhere, and the log is not here")


def _at_one_moment() -> None:
    """Read from one snapshot of the database. Inside a transaction that has begun already, its isolation level stays."""
    with connection.cursor() as cursor:
        if not connection.savepoint_ids:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT 1 FROM ledger_log LIMIT 1")  # the first query determines the snapshot


def _verify_waiting(organisation_id: UUID, closings: Closings, progress: Progress) -> tuple[int, int]:
    """Check that events without a leaf are waiting for one, and what they commit to."""
    rows = count = 0
    waiting = set(Pending.objects.filter(organisation_id=organisation_id).values_list("event_id", flat=True))
    unsealed = AuditEvent.objects.filter(~Exists(Leaf.objects.filter(pk=OuterRef("pk"))), organisation_id=organisation_id)
    for events in pages(unsealed, "id"):
        bodies = {event.id: read_body(event) for event in events}
        for event in events:
            if event.id not in waiting:
                raise LedgerMismatch(AuditEvent, event.id, "is not sealed, and does not wait for it")
        rows += check_commitments({event.id: event for event in events}, bodies, closings)
        waiting -= {event.id for event in events}
        count += len(events)
        progress(len(events))
    if waiting:
        raise LedgerMismatch(Pending, min(waiting), "waits, and there is no such event that could")
    return count, rows


def _check_kept_outside(organisation_id: UUID, published: str) -> None:
    """Check that the last checkpoint is also outside the database: without it nobody could notice that the end of the log is gone."""
    last = _last_checkpoint(organisation_id)
    if last is None or last.note == published:
        return
    how = "is not the last one in the database: an older one was put there" if published else "is not there, or empty"
    raise LedgerMismatch(
        Checkpoint,
        last.id,
        f"the checkpoint that is kept outside the database {how}, so nothing shows that the log goes to its end. "
        f"Where that is known from elsewhere, manage.py verify --accept-checkpoint puts the last one there",
    )


def accept_checkpoint(organisation_id: UUID) -> bool:
    """Publish the last checkpoint in the database; return False if there is none."""
    with tenant.across_all(), open_published(organisation_id) as shelf:
        last = _last_checkpoint(organisation_id)
        if last is not None:
            shelf.write(last.note)
    return last is not None


def _last_checkpoint(organisation_id: UUID) -> Checkpoint | None:
    return Checkpoint.objects.filter(log__organisation_id=organisation_id).order_by("-log__epoch", "-size").first()


def _check_known(organisation_id: UUID, known: str) -> None:
    """Check that a checkpoint from elsewhere is among those of the organisation's log that it names."""
    if not known:
        return
    told = read_checkpoint(known)
    log = Log.objects.filter(organisation_id=organisation_id, origin=told.origin).first()
    if log and not Checkpoint.objects.filter(log=log, size=told.size, note=known).exists():
        raise LedgerMismatch(Log, log.id, f"the checkpoint of {told.size} leaves that is known from elsewhere is not here")


def _check_secrets(organisation_id: UUID) -> None:
    events = AuditEvent.objects.filter(pk=OuterRef("event_id"), organisation_id=organisation_id)
    orphan = EventSecret.objects.filter(~Exists(events), organisation_id=organisation_id).first()
    if orphan:
        column = "organisation_id" if AuditEvent.objects.filter(pk=orphan.event_id).exists() else "event_id"
        raise LedgerMismatch(EventSecret, orphan.event_id, "there is no such event of this organisation", column)


def _check_places(organisation_id: UUID) -> None:
    """Check that no event has its place in a log of another organisation."""
    own = AuditEvent.objects.filter(pk=OuterRef("pk"), organisation_id=organisation_id)
    leaf = Leaf.objects.exclude(log_id__in=Log.objects.filter(organisation_id=organisation_id).values("pk")).filter(Exists(own)).first()
    if leaf and Log.objects.filter(pk=leaf.log_id).exists():
        raise LedgerMismatch(Leaf, leaf.id, "stands in another organisation's log", "log_id")
    if leaf:
        raise LedgerMismatch(Log, leaf.log_id, "is gone")
