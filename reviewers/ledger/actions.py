"""Writing audit events, always in the transaction of the act they record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

import rfc8785
from django.db import models

from reviewers.accounts.audit import Announcement
from reviewers.ledger.commitments import commit, commit_row, new_seed, salts
from reviewers.ledger.events import Action, Event, body_of
from reviewers.ledger.hooks import event_listeners
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.mutable_rows import rows_changed_by
from reviewers.web.models import uuid7
from reviewers.web.statements import insert


def record(event: Event) -> UUID:
    """Write an event; return its identifier."""
    (written,) = record_all([event])
    return written


def record_all(events: Sequence[Event], about: Iterable[models.Model] = ()) -> list[UUID]:
    """Write events, and before them the new rows that they are about, in one round trip; return the identifiers of the events."""
    prepared = [prepare(event) for event in events]
    insert([*about, *(row for row, _ in prepared), *(secret for _, secret in prepared if secret)])
    for listen in event_listeners:
        listen(events)
    return [row.id for row, _ in prepared]


def prepare(event: Event) -> tuple[AuditEvent, EventSecret | None]:
    """Return the rows of an event: its body, and the secret that opens its commitments if it has any."""
    event_id = uuid7()
    seed = new_seed() if event.parts or event.rows else b""
    written = [row.encode() for row in event.rows]
    row = AuditEvent(
        id=event_id,
        organisation_id=event.organisation_id,
        action=event.action.value,
        actor_id=event.by.id,
        object_id=event.object_id,
        occurred_at=event.at,
        body=body_of(event, event_id, commit(event.parts, seed), _commit_rows(event, seed, [content for content, _ in written])),
    )
    if not seed:
        return row, None
    kept = {name: content.decode() for name, content in event.parts if name in event.kept}
    secret = EventSecret(
        event_id=event_id,
        organisation_id=event.organisation_id,
        salt_seed=seed,
        payload=rfc8785.dumps(kept) if kept else None,
        column_checks=b"".join(checks for _, checks in written),
    )
    return row, secret


def _commit_rows(event: Event, seed: bytes, contents: Sequence[bytes]) -> list[dict[str, str]]:
    """Return an event's commitments to the rows written with it. Their salts follow those of its parts."""
    own = salts(seed, len(event.parts) + len(contents))[len(event.parts) :] if contents else []
    return [
        {"table": row.table, "id": row.id, "columns": row.shape, "sha256": commit_row(salt, row.table, content)}
        for row, content, salt in zip(event.rows, contents, own, strict=True)
    ]


def record_announcement(announcement: Announcement) -> None:
    """Write the audit event of a change that accounts announce."""
    record(
        Event(
            action=Action(announcement.action),
            organisation_id=announcement.organisation_id,
            by=announcement.by,
            at=announcement.at,
            object_type=announcement.object_type,
            object_id=announcement.object_id,
            details=announcement.details,
            parts=announcement.parts,
            kept=frozenset(name for name, _ in announcement.parts),
            rows=rows_changed_by(announcement),
        )
    )
