"""May an invitation be made or accepted, in this state? Each rule raises ``Refused`` with its reason."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from reviewers.accounts.membership_policies import LONGEST_OUTSIDE, Refused
from reviewers.accounts.models import Invitation, Membership, Role, User
from reviewers.accounts.outside import Outside


def check_may_invite(organisation_id: UUID, email: str) -> None:
    """Refuse to invite a member. Nothing is asked about accounts that are not members here."""
    if Membership.objects.filter(organisation_id=organisation_id, user__email=email, ended_at=None).exists():
        raise Refused(f"{email} is a member already.")


def check_is_administrator_still(organisation_id: UUID, user_id: UUID) -> None:
    """Refuse whoever ceased to be an administrator while they were inviting. Their row is locked, so that they cease before or after it."""
    here = Membership.objects.filter(organisation_id=organisation_id, user_id=user_id, role=Role.ADMINISTRATOR, ended_at=None)
    if not here.select_for_update(no_key=True).first():
        raise Refused("You are no administrator here any more.")


def check_may_be_outside(role: str, outside: Outside | None, now: datetime) -> None:
    """Refuse an external membership for anybody but an auditor, or without an end within a year."""
    if outside is None:
        return
    if role != Role.AUDITOR:
        raise Refused("Only an auditor can be from outside.")
    if not now < outside.until <= now + LONGEST_OUTSIDE:
        raise Refused("Choose a last day between today and a year from now.")


def check_is_open(invitation: Invitation, now: datetime) -> None:
    """Refuse an invitation that was accepted, declined, withdrawn or replaced, or that has expired."""
    if invitation.ended_at is not None or invitation.expires_at <= now:
        raise Refused("This invitation is not valid any more. Ask whoever invited you for another one.")


def check_may_accept(invitation: Invitation, user: User, now: datetime) -> None:
    """Refuse anybody but the owner of the address that was invited."""
    check_is_open(invitation, now)
    if user.email != invitation.email:
        raise Refused(f"This invitation is for {invitation.email}. You are signed in as {user.email}: sign out, and open the link again.")
    if not user.is_active:
        raise Refused("This account is closed.")
    if invitation.external_until is not None and invitation.external_until <= now:
        raise Refused("The last day of this invitation has passed.")
