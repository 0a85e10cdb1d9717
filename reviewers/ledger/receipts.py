"""Receipts: proofs for outsiders, who need the log's public key alone, that an event was sealed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reviewers.accounts.audit import Actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.logs import StoredHashes
from reviewers.ledger.merkle.notes import encode_base64
from reviewers.ledger.merkle.proofs import leaf_hash
from reviewers.ledger.merkle.receipt import write_receipt
from reviewers.ledger.merkle.tree import inclusion_proof
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log


@dataclass(frozen=True, slots=True)
class LogPosition:
    """The place of an event in a log, and its proof under the first checkpoint that covers it, which no later row can change."""

    log: Log
    index: int
    size: int
    proof: Sequence[bytes]
    note: str


def find_place(event_id: UUID) -> LogPosition | None:
    """Return an event's place, or None while it waits to be sealed."""
    leaf = Leaf.objects.select_related("log").filter(pk=event_id).first()
    checkpoint = Checkpoint.objects.filter(log=leaf.log_id, size__gt=leaf.index).order_by("size").first() if leaf else None
    if leaf is None or checkpoint is None:
        return None
    proof = inclusion_proof(StoredHashes(leaf.log_id).read, leaf.index, checkpoint.size)
    return LogPosition(leaf.log, leaf.index, checkpoint.size, proof, checkpoint.note)


def receipt_of(event: AuditEvent) -> str:
    """Return the receipt of an event; while it waits, a note of the hash that the log is going to hold."""
    place, content = find_place(event.id), bytes(event.body)
    if place is None:
        return f"Not sealed yet. Ask again in a few seconds.\n\nevent {event.id}\nleaf {encode_base64(leaf_hash(content))}\n"
    return write_receipt(content=content, index=place.index, proof=place.proof, note=place.note)


def take_receipt(*, event: AuditEvent, by: Actor, at: datetime) -> str:
    """Return an event's receipt, and record that it was handed out."""
    text = receipt_of(event)
    record(Event(Action.RECEIPT_TAKEN, event.organisation_id, by, at, "event", event.id))
    return text


def find_milestone(organisation_id: UUID, snapshot_id: UUID, of: Collection[UUID] | None) -> AuditEvent | None:
    """Return the event for a snapshot's receipt: the last submission or signature of its review, else its freezing.

    ``of`` are the people whose reviews count, if those of others are hidden from the reader.
    """
    events = AuditEvent.objects.filter(organisation_id=organisation_id, object_id=snapshot_id).order_by("-occurred_at", "-id")
    reviewed = events.filter(action__in=[Action.REVIEW_SUBMITTED.value, Action.SIGNATURE_MADE.value])
    if of is not None:
        reviewed = reviewed.filter(actor_id__in=of)
    return reviewed.first() or events.filter(action=Action.SNAPSHOT_FROZEN.value).first()
