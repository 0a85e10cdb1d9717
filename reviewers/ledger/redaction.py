"""Redaction: one person proposes, another approves, and the named parts are gone while every proof still holds.

The slices that own the rows work out what to change. Here it is changed with the owner's rights (``ledger_redact`` in
``migrations/sql/redacting.sql``), the secrets of commitments to it are closed, and one event commits to the new state of all changed rows.
Everything is verified first: a row that no longer agrees with its seal is not redacted, for nobody could ever notice afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction
from django.db.models import Exists, OuterRef, Q

from reviewers.accounts.audit import user_actor
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part, commit_part, commit_parts
from reviewers.ledger.encoding import CHECK_LENGTH, Openings, close, read_openings, rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import AuditEvent, EventSecret, Redaction, RedactionDecision, RedactionOutcome
from reviewers.ledger.verification.checks import read_body
from reviewers.ledger.verification.log import check_commitments
from reviewers.ledger.verification.rows import Closings, columns_of

Place = tuple[str, str]
"""A table, and the key of a row in it as text."""

_SECRETS = EventSecret._meta.db_table


@dataclass(frozen=True, slots=True)
class ClosedParts:
    """All parts that an event commits to, in order, and the numbers of those to close."""

    all: Sequence[Part]
    closed: Collection[int]


@dataclass(frozen=True, slots=True)
class _Told:
    """An event with its body and its secret."""

    event: AuditEvent
    body: Mapping[str, Any]
    secret: EventSecret

    def places(self) -> list[Place]:
        """Return the rows that it commits to."""
        return [(row["table"], row["id"]) for row in self.body.get("rows", [])]


def close_secrets(
    organisation_id: UUID, object_id: UUID, places: set[Place], events: Collection[UUID], parts: Mapping[UUID, ClosedParts]
) -> dict[UUID, dict[str, Any]]:
    """Return the new columns of the secrets, by event: of ``events``, and of all events about the object that commit to these rows.

    If the ``parts`` of an event are known, the others stay open; otherwise all of its parts are closed. Raise ``LedgerMismatch`` if an
    event does not agree with its seal.
    """
    told = {each.event.id: each for each in _about(organisation_id, object_id, events)}
    touched = _spread(told.values(), places | {(_SECRETS, str(event_id)) for event_id in events})
    chosen = [each for each in told.values() if (_SECRETS, str(each.event.id)) in touched]
    check_commitments({each.event.id: each.event for each in chosen}, {each.event.id: each.body for each in chosen}, Closings())
    return {each.event.id: _closed(each, touched, parts.get(each.event.id)) for each in chosen}


def _spread(told: Iterable[_Told], touched: set[Place]) -> set[Place]:
    """Return the rows and the secrets that change with them: an earlier redaction may have committed to a secret that closes now."""
    while True:
        found = {(_SECRETS, str(each.event.id)) for each in told if not touched.isdisjoint(each.places())}
        if found <= touched:
            return touched
        touched = touched | found


def _about(organisation_id: UUID, object_id: UUID, named: Collection[UUID]) -> list[_Told]:
    """Return the events about the object, and those named though they are about something else, such as searches."""
    secrets = EventSecret.objects.filter(pk=OuterRef("pk"))
    events = AuditEvent.objects.filter(Q(object_id=object_id) | Q(pk__in=list(named)), Exists(secrets), organisation_id=organisation_id)
    by_id = events.in_bulk()
    found = EventSecret.objects.in_bulk(list(by_id))
    return [_Told(event, read_body(event), found[event_id]) for event_id, event in by_id.items()]


def _closed(told: _Told, touched: set[Place], parts: ClosedParts | None) -> dict[str, Any]:
    openings = read_openings(told.body, bytes(told.secret.salt_seed))
    rows = frozenset(number for number, place in enumerate(told.places()) if place in touched)
    return {
        "salt_seed": close(openings, _closed_parts(told.body, openings, parts), rows),
        "payload": None,
        "column_checks": _checks_left(told, openings, rows),
    }


def _closed_parts(body: Mapping[str, Any], openings: Openings, parts: ClosedParts | None) -> dict[int, bytes | None]:
    """Return the numbers to close, with commitments if those of all parts are known, so that the open ones can still be proven."""
    commitments = _commitments(openings, parts.all) if parts and len(parts.all) == len(openings.parts) else None
    if parts and commitments and commit_parts(commitments) == body["parts"]["sha256"]:
        return {number: commitments[number] for number in parts.closed}
    return dict.fromkeys(range(len(openings.parts)))


def _commitments(openings: Openings, parts: Sequence[Part]) -> list[bytes]:
    """Return the commitments of all parts: computed for open ones, stored for closed ones."""
    each = zip(openings.parts, openings.kept, parts, strict=False)
    return [commit_part(salt, name, content) if salt else kept[1:] for salt, kept, (name, content) in each]


def _checks_left(told: _Told, openings: Openings, closed: frozenset[int]) -> bytes:
    """Return the column checks of the rows that stay open."""
    left, checks = b"", bytes(told.secret.column_checks)
    for number, (row, salt) in enumerate(zip(told.body.get("rows", []), openings.rows, strict=True)):
        width = CHECK_LENGTH * len(columns_of(row["table"], row["columns"])) if salt else 0
        left += b"" if number in closed else checks[:width]
        checks = checks[width:]
    return left


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of a record, and the new values of some of its columns."""

    model: type[models.Model]
    key: UUID
    values: Mapping[str, Any]

    @property
    def place(self) -> tuple[str, str]:
        """The table and the key, as events name them."""
        return self.model._meta.db_table, str(self.key)


@dataclass(frozen=True, slots=True)
class RedactionWork:
    """Everything that a redaction changes: rows; events that hold protected words of their own; and the known parts of events."""

    changes: Sequence[RowChange]
    events: Collection[UUID] = ()
    parts: Mapping[UUID, ClosedParts] | None = None


@transaction.atomic
def propose(*, redaction: Redaction) -> Redaction:
    """Store and record a proposal. It changes nothing else."""
    redaction.save(force_insert=True)
    details = {"redaction": str(redaction.id), "basis": redaction.basis, "parts": len(redaction.parts)}
    parts = [("reason", redaction.reason.encode())]
    _record(Action.REDACTION_PROPOSED, redaction, redaction.proposed_by, redaction.proposed_at, details, [redaction], parts)
    return redaction


@transaction.atomic
def decline(*, redaction: Redaction, outcome: RedactionOutcome, by: UUID, at: datetime) -> RedactionDecision:
    """Decline a redaction as somebody else, or withdraw it as its proposer."""
    decision = _decide(redaction, outcome, by, at)
    _record(Action.REDACTION_DECLINED, redaction, by, at, {"redaction": str(redaction.id), "outcome": outcome.value}, [decision])
    return decision


@transaction.atomic
def approve(*, redaction: Redaction, work: RedactionWork, by: UUID, at: datetime) -> RedactionDecision:
    """Redact. Raise ``LedgerMismatch`` if a row to be redacted differs from what was sealed; then nothing is redacted."""
    places = {change.place for change in work.changes}
    closed = close_secrets(redaction.organisation_id, redaction.object_id, places, work.events, work.parts or {})
    changes = [*work.changes, *(RowChange(EventSecret, event_id, values) for event_id, values in closed.items())]
    decision = _decide(redaction, RedactionOutcome.APPROVED, by, at, [" ".join(change.place) for change in changes])
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


def _decide(redaction: Redaction, outcome: RedactionOutcome, by: UUID, at: datetime, touched: Sequence[str] = ()) -> RedactionDecision:
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


def _change(change: RowChange) -> None:
    values = json.dumps({name: _plain(value) for name, value in change.values.items()}, ensure_ascii=False)
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_redact(%s, %s, %s::jsonb)", [*change.place, values])


def _plain(value: Any) -> Any:
    """Return a value as the database reads it from JSON."""
    return "\\x" + bytes(value).hex() if isinstance(value, bytes) else value


def _read(change: RowChange) -> models.Model:
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
