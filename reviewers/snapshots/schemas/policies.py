"""Rules on schemas in their state, for anybody: what may be proposed, and who may approve it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from reviewers.accounts.approval import check_two_people
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Refused
from reviewers.snapshots.models import ProposalOutcome, Schema, SchemaDecision, SchemaProposal


def open_proposal_of(schema: Schema) -> SchemaProposal | None:
    """Return the proposal that nobody has decided yet, or None."""
    return SchemaProposal.objects.filter(schema=schema, decision=None).order_by("id").first()


def check_can_be_proposed(schema: Schema) -> None:
    """Refuse to propose a schema whose version is approved, or that is proposed already."""
    _check_version_is_free(schema)
    if open_proposal_of(schema):
        raise Refused("Somebody has proposed this schema already.")


def check_may_approve(schema: Schema, proposal: SchemaProposal, by: UUID, now: datetime) -> None:
    """Refuse to approve a schema unless two people do it (see ``check_two_people``), or if its version is approved."""
    _check_version_is_free(schema)
    check_two_people(proposal, permission=Permission.MANAGE_SCHEMAS, proposed_by=proposal.proposed_by_id, decided_by=by, now=now)


def _check_version_is_free(schema: Schema) -> None:
    approved = SchemaDecision.objects.filter(
        organisation=schema.organisation_id, version=schema.version, outcome=ProposalOutcome.APPROVED
    ).first()
    if approved is None:
        return
    if approved.schema_id == schema.pk:
        raise Refused("This schema has been approved already.")
    raise Refused(
        f"Version {schema.version} has been approved with another content. A version never changes: upload this under another one."
    )
