"""Rules on tables of trust in their state, for anybody: what may be proposed, and who may approve it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from reviewers.accounts.approval import check_two_people
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Refused
from reviewers.snapshots.models import TrustProposal, TrustTable
from reviewers.snapshots.trust.queries import id_in_use

MOST_WAITING = 200
"""Tables that nobody has proposed: a session that writes more is refused."""


def open_proposal_of(table: TrustTable) -> TrustProposal | None:
    """Return the proposal that nobody has decided yet, or None."""
    return TrustProposal.objects.filter(table=table, decision=None).order_by("id").first()


def check_can_be_written(organisation_id: UUID) -> None:
    """Refuse another table while very many wait that nobody has proposed."""
    if TrustTable.objects.filter(organisation=organisation_id, proposals=None).count() >= MOST_WAITING:
        raise Refused(f"There are {MOST_WAITING} versions that nobody has proposed. Propose one of those before you write another.")


def check_can_be_proposed(table: TrustTable) -> None:
    """Refuse to propose a table that is in use, or that is proposed already."""
    if id_in_use(table.organisation_id) == table.pk:
        raise Refused("This version is in use already.")
    if open_proposal_of(table):
        raise Refused("Somebody has proposed this version already.")


def check_may_approve(proposal: TrustProposal, by: UUID, now: datetime) -> None:
    """Refuse to approve a table unless two people do it (see ``check_two_people``), or if it would not replace what its proposer saw."""
    if id_in_use(proposal.organisation_id) != proposal.base_id:
        raise Refused(
            "Another version came into use since this was proposed. Decline it, and propose it again: it changes something else now."
        )
    check_two_people(proposal, permission=Permission.MANAGE_TRUST, proposed_by=proposal.proposed_by_id, decided_by=by, now=now)
