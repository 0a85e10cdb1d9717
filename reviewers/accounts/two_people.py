"""What "by two people" means, for everything that one person proposes and another approves.

Both were members before the proposal, both had come in with a second factor where one is required, and neither came by an invitation in
the last days (``FOOTNOTE_TWO_PEOPLE_DAYS``). Otherwise one person could invite accounts of their own, directly or through one another,
and decide alone. The database holds the same rule: see ``migrations/sql/two_people.sql``.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings

from reviewers.accounts.models import Membership, Organisation


def why_not_two_people(*, organisation_id: UUID, proposed_by: UUID, proposed_at: datetime, decided_by: UUID, now: datetime) -> str:
    """Return why these two may not decide together, in words for the second person; an empty string if they may.

    ``proposed_by`` and ``decided_by`` are identifiers of users.
    """
    if proposed_by == decided_by:
        return "You proposed this. Somebody else has to approve it."
    proposer, decider = (_member_at(organisation_id, user_id, proposed_at) for user_id in (proposed_by, decided_by))
    if proposer is None or decider is None or decider.ended_at is not None:
        return "Whoever proposes and whoever approves must both have been members here before the proposal."
    if _needs_second_factor(organisation_id) and not (_was_strong(proposer, proposed_at) and _was_strong(decider, proposed_at)):
        return "Whoever proposes and whoever approves must both have signed in here with a second factor before the proposal."
    if any(_came_lately(each, now) for each in (proposer, decider)):
        days = settings.TWO_PEOPLE_APART.days
        return f"One of you came by an invitation in the last {days} days. Two people who were here before decide this."
    return ""


def _member_at(organisation_id: UUID, user_id: UUID, moment: datetime) -> Membership | None:
    """Return the newest membership that a person had begun by a moment and not ended by it."""
    found = Membership.objects.filter(organisation_id=organisation_id, user_id=user_id, created_at__lte=moment).order_by("-created_at")
    newest = found.first()
    return newest if newest is not None and (newest.ended_at is None or newest.ended_at > moment) else None


def _needs_second_factor(organisation_id: UUID) -> bool:
    if settings.SECOND_FACTOR_REQUIRED:
        return True
    return Organisation.objects.filter(pk=organisation_id, requires_second_factor=True).exists()


def _was_strong(member: Membership, moment: datetime) -> bool:
    return member.second_factor_at is not None and member.second_factor_at <= moment


def _came_lately(member: Membership, now: datetime) -> bool:
    """Return True for whoever a member invited lately: by which member does not matter, or a chain of invitations would get round it."""
    return member.invited_by_id is not None and member.created_at > now - settings.TWO_PEOPLE_APART
