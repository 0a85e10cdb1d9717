"""Writes events. Always inside the transaction of what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import rfc8785

from reviewers.ledger.commitments import commit
from reviewers.ledger.events import Event, body_of
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.web.ids import uuid7


def record(event: Event) -> UUID:
    """Write one event; returns its identifier."""
    row, secret = prepare(event)
    row.save(force_insert=True)
    if secret:
        secret.save(force_insert=True)
    return row.id


def record_all(events: Sequence[Event]) -> None:
    """Write many events in two statements."""
    prepared = [prepare(event) for event in events]
    AuditEvent.objects.bulk_create([row for row, _ in prepared])
    EventSecret.objects.bulk_create([secret for _, secret in prepared if secret])


def prepare(event: Event) -> tuple[AuditEvent, EventSecret | None]:
    """The rows of an event: its body, and what opens its commitments where it has any."""
    event_id = uuid7()
    commitment = commit(event.parts) if event.parts else None
    body = body_of(event, event_id, commitment.count if commitment else 0, commitment.digest if commitment else "")
    row = AuditEvent(
        id=event_id,
        organisation_id=event.organisation_id,
        action=event.action.value,
        actor_id=event.by.id,
        object_id=event.object_id,
        occurred_at=event.at,
        body=body,
    )
    if commitment is None:
        return row, None
    kept = {name: content.decode() for name, content in event.parts if name in event.kept}
    payload = rfc8785.dumps(kept) if kept else None
    secret = EventSecret(event_id=event_id, organisation_id=event.organisation_id, salt_seed=commitment.seed, payload=payload)
    return row, secret
