"""Approval by two people: the rule that every proposal shares, with the right to propose."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol
from uuid import UUID

from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import why_not_two_people
from reviewers.accounts.queries import open_memberships


class Proposal(Protocol):
    """A proposal that somebody else decides on."""

    organisation_id: UUID
    proposed_at: datetime


def why_not_approve(proposal: Proposal, *, permission: Permission, proposed_by: UUID, decided_by: UUID, now: datetime) -> str:
    """Return why these two may not decide a proposal, or an empty string (see ``why_not_two_people``).

    The first of them must still be allowed to propose it.
    """
    members = open_memberships().filter(organisation=proposal.organisation_id, user=proposed_by)
    if not any(may(member, permission) for member in members):
        return (
            f"Whoever proposed this may not {permission.value} any more. "
            "Decline it, and propose it again: somebody else can agree to it then."
        )
    return why_not_two_people(
        organisation_id=proposal.organisation_id,
        proposed_by=proposed_by,
        proposed_at=proposal.proposed_at,
        decided_by=decided_by,
        now=now,
    )
