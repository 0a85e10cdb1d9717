"""Hooks of the ledger: lists of callables that slices above fill in their ``AppConfig.ready``."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import LiteralString
from uuid import UUID

from django.db.models import Q, QuerySet

from reviewers.accounts.models import Membership
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import AuditEvent

event_listeners: list[Callable[[Sequence[Event]], None]] = []
"""Each is called with the events that were just written, in their transaction. An exception undoes the act."""


verification_checks: list[Callable[[UUID], None]] = []
"""Checks of an organisation's rows that `verify` runs besides its own; each raises ``LedgerMismatch``."""


rows_without_event: dict[str, LiteralString] = {}
"""Conditions in SQL, by table of records, for the rows that events tell of later."""


def run_verification_checks(organisation_id: UUID) -> None:
    """Run every check for one organisation."""
    for check in verification_checks:
        check(organisation_id)


hidden_event_checks: list[Callable[[Membership, Sequence[AuditEvent]], Collection[UUID]]] = []
"""Each returns the identifiers of those events that a member may not read now, such as others' work in a blind review.

A hidden event is not listed; its bytes and its receipt can be read once it is no longer hidden.
"""


hidden_event_conditions: list[Callable[[Membership], Q | None]] = []
"""Each returns a condition for events that its check hides from a member, or None, so that very many are passed over by the database.

It need not find them all: the check is asked about those that are left.
"""


hiding_checks: list[Callable[[Membership], bool]] = []
"""Each returns True while it may hide events from a member, whether there are any or not."""


def hides_events_from(member: Membership) -> bool:
    """Return True while events may be hidden from a member.

    It does not depend on which events are read: a list that is narrowed to one answer would tell otherwise that something hidden happened
    to that answer.
    """
    return any(check(member) for check in hiding_checks)


def without_most_hidden(member: Membership, events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
    """Return events without those that the conditions find. What is left has to go through ``hidden_events``."""
    for find in hidden_event_conditions:
        if condition := find(member):
            events = events.exclude(condition)
    return events


def hidden_events(member: Membership, events: Sequence[AuditEvent]) -> frozenset[UUID]:
    """Return the identifiers of those events that a member may not read now."""
    found = frozenset(pk for check in hidden_event_checks for pk in check(member, events)) if events else frozenset[UUID]()
    return found | _naming_hidden(member, events)


def _naming_hidden(member: Membership, events: Sequence[AuditEvent]) -> frozenset[UUID]:
    """Return the events by which others took the receipt of a hidden event, or searched for it: its identifier tells its time."""
    if not hidden_event_checks:
        return frozenset()
    named = {each.pk: event_id for each in events if each.actor_id != member.user_id and (event_id := _named_by(each))}
    if not named:
        return frozenset()
    there = list(AuditEvent.objects.filter(organisation_id=member.organisation_id, pk__in=set(named.values())))
    hidden = {pk for check in hidden_event_checks for pk in check(member, there)}
    return frozenset(pk for pk, event_id in named.items() if event_id in hidden)


def _named_by(event: AuditEvent) -> UUID | None:
    """Return the identifier that may be that of an event whose receipt was taken, or that was searched for."""
    if event.action == Action.RECEIPT_TAKEN:
        return event.object_id
    sought = json.loads(bytes(event.body)).get("details", {}).get("object") if event.action == Action.LEDGER_SEARCHED else None
    return UUID(sought) if sought else None
