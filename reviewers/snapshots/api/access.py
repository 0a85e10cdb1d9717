"""Access of programs to a snapshot: the reason that an organisation may ask for, and its events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Header

from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record as record_event
from reviewers.ledger.events import Action, Event

LONGEST_REASON = 500
AccessReason = Annotated[str, Header("", alias="Access-Reason", max_length=LONGEST_REASON)]
"""The header in which a program says why it reads a record."""
NO_REASON = {"place": "Access-Reason", "reason": "this organisation asks why a record is read: say so in this header"}


def lacks_reason(organisation: Organisation, reason: str) -> bool:
    """Return True if an organisation asks why records are opened, and the request does not say it."""
    return organisation.asks_why and not reason.strip()


def record_access(
    action: Action, organisation_id: UUID, snapshot_id: UUID, by: Actor, at: datetime, reason: str, details: Mapping[str, Any] | None = None
) -> None:
    """Record that a program was shown a snapshot and, before it, why, if it said so."""
    if reason.strip():
        record_event(_explained(organisation_id, snapshot_id, by, at, reason.strip()))
    record_event(Event(action, organisation_id, by, at, "snapshot", snapshot_id, details or {}))


def _explained(organisation_id: UUID, snapshot_id: UUID, by: Actor, at: datetime, reason: str) -> Event:
    """Return the event of an explained access. The reason may be protected text, so the event commits to it, and its secret stores it."""
    return Event(
        action=Action.ACCESS_EXPLAINED,
        organisation_id=organisation_id,
        by=by,
        at=at,
        object_type="snapshot",
        object_id=snapshot_id,
        details={"kind": "program"},
        parts=[("reason", reason.encode())],
        kept=frozenset({"reason"}),
    )
