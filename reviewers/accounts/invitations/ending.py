"""How an invitation ends, whoever ends it: its row says how, and an event tells of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from reviewers.accounts.announcements import Actor, Announcement, announce
from reviewers.accounts.models import Invitation, Membership


def end_invitation(invitation: Invitation, outcome: str, at: datetime, by: Actor, **changes: Any) -> None:
    """End an invitation whose row is held."""
    Invitation.objects.filter(pk=invitation.pk).update(ended_at=at, ended_as=outcome, **changes)
    details = {"outcome": str(outcome)}
    announce(Announcement("invitation.ended", invitation.organisation_id, by, at, "invitation", invitation.pk, details))


def withdraw_those_by(member: Membership, at: datetime, by: Actor) -> None:
    """Withdraw what somebody has offered who may offer nothing any more: otherwise they could come back by a link of their own."""
    offered = Invitation.objects.filter(organisation_id=member.organisation_id, invited_by_id=member.user_id, ended_at=None)
    for invitation in offered.select_for_update().order_by("pk"):
        end_invitation(invitation, Invitation.Outcome.WITHDRAWN, at, by)
