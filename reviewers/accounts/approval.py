"""Proposals that somebody else decides: the rule that all of them share, and how their pages show and answer a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Refused, why_not_two_people
from reviewers.accounts.queries import open_memberships


class Proposal(Protocol):
    """A proposal that somebody else decides on."""

    organisation_id: UUID
    proposed_at: datetime


def check_two_people(proposal: Proposal, *, permission: Permission, proposed_by: UUID, decided_by: UUID, now: datetime) -> None:
    """Refuse a decision on a proposal unless two people make it (see ``why_not_two_people``), of whom the first may still propose it."""
    of_then = {"organisation": proposal.organisation_id, "user": proposed_by, "created_at__lte": proposal.proposed_at}
    members = open_memberships().filter(**of_then)
    if not any(may(member, permission) for member in members):
        raise Refused(
            f"Whoever proposed this may not {permission.value} any more, or has left since. "
            "Decline it, and propose it again: somebody else can agree to it then."
        )
    reason = why_not_two_people(
        organisation_id=proposal.organisation_id,
        proposed_by=proposed_by,
        proposed_at=proposal.proposed_at,
        decided_by=decided_by,
        now=now,
    )
    if reason:
        raise Refused(reason)


def decision_columns(proposal: Any, outcome: str, by: Membership, now: datetime) -> dict[str, Any]:
    """Return the columns that every decision on a proposal has."""
    return {
        "organisation_id": by.organisation_id,
        "proposal": proposal,
        "proposed_by_id": proposal.proposed_by_id,
        "outcome": outcome,
        "decided_by_id": by.user_id,
        "decided_at": now,
    }


def decision_details(decision: Any) -> dict[str, str]:
    """Return the details that the audit event of every decision has."""
    return {"proposal": str(decision.proposal_id), "outcome": str(decision.outcome), "proposed_by": str(decision.proposed_by_id)}


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """A proposal as its page shows it. ``outcome`` is empty while nobody has decided it."""

    proposer: str
    proposed_by: UUID
    proposed_at: datetime
    outcome: str
    decider: str
    decided_at: datetime | None
    reason: str = ""


def read_proposals(
    proposals: Iterable[Any], *, show_name: Callable[[str], str] = str, show_reason: Callable[[str], str] = str
) -> list[ProposalRow]:
    """Return stored proposals with their decisions, oldest first. Names and reasons are as the viewer may see them."""
    return [_read(each, show_name, show_reason) for each in sorted(proposals, key=lambda each: each.pk)]


def _read(proposal: Any, show_name: Callable[[str], str], show_reason: Callable[[str], str]) -> ProposalRow:
    decision = getattr(proposal, "decision", None)
    return ProposalRow(
        proposer=show_name(proposal.proposed_by.name),
        proposed_by=proposal.proposed_by_id,
        proposed_at=proposal.proposed_at,
        outcome=decision.outcome if decision else "",
        decider=show_name(decision.decided_by.name) if decision else "",
        decided_at=decision.decided_at if decision else None,
        reason=show_reason(getattr(proposal, "reason", "")),
    )


def with_outcome(proposals: Iterable[ProposalRow], outcome: str) -> ProposalRow | None:
    """Return the first proposal with an outcome, which is empty for one that nobody has decided yet; or None."""
    return next((each for each in proposals if each.outcome == outcome), None)


def answer_decision(decide: Callable[[], object], show: Callable[..., HttpResponse], *address: Any) -> HttpResponse:
    """Decide, and redirect to an address. If the decision is refused, show the page with the reason and its status."""
    try:
        decide()
    except Refused as refusal:
        return show(notice=str(refusal), status=refusal.status)
    return redirect(*address)
