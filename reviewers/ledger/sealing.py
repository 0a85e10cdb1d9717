"""The sequencer: gives waiting events their place in the log and signs what comes out.

Events of long transactions turn up late, with identifiers older than what is sealed: so the order of the log is that of sealing, and
what waits is a row, not everything after a mark. One sequencer at a time works on an organisation, under an advisory lock that ends
with its transaction; whatever ends it in the middle leaves the log as it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid5

from django.db import transaction

from reviewers.ledger.logs import Opened, open_log
from reviewers.ledger.merkle import checkpoint
from reviewers.ledger.merkle.hashing import leaf_hash
from reviewers.ledger.merkle.tree import completed, root
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Node, Pending
from reviewers.ledger.publishing import open_shelf
from reviewers.ledger.reading import Hashes
from reviewers.web import walls
from reviewers.web.turns import wait_for_turn

BATCH = 1_000
"""How many events one checkpoint seals at most."""


def seal_all(*, now: datetime) -> int:
    """Seal everything that waits; returns how many events."""
    return sum(seal(organisation_id=organisation_id, now=now) for organisation_id in waiting())


def waiting() -> list[UUID]:
    """The organisations with events to be sealed."""
    with walls.outside():
        return list(Pending.objects.values_list("organisation_id", flat=True).distinct())


def seal(*, organisation_id: UUID, now: datetime, batch: int = BATCH) -> int:
    """Seal what waits of an organisation, a checkpoint for each batch; returns how many events.

    A batch that was not full was all there was. What has come in meanwhile waits for the next call: while events keep coming in one by
    one, each would otherwise be sealed, signed and written alone.
    """
    total, count = 0, batch
    with walls.within(organisation_id):
        while count >= batch:
            count = _seal_batch(organisation_id, now, batch)
            total += count
    return total


def _seal_batch(organisation_id: UUID, now: datetime, batch: int) -> int:
    with open_shelf(organisation_id) as shelf:
        with transaction.atomic():
            lock_log(organisation_id)
            if not Pending.objects.filter(organisation_id=organisation_id).exists():
                return 0
            opened = open_log(organisation_id, shelf.read(), now)
            events = take(organisation_id, opened.ahead, batch)
            note = append(opened, events) if events else ""
        if note:
            shelf.write(note)
    return len(events)


def lock_log(organisation_id: UUID) -> None:
    """Until the end of the transaction nobody else seals this organisation's events."""
    wait_for_turn(f"ledger {organisation_id}")


def take(organisation_id: UUID, ahead: Sequence[UUID], batch: int) -> list[tuple[UUID, bytes]]:
    """Events that wait, with their bytes, no longer waiting; those that have to come first ahead of the others."""
    ids = Pending.objects.filter(organisation_id=organisation_id).order_by("event_id").values_list("event_id", flat=True)
    chosen = {*ahead, *ids[: max(0, batch - len(ahead))]}
    bodies = AuditEvent.objects.filter(pk__in=chosen, organisation_id=organisation_id).values_list("id", "body")
    events = sorted(((event_id, bytes(body)) for event_id, body in bodies), key=lambda event: (event[0] not in ahead, event[0]))
    Pending.objects.filter(pk__in=[event_id for event_id, _ in events]).delete()
    return events


def append(opened: Opened, events: Sequence[tuple[UUID, bytes]]) -> str:
    """Add events to the tree and sign its new root; returns the note."""
    log, size = opened.log, opened.size + len(events)
    hashes = [leaf_hash(body) for _, body in events]
    above = list(completed(Hashes(log.id).read, opened.size, hashes))
    leaves = zip(events, hashes, strict=True)
    Leaf.objects.bulk_create(
        [Leaf(id=event_id, log=log, index=index, hash=digest) for index, ((event_id, _), digest) in enumerate(leaves, opened.size)]
    )
    Node.objects.bulk_create(
        [Node(id=node_id(log.id, level, index), log=log, level=level, index=index, hash=digest) for level, index, digest in above]
    )
    note = checkpoint.Checkpoint(log.origin, size, root(Hashes(log.id).read, size), opened.size).sign(opened.signers)
    Checkpoint.objects.create(id=checkpoint_id(note), log=log, size=size, note=note)
    return note


def node_id(log_id: UUID, level: int, index: int) -> UUID:
    """The key of a node: nothing in it is chosen."""
    return uuid5(log_id, f"{level}/{index}")


def checkpoint_id(note: str) -> UUID:
    """The key of a checkpoint: nothing in it is chosen."""
    return UUID(bytes=hashlib.sha256(note.encode()).digest()[:16])
