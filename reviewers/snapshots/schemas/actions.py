"""Uploads, proposes and decides schemas. Each action is one transaction with its event.

The actions of an organisation are serialised by an advisory lock, so that of two concurrent ones the second sees the first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.shortcuts import get_object_or_404

from attribution import InputError, SchemaError, read_json, read_schema
from reviewers.accounts.approval import decision_columns, decision_details
from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.models import Membership, ServiceKey
from reviewers.accounts.policies import Refused
from reviewers.accounts.service_keys import key_actor
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.models import ProposalOutcome, Schema, SchemaDecision, SchemaProposal
from reviewers.snapshots.schemas import policies
from reviewers.web.models import advisory_lock

LARGEST = 512 * 1024
"""Bytes of a schema as it is uploaded."""


@transaction.atomic
def upload(*, content: bytes, by: Membership | ServiceKey, now: datetime) -> tuple[Schema, bool]:
    """Store a schema; return it, and True if it is new. The same content is stored once.

    Raise ``SchemaError`` with everything that is wrong with it.
    """
    read = _read(content)
    _wait(by.organisation_id)
    known = Schema.objects.filter(organisation=by.organisation_id, name=read.id).first()
    if known is not None:
        return known, False
    document = json.dumps(read.data, ensure_ascii=False, separators=(",", ":")).encode()
    whose = {"uploaded_with": by} if isinstance(by, ServiceKey) else {"uploaded_by_id": by.user_id}
    schema = Schema.objects.create(
        organisation_id=by.organisation_id,
        version=read.version,
        name=read.id,
        document=document,
        digest=hashlib.sha256(document).digest(),
        section_count=len(read.sections),
        field_count=len(read.fields),
        uploaded_at=now,
        **whose,
    )
    actor = key_actor(by) if isinstance(by, ServiceKey) else user_actor(by.user_id)
    _record(Action.SCHEMA_UPLOADED, schema, actor, now, [schema])
    return schema, True


@transaction.atomic
def propose(*, schema_id: UUID, by: Membership, now: datetime) -> SchemaProposal:
    """Propose a schema. It is used when somebody else has approved it."""
    _wait(by.organisation_id)
    schema = find_schema(schema_id, by)
    policies.check_can_be_proposed(schema)
    proposal = SchemaProposal.objects.create(organisation_id=by.organisation_id, schema=schema, proposed_by_id=by.user_id, proposed_at=now)
    _record(Action.SCHEMA_PROPOSED, schema, user_actor(by.user_id), now, [proposal], proposal=str(proposal.pk))
    return proposal


@transaction.atomic
def approve(*, schema_id: UUID, by: Membership, now: datetime) -> SchemaDecision:
    """Approve a schema that somebody else proposed: turns that name its version are attributed under it from now on."""
    schema, proposal = _open(schema_id, by)
    policies.check_may_approve(schema, proposal, by.user_id, now)
    return _decide(schema, proposal, ProposalOutcome.APPROVED, by, now)


@transaction.atomic
def decline(*, schema_id: UUID, by: Membership, now: datetime) -> SchemaDecision:
    """Decline a proposal. The person who made it withdraws it."""
    schema, proposal = _open(schema_id, by)
    outcome = ProposalOutcome.WITHDRAWN if proposal.proposed_by_id == by.user_id else ProposalOutcome.DECLINED
    return _decide(schema, proposal, outcome, by, now)


def find_schema(schema_id: UUID, by: Membership) -> Schema:
    """Return a schema of the member's organisation, or raise 404."""
    return get_object_or_404(Schema, pk=schema_id, organisation=by.organisation_id)


def _read(content: bytes) -> Any:
    if len(content) > LARGEST:
        raise SchemaError([("", f"is larger than {LARGEST // 1024} KB")])
    try:
        return read_schema(read_json(content.removeprefix(b"\xef\xbb\xbf")))
    except InputError as error:
        raise SchemaError([(error.place, error.reason)]) from error


def _wait(organisation_id: UUID) -> None:
    advisory_lock(f"schemas {organisation_id}")


def _open(schema_id: UUID, by: Membership) -> tuple[Schema, SchemaProposal]:
    _wait(by.organisation_id)
    schema = find_schema(schema_id, by)
    proposal = policies.open_proposal_of(schema)
    if proposal is None:
        raise Refused("Nobody has proposed this schema, or it was decided meanwhile.")
    return schema, proposal


def _decide(schema: Schema, proposal: SchemaProposal, outcome: ProposalOutcome, by: Membership, now: datetime) -> SchemaDecision:
    columns = decision_columns(proposal, outcome, by, now)
    decision = SchemaDecision.objects.create(schema=schema, version=schema.version, **columns)
    action = Action.SCHEMA_APPROVED if outcome is ProposalOutcome.APPROVED else Action.SCHEMA_DECLINED
    _record(action, schema, user_actor(by.user_id), now, [decision], **decision_details(decision))
    return decision


def _record(action: Action, schema: Schema, by: Actor, now: datetime, rows: Sequence[models.Model], **more: Any) -> None:
    details: Mapping[str, Any] = {"name": schema.name, **more}
    record(Event(action, schema.organisation_id, by, now, "schema", schema.pk, details, rows=rows_of(rows)))
