"""The sequencer: it gives waiting events their place in the log, signs checkpoints, and changes a log's key.

Each organisation's last checkpoint is also stored outside the database, which shows if an older backup was restored.

Events of long transactions arrive late, with identifiers older than what is sealed: so the order of the log is that of sealing, and a
waiting event is a row, not everything after a mark. One sequencer at a time works on an organisation, under an advisory lock that ends with
its transaction; a transaction that fails leaves the log as it was.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid5

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction

from reviewers.accounts.audit import Actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.logs import OpenLog, StoredHashes, make_signer, open_log
from reviewers.ledger.merkle import notes
from reviewers.ledger.merkle.notes import Verifier, encode_base64
from reviewers.ledger.merkle.proofs import leaf_hash
from reviewers.ledger.merkle.tree import completed, root
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, LogKey, Node, Pending
from reviewers.web.config import write_private
from reviewers.web.models import advisory_lock
from reviewers.web.tenancy import tenant

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PublishedCheckpoint:
    """The file of an organisation's last checkpoint."""

    place: Path

    def read(self) -> str:
        """Return the note; an empty string if there is none yet."""
        try:
            return self.place.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def write(self, note: str) -> None:
        """Replace the note."""
        write_private(self.place, note)


@contextmanager
def open_published(organisation_id: UUID) -> Iterator[PublishedCheckpoint]:
    """Open an organisation's published checkpoint under a lock of this machine: an older checkpoint never replaces a newer one."""
    folder: Path = settings.LEDGER_FOLDER / "checkpoints"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{organisation_id}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield PublishedCheckpoint(folder / f"{organisation_id}.txt")


def list_published() -> list[UUID]:
    """Return the organisations with a published checkpoint."""
    return [UUID(each.stem) for each in sorted((settings.LEDGER_FOLDER / "checkpoints").glob("*.txt"))]


BATCH = 1_000
"""The most events that one checkpoint seals."""


def seal_all(*, now: datetime) -> int:
    """Seal everything that waits; return the number of events."""
    return sum(seal(organisation_id=organisation_id, now=now) for organisation_id in waiting())


def waiting() -> list[UUID]:
    """Return the organisations with events to seal."""
    with tenant.outside():
        return list(Pending.objects.values_list("organisation_id", flat=True).distinct())


def seal(*, organisation_id: UUID, now: datetime, batch: int = BATCH) -> int:
    """Seal an organisation's waiting events, with a checkpoint for each batch; return the number of events.

    A batch that was not full ends it. Events that arrive meanwhile wait for the next call: otherwise, while they keep arriving one by one,
    each would be sealed, signed and written alone.
    """
    total, count = 0, batch
    with tenant.within(organisation_id):
        while count >= batch:
            count = _seal_batch(organisation_id, now, batch)
            total += count
    return total


def _seal_batch(organisation_id: UUID, now: datetime, batch: int) -> int:
    """Seal a batch; return the number of events. If rows that nobody signed stand where the log goes on, another log begins."""
    with open_published(organisation_id) as shelf:
        try:
            sealed, note = _seal_next(organisation_id, shelf.read(), now, batch)
        except IntegrityError:
            _log.exception("log_blocked", organisation=str(organisation_id))
            sealed, note = _seal_next(organisation_id, shelf.read(), now, batch, is_blocked=True)
        if note:
            shelf.write(note)
    return sealed


@transaction.atomic
def _seal_next(organisation_id: UUID, published: str, now: datetime, batch: int, *, is_blocked: bool = False) -> tuple[int, str]:
    """Seal events in one transaction; return their number and the note to publish, which is empty if there are none."""
    lock_log(organisation_id)
    if not Pending.objects.filter(organisation_id=organisation_id).exists():
        return 0, ""
    opened = open_log(organisation_id, published, now, is_blocked=is_blocked)
    events = take(organisation_id, opened.ahead, batch)
    return len(events), append(opened, events) if events else ""


def lock_log(organisation_id: UUID) -> None:
    """Keep everybody else from sealing this organisation's events until the end of the transaction."""
    advisory_lock(f"ledger {organisation_id}")


def take(organisation_id: UUID, ahead: Sequence[UUID], batch: int) -> list[tuple[UUID, bytes]]:
    """Take waiting events off the queue; return them with their bytes, those of ``ahead`` first.

    A row that no event of the organisation waits by is passed over, and `verify` names it: it must not keep the others from being sealed.
    """
    bodies = _read_unsealed(organisation_id, ahead)
    for page in _pages_of_waiting(organisation_id, batch) if len(bodies) < batch else ():
        found = _read_unsealed(organisation_id, [each for each in page if each not in bodies])
        bodies |= dict(sorted(found.items())[: batch - len(bodies)])
        if len(bodies) >= batch:
            break
    Pending.objects.filter(pk__in=list(bodies)).delete()
    return sorted(bodies.items(), key=lambda event: (event[0] not in ahead, event[0]))


def _pages_of_waiting(organisation_id: UUID, size: int) -> Iterator[list[UUID]]:
    """Yield the identifiers that wait, in order, so many at a time."""
    waiting = Pending.objects.filter(organisation_id=organisation_id).order_by("event_id").values_list("event_id", flat=True)
    page = list(waiting[:size])
    while page:
        yield page
        page = list(waiting.filter(event_id__gt=page[-1])[:size]) if len(page) == size else []


def _read_unsealed(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, bytes]:
    """Return the bytes of those events that are the organisation's and have no place yet."""
    placed = set(Leaf.objects.filter(pk__in=ids).values_list("pk", flat=True))
    bodies = AuditEvent.objects.filter(pk__in=[each for each in ids if each not in placed], organisation_id=organisation_id)
    return {event_id: bytes(body) for event_id, body in bodies.values_list("id", "body")}


def append(opened: OpenLog, events: Sequence[tuple[UUID, bytes]]) -> str:
    """Add events to the tree and sign its new root; return the note."""
    log, size = opened.log, opened.size + len(events)
    hashes = [leaf_hash(body) for _, body in events]
    above = list(completed(StoredHashes(log.id).read, opened.size, hashes))
    leaves = zip(events, hashes, strict=True)
    Leaf.objects.bulk_create(
        [Leaf(id=event_id, log=log, index=index, hash=digest) for index, ((event_id, _), digest) in enumerate(leaves, opened.size)]
    )
    Node.objects.bulk_create(
        [Node(id=node_id(log.id, level, index), log=log, level=level, index=index, hash=digest) for level, index, digest in above]
    )
    note = notes.LogCheckpoint(log.origin, size, root(StoredHashes(log.id).read, size), opened.size).sign(opened.signers)
    Checkpoint.objects.create(id=checkpoint_id(note), log=log, size=size, note=note)
    return note


def node_id(log_id: UUID, level: int, index: int) -> UUID:
    """Return the key of a node, which its other columns determine."""
    return uuid5(log_id, f"{level}/{index}")


def checkpoint_id(note: str) -> UUID:
    """Return the key of a checkpoint, which its note determines."""
    return UUID(bytes=hashlib.sha256(note.encode()).digest()[:16])


def change_key(*, organisation_id: UUID, by: Actor, now: datetime) -> Verifier:
    """Give a log a new key; return its public part. The old key stays known for what it has signed.

    An event names the new key, the old key signs it, and both sign the checkpoint that seals the event.
    """
    with tenant.within(organisation_id), open_published(organisation_id) as shelf:
        with transaction.atomic():
            lock_log(organisation_id)
            opened = open_log(organisation_id, shelf.read(), now)
            (old,) = opened.signers
            new = make_signer(opened.log.origin)
            details = {"key": str(new.verifier), "signature": encode_base64(old.private.sign(statement_of(new.verifier)))}
            event = record(Event(Action.LOG_KEY_CHANGED, organisation_id, by, now, "log", opened.log.id, details))
            LogKey.objects.create(id=event, log=opened.log, public=new.verifier.public)
            ahead = (*opened.ahead, event)
            note = append(OpenLog(opened.log, (old, new), opened.size), take(organisation_id, ahead, len(ahead)))
        shelf.write(note)
    return new.verifier


def statement_of(verifier: Verifier) -> bytes:
    """Return the statement that the old key signs."""
    return f"The log {verifier.name} signs with {verifier} from now on.\n".encode()
