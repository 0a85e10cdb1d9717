"""Redaction: somebody proposes, somebody else approves, and what is named is gone while every proof still holds.

What is to be changed is worked out by the slices whose rows it is. Here it is done with the owner's rights (``ledger_redact`` in
``migrations/sql/redacting.sql``), what opened the commitments to it is closed, and one event commits to all of it as it is then.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction

from reviewers.accounts.announcements import user_actor
from reviewers.ledger.actions import record
from reviewers.ledger.closing import Parts, close_secrets
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import EventSecret
from reviewers.ledger.redaction_models import Outcome, Redaction, RedactionDecision
from reviewers.ledger.rows import rows_of


@dataclass(frozen=True, slots=True)
class Change:
    """A row of a record, and what is to stand in some of its columns."""

    model: type[models.Model]
    key: UUID
    values: Mapping[str, Any]

    @property
    def place(self) -> tuple[str, str]:
        """Its table and its key, as events name them."""
        return self.model._meta.db_table, str(self.key)


@dataclass(frozen=True, slots=True)
class Work:
    """All that a redaction changes: rows; events that keep protected words of their own; and what is known of the parts of events."""

    changes: Sequence[Change]
    events: Collection[UUID] = ()
    parts: Mapping[UUID, Parts] | None = None


@transaction.atomic
def propose(*, redaction: Redaction) -> Redaction:
    """Write a proposal down. Nothing is changed by it."""
    redaction.save(force_insert=True)
    details = {"redaction": str(redaction.id), "basis": redaction.basis, "parts": len(redaction.parts)}
    parts = [("reason", redaction.reason.encode())]
    _record(Action.REDACTION_PROPOSED, redaction, redaction.proposed_by, redaction.proposed_at, details, [redaction], parts)
    return redaction


@transaction.atomic
def decline(*, redaction: Redaction, outcome: Outcome, by: UUID, at: datetime) -> RedactionDecision:
    """Nothing is redacted: somebody else declines, or whoever proposed it withdraws."""
    decision = _decide(redaction, outcome, by, at)
    _record(Action.REDACTION_DECLINED, redaction, by, at, {"redaction": str(redaction.id), "outcome": outcome.value}, [decision])
    return decision


@transaction.atomic
def approve(*, redaction: Redaction, work: Work, by: UUID, at: datetime) -> RedactionDecision:
    """Redact. Raises ``Differs`` where what is to be redacted is not what was sealed: then nothing is, and the difference stays seen."""
    places = {change.place for change in work.changes}
    closed = close_secrets(redaction.organisation_id, redaction.object_id, places, work.events, work.parts or {})
    changes = [*work.changes, *(Change(EventSecret, event_id, values) for event_id, values in closed.items())]
    decision = _decide(redaction, Outcome.APPROVED, by, at, [" ".join(change.place) for change in changes])
    for change in changes:
        _change(change)
    details = {
        "redaction": str(redaction.id),
        "basis": redaction.basis,
        "parts": len(redaction.parts),
        "proposed_by": str(redaction.proposed_by),
    }
    _record(Action.REDACTION_APPROVED, redaction, by, at, details, [decision, *(_read(change) for change in changes)])
    return decision


def _decide(redaction: Redaction, outcome: Outcome, by: UUID, at: datetime, touched: Sequence[str] = ()) -> RedactionDecision:
    return RedactionDecision.objects.create(
        organisation_id=redaction.organisation_id,
        redaction=redaction,
        proposed_by=redaction.proposed_by,
        outcome=outcome,
        decided_by=by,
        decided_at=at,
        touched=list(touched),
        made_in=_transaction_number(),
    )


def _transaction_number() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()")
        return int(cursor.fetchone()[0])


def _change(change: Change) -> None:
    values = json.dumps({name: _plain(value) for name, value in change.values.items()}, ensure_ascii=False)
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_redact(%s, %s, %s::jsonb)", [*change.place, values])


def _plain(value: Any) -> Any:
    """A value as the database reads it out of JSON."""
    return "\\x" + bytes(value).hex() if isinstance(value, bytes) else value


def _read(change: Change) -> models.Model:
    return change.model._base_manager.get(pk=change.key)  # noqa: SLF001 — Django's documented name for it


def _record(
    action: Action,
    redaction: Redaction,
    by: UUID,
    at: datetime,
    details: Mapping[str, Any],
    rows: Sequence[models.Model],
    parts: Sequence[tuple[str, bytes]] = (),
) -> None:
    organisation_id, object_type, object_id = redaction.organisation_id, redaction.object_type, redaction.object_id
    record(Event(action, organisation_id, user_actor(by), at, object_type, object_id, details, parts, rows=rows_of(rows)))
