"""Closes what opens the commitments to rows that are about to be redacted.

Checked first: whatever does not agree with its seal any more is not redacted, for nobody could ever tell afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from reviewers.ledger.commitments import Part, commit_part, commit_parts
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.openings import Openings, close, read_openings
from reviewers.ledger.rows import CHECK_LENGTH
from reviewers.ledger.verifying.closings import Closings
from reviewers.ledger.verifying.events import read_body
from reviewers.ledger.verifying.log import check_commitments
from reviewers.ledger.verifying.rows import columns_of

Place = tuple[str, str]
"""A table, and the key of a row in it as text."""

_SECRETS = EventSecret._meta.db_table


@dataclass(frozen=True, slots=True)
class Parts:
    """What an event commits to in parts, in their order, and the numbers of those that are to be closed."""

    all: Sequence[Part]
    closed: Collection[int]


@dataclass(frozen=True, slots=True)
class _Told:
    """An event with what opens it."""

    event: AuditEvent
    body: Mapping[str, Any]
    secret: EventSecret

    def places(self) -> list[Place]:
        """The rows that it commits to."""
        return [(row["table"], row["id"]) for row in self.body.get("rows", [])]


def close_secrets(
    organisation_id: UUID, object_id: UUID, places: set[Place], events: Collection[UUID], parts: Mapping[UUID, Parts]
) -> dict[UUID, dict[str, Any]]:
    """The new columns of the secrets of all events about an object that commit to these rows, and of these events, by event.

    Of an event whose ``parts`` are known the others stay open; of any other all of its parts are closed. Raises ``Differs``.
    """
    told = {each.event.id: each for each in _about(organisation_id, object_id, events)}
    touched = _spread(told.values(), places | {(_SECRETS, str(event_id)) for event_id in events})
    chosen = [each for each in told.values() if (_SECRETS, str(each.event.id)) in touched]
    check_commitments({each.event.id: each.event for each in chosen}, {each.event.id: each.body for each in chosen}, Closings())
    return {each.event.id: _closed(each, touched, parts.get(each.event.id)) for each in chosen}


def _spread(told: Iterable[_Told], touched: set[Place]) -> set[Place]:
    """Closing an event changes its secret, and if an earlier redaction has committed to that, the event of this one is closed as well."""
    while True:
        found = {(_SECRETS, str(each.event.id)) for each in told if not touched.isdisjoint(each.places())}
        if found <= touched:
            return touched
        touched = touched | found


def _about(organisation_id: UUID, object_id: UUID, named: Collection[UUID]) -> list[_Told]:
    """The events about the object, and those that are named though they are about something else, such as searches."""
    secrets = EventSecret.objects.filter(pk=OuterRef("pk"))
    events = AuditEvent.objects.filter(Q(object_id=object_id) | Q(pk__in=list(named)), Exists(secrets), organisation_id=organisation_id)
    by_id = events.in_bulk()
    found = EventSecret.objects.in_bulk(list(by_id))
    return [_Told(event, read_body(event), found[event_id]) for event_id, event in by_id.items()]


def _closed(told: _Told, touched: set[Place], parts: Parts | None) -> dict[str, Any]:
    openings = read_openings(told.body, bytes(told.secret.salt_seed))
    rows = frozenset(number for number, place in enumerate(told.places()) if place in touched)
    return {
        "salt_seed": close(openings, _closed_parts(told.body, openings, parts), rows),
        "payload": None,
        "column_checks": _checks_left(told, openings, rows),
    }


def _closed_parts(body: Mapping[str, Any], openings: Openings, parts: Parts | None) -> dict[int, bytes | None]:
    """By number, with their commitments where those of all parts are known, so that the others can be shown to belong to the event."""
    commitments = _commitments(openings, parts.all) if parts and len(parts.all) == len(openings.parts) else None
    if parts and commitments and commit_parts(commitments) == body["parts"]["sha256"]:
        return {number: commitments[number] for number in parts.closed}
    return dict.fromkeys(range(len(openings.parts)))


def _commitments(openings: Openings, parts: Sequence[Part]) -> list[bytes]:
    """Of open parts made again, of closed ones as they are kept."""
    each = zip(openings.parts, openings.kept, parts, strict=False)
    return [commit_part(salt, name, content) if salt else kept[1:] for salt, kept, (name, content) in each]


def _checks_left(told: _Told, openings: Openings, closed: frozenset[int]) -> bytes:
    """The checks of the columns of the rows that stay open."""
    left, checks = b"", bytes(told.secret.column_checks)
    for number, (row, salt) in enumerate(zip(told.body.get("rows", []), openings.rows, strict=True)):
        width = CHECK_LENGTH * len(columns_of(row["table"], row["columns"])) if salt else 0
        left += b"" if number in closed else checks[:width]
        checks = checks[width:]
    return left
