"""The kinds of event, and the form of their bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import rfc8785

from reviewers.accounts.announcements import Actor
from reviewers.ledger.commitments import Part

BODY_VERSION = 1


class Action(StrEnum):
    """What can be done. Stored in events for good: a word here is never given another meaning."""

    SESSION_STARTED = "session.started"
    SESSION_ENDED = "session.ended"
    SESSION_REFUSED = "session.refused"
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 — a word for what happened
    PASSWORD_RESET = "password.reset"  # noqa: S105 — the same
    SECOND_FACTOR_ADDED = "second_factor.added"
    SECOND_FACTOR_REMOVED = "second_factor.removed"
    ORGANISATION_CREATED = "organisation.created"
    MEMBER_ADDED = "member.added"
    SWITCH_CHANGED = "switch.changed"
    SERVICE_KEY_CREATED = "service_key.created"
    SERVICE_KEY_REVOKED = "service_key.revoked"
    SNAPSHOT_FROZEN = "snapshot.frozen"
    SNAPSHOT_VIEWED = "snapshot.viewed"
    RECORD_VIEWED = "record.viewed"
    QUEUE_VIEWED = "queue.viewed"
    QUEUE_SEARCHED = "queue.searched"
    LEASE_TAKEN = "lease.taken"
    LEASE_RENEWED = "lease.renewed"
    LEASE_RELEASED = "lease.released"
    LEASE_EXPIRED = "lease.expired"
    LABEL_SAVED = "label.saved"
    LABEL_UNDONE = "label.undone"
    NOTE_SAVED = "note.saved"
    FINDING_FLAGGED = "finding.flagged"
    REVIEW_SUBMITTED = "review.submitted"
    REVIEW_SKIPPED = "review.skipped"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done, before it is written.

    ``details`` hold no protected text; ``parts`` are what the event commits to without telling, by name, and ``kept`` names those of
    them that no other table keeps.
    """

    action: Action
    organisation_id: UUID
    by: Actor
    at: datetime
    object_type: str
    object_id: UUID
    details: Mapping[str, Any] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    kept: frozenset[str] = frozenset()


def body_of(event: Event, event_id: UUID, count: int, digest: str) -> bytes:
    """The canonical bytes of an event."""
    body: dict[str, Any] = {
        "v": BODY_VERSION,
        "id": str(event_id),
        "organisation": str(event.organisation_id),
        "at": event.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "actor": {"kind": event.by.kind.value, "id": str(event.by.id) if event.by.id else None},
        "action": event.action.value,
        "object": {"type": event.object_type, "id": str(event.object_id)},
    }
    if event.details:
        body["details"] = dict(event.details)
    if count:
        body["parts"] = {"count": count, "sha256": digest}
    return rfc8785.dumps(body)
