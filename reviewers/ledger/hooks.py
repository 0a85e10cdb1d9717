"""What slices above verify besides: they know what their rows mean, and may not be imported here, so they say so when the site starts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.ledger.models import AuditEvent

Check = Callable[[UUID], None]
"""Takes the identifier of an organisation; raises ``Differs``."""

verification_checks: list[Check] = []


def run_verification_checks(organisation_id: UUID) -> None:
    """All of it, for one organisation."""
    for check in verification_checks:
        check(organisation_id)


# What slices above this one keep from some readers of the ledger for a while, such as what others do in a blind review.
#
# They stand above and may not be imported here, so they say here which events they mean. An event that is kept back is listed, without
# saying what was done; its bytes and its receipt are given again once nothing is to be hidden.


Hides = Callable[[Membership, Sequence[AuditEvent]], Collection[UUID]]
"""Picks out of some events those that a member may not read now."""

_checks: list[Hides] = []


def hide_events(check: Hides) -> None:
    """Keep events from some readers."""
    _checks.append(check)


def hidden_events(member: Membership, events: Sequence[AuditEvent]) -> frozenset[UUID]:
    """Return those of some events that a member may not read now."""
    return frozenset(pk for check in _checks for pk in check(member, events)) if events else frozenset()
