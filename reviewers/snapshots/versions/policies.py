"""Rules on versions in their state, for anybody: what may be written and proposed, and who may approve it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from reviewers.accounts.approval import check_two_people
from reviewers.accounts.policies import Refused
from reviewers.snapshots.versions.kinds import Kind

MOST_WAITING = 200
"""Versions of a kind that nobody has proposed: a session or a program that writes more is refused."""


def open_proposal_of(kind: Kind, version: Any) -> Any:
    """Return the proposal that nobody has decided yet, or None."""
    return kind.proposals.objects.filter(version=version, decision=None).order_by("id").first()


def check_can_be_written(kind: Kind, organisation_id: UUID) -> None:
    """Refuse another version while very many wait that nobody has proposed."""
    if kind.versions.objects.filter(organisation=organisation_id, proposals=None).count() >= MOST_WAITING:
        raise Refused(f"There are {MOST_WAITING} versions that nobody has proposed. Propose one of those before you write another.")


def check_can_be_proposed(kind: Kind, version: Any) -> None:
    """Refuse to propose a version that cannot come into use, or that is proposed already."""
    kind.check_can_be_used(version)
    if open_proposal_of(kind, version):
        raise Refused(f"Somebody has proposed this {kind.noun} already.")


def check_may_approve(kind: Kind, proposal: Any, by: UUID, now: datetime) -> None:
    """Refuse to approve a version unless two people do it (see ``check_two_people``), or if it cannot come into use."""
    kind.check_can_be_used(proposal.version, proposal)
    check_two_people(proposal, permission=kind.permission, proposed_by=proposal.proposed_by_id, decided_by=by, now=now)
