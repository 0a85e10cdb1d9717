"""Writes, proposes and decides tables of trust. Each action is one transaction with its event.

The actions of an organisation are serialised by an advisory lock, so that of two concurrent ones the second sees the first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.db.models import Max
from django.shortcuts import get_object_or_404

from attribution import lines_of_table, read_trust_table
from reviewers.accounts.approval import decision_columns, decision_details
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Refused
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.models import ProposalOutcome, TrustDecision, TrustProposal, TrustTable
from reviewers.snapshots.trust import policies
from reviewers.snapshots.trust.queries import id_in_use
from reviewers.web.models import advisory_lock


@transaction.atomic
def write(*, content: bytes, by: Membership, now: datetime) -> TrustTable:
    """Store a table as the organisation's next version, or return the version that has this text already.

    Raise ``TrustTableError`` with everything that is wrong with it.
    """
    read_trust_table(content)
    document = "".join(f"{line}\n" for line in lines_of_table(content)).encode()
    rules = read_trust_table(document).rules  # what is stored is what answers are judged under: it is a line feed longer, perhaps too long
    digest = hashlib.sha256(document).digest()
    _wait(by.organisation_id)
    own = TrustTable.objects.filter(organisation=by.organisation_id)
    if known := own.filter(digest=digest).first():
        return known
    policies.check_can_be_written(by.organisation_id)
    table = TrustTable.objects.create(
        organisation_id=by.organisation_id,
        number=(own.aggregate(last=Max("number"))["last"] or 0) + 1,
        document=document,
        digest=digest,
        rule_count=len(rules),
        written_by_id=by.user_id,
        written_at=now,
    )
    _record(Action.TRUST_TABLE_WRITTEN, table, by, now, [table])
    return table


@transaction.atomic
def propose(*, table_id: UUID, by: Membership, now: datetime) -> TrustProposal:
    """Propose a table instead of the one in use. It is used when somebody else has approved it."""
    _wait(by.organisation_id)
    table = find_table(table_id, by)
    policies.check_can_be_proposed(table)
    proposal = TrustProposal.objects.create(
        organisation_id=by.organisation_id,
        table=table,
        base_id=id_in_use(by.organisation_id),
        proposed_by_id=by.user_id,
        proposed_at=now,
    )
    _record(Action.TRUST_TABLE_PROPOSED, table, by, now, [proposal], proposal=str(proposal.pk))
    return proposal


@transaction.atomic
def approve(*, table_id: UUID, by: Membership, now: datetime) -> TrustDecision:
    """Approve a table that somebody else proposed: answers are judged under it from now on."""
    table, proposal = _open(table_id, by)
    policies.check_may_approve(proposal, by.user_id, now)
    return _decide(table, proposal, ProposalOutcome.APPROVED, by, now)


@transaction.atomic
def decline(*, table_id: UUID, by: Membership, now: datetime) -> TrustDecision:
    """Decline a proposal. The person who made it withdraws it."""
    table, proposal = _open(table_id, by)
    outcome = ProposalOutcome.WITHDRAWN if proposal.proposed_by_id == by.user_id else ProposalOutcome.DECLINED
    return _decide(table, proposal, outcome, by, now)


def find_table(table_id: UUID, by: Membership) -> TrustTable:
    """Return a table of the member's organisation, or raise 404."""
    return get_object_or_404(TrustTable, pk=table_id, organisation=by.organisation_id)


def _wait(organisation_id: UUID) -> None:
    advisory_lock(f"trust tables {organisation_id}")


def _open(table_id: UUID, by: Membership) -> tuple[TrustTable, TrustProposal]:
    _wait(by.organisation_id)
    table = find_table(table_id, by)
    proposal = policies.open_proposal_of(table)
    if proposal is None:
        raise Refused("Nobody has proposed this version, or it was decided meanwhile.")
    return table, proposal


def _decide(table: TrustTable, proposal: TrustProposal, outcome: ProposalOutcome, by: Membership, now: datetime) -> TrustDecision:
    decision = TrustDecision.objects.create(table=table, **decision_columns(proposal, outcome, by, now))
    action = Action.TRUST_TABLE_APPROVED if outcome is ProposalOutcome.APPROVED else Action.TRUST_TABLE_DECLINED
    _record(action, table, by, now, [decision], **decision_details(decision))
    return decision


def _record(action: Action, table: TrustTable, by: Membership, now: datetime, rows: Sequence[models.Model], **more: Any) -> None:
    details = {"number": table.number, **more}
    actor = user_actor(by.user_id)
    record(Event(action, table.organisation_id, actor, now, "trust_table", table.pk, details, rows=rows_of(rows)))
