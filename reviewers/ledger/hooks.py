"""Hooks of the ledger: lists of callables that slices above fill in their ``AppConfig.ready``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.ledger.models import AuditEvent

verification_checks: list[Callable[[UUID], None]] = []
"""Checks of an organisation's rows that `verify` runs besides its own; each raises ``LedgerMismatch``."""


def run_verification_checks(organisation_id: UUID) -> None:
    """Run every check for one organisation."""
    for check in verification_checks:
        check(organisation_id)


hidden_event_checks: list[Callable[[Membership, Sequence[AuditEvent]], Collection[UUID]]] = []
"""Each returns the identifiers of those events that a member may not read now, such as others' work in a blind review.

A hidden event is listed without its action; its bytes and its receipt can be read once it is no longer hidden.
"""


def hidden_events(member: Membership, events: Sequence[AuditEvent]) -> frozenset[UUID]:
    """Return the identifiers of those events that a member may not read now."""
    return frozenset(pk for check in hidden_event_checks for pk in check(member, events)) if events else frozenset()
