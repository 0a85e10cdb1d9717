"""May anyone, in this state? Each rule raises with its reason."""

from __future__ import annotations

from datetime import datetime, timedelta

from reviewers.accounts.models import Membership, Role

LONGEST_OUTSIDE = timedelta(days=366)


class Refused(Exception):  # noqa: N818 — a refusal is no error
    """The state of things forbids it; the message says why."""


def check_administrator_remains(member: Membership) -> None:
    """Of an organisation's administrators one is left. Their rows are locked: two who leave at once are judged one after the other."""
    if member.role != Role.ADMINISTRATOR:
        return
    administrators = Membership.objects.filter(organisation_id=member.organisation_id, role=Role.ADMINISTRATOR, ended_at=None)
    if not [other for other in administrators.order_by("pk").select_for_update() if other.pk != member.pk]:
        raise Refused(f"{member.user.name} is the only administrator here. Make somebody else one first.")


def check_may_be_external(member: Membership, until: datetime, now: datetime) -> None:
    """Only auditors are let in from outside, and for a time that somebody has thought of."""
    if member.role != Role.AUDITOR:
        raise Refused("Only an auditor can be from outside.")
    if not now < until <= now + LONGEST_OUTSIDE:
        raise Refused("Choose a last day between today and a year from now.")


def check_may_change_role(member: Membership) -> None:
    """Whoever is from outside stays so: what they may be shown is decided anew with another membership."""
    if member.is_external:
        raise Refused(f"{member.user.name} is from outside. End this membership before giving another role.")
