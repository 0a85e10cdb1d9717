"""Writes, proposes and decides versions. Each action is one transaction with its event.

The actions of an organisation on a kind are serialised by an advisory lock, so that of two concurrent ones the second sees the first.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from reviewers.accounts.approval import check_two_people, decision_columns, decision_details
from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.models import Membership, ServiceKey
from reviewers.accounts.policies import Refused
from reviewers.accounts.service_keys import key_actor
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.models import ProposalOutcome
from reviewers.snapshots.versions.kinds import VersionKind
from reviewers.web.models import advisory_lock


@transaction.atomic
def write(kind: VersionKind, *, content: bytes, by: Membership | ServiceKey, now: datetime) -> tuple[Any, bool]:
    """Store a text; return its version, and True if it is new. The same text is one version.

    Raise the error of its kind with everything that is wrong with it.
    """
    text = kind.read(content)
    _wait(kind, by.organisation_id)
    own = kind.versions.objects.filter(organisation=by.organisation_id)
    writer = {"written_with_id": by.pk} if isinstance(by, ServiceKey) else {"written_by_id": by.user_id}
    if known := own.filter(**text.identity).first():
        return known, False
    check_can_be_written(own.filter(**writer))
    version = kind.versions.objects.create(
        organisation_id=by.organisation_id,
        document=text.document,
        written_at=now,
        **{"digest": hashlib.sha256(text.document).digest(), **text.identity, **text.columns, **kind.next_columns(own)},
        **writer,
    )
    actor = key_actor(by) if isinstance(by, ServiceKey) else user_actor(by.user_id)
    _record(kind, kind.events.written, version, actor, now, version)
    return version, True


@transaction.atomic
def propose(kind: VersionKind, *, version_id: UUID, by: Membership, now: datetime) -> Any:
    """Propose a version. It is used when somebody else has approved it."""
    _wait(kind, by.organisation_id)
    version = find(kind, version_id, by)
    check_can_be_proposed(kind, version)
    proposal = kind.proposals.objects.create(
        organisation_id=by.organisation_id,
        version=version,
        proposed_by_id=by.user_id,
        proposed_at=now,
        **kind.proposal_columns(version),
    )
    _record(kind, kind.events.proposed, version, user_actor(by.user_id), now, proposal, proposal=str(proposal.pk))
    return proposal


@transaction.atomic
def approve(kind: VersionKind, *, version_id: UUID, by: Membership, now: datetime) -> Any:
    """Approve a version that somebody else proposed: answers use it from now on."""
    proposal = _open(kind, version_id, by)
    check_may_approve(kind, proposal, by.user_id, now)
    return _decide(kind, proposal, ProposalOutcome.APPROVED, by, now)


@transaction.atomic
def decline(kind: VersionKind, *, version_id: UUID, by: Membership, now: datetime) -> Any:
    """Decline a proposal. The person who made it withdraws it."""
    proposal = _open(kind, version_id, by)
    outcome = ProposalOutcome.WITHDRAWN if proposal.proposed_by_id == by.user_id else ProposalOutcome.DECLINED
    return _decide(kind, proposal, outcome, by, now)


def find(kind: VersionKind, version_id: UUID, by: Membership) -> Any:
    """Return a version of the member's organisation, or raise 404."""
    return get_object_or_404(kind.versions, pk=version_id, organisation=by.organisation_id)


def _wait(kind: VersionKind, organisation_id: UUID) -> None:
    advisory_lock(f"{kind.plural} {organisation_id}")


def _open(kind: VersionKind, version_id: UUID, by: Membership) -> Any:
    _wait(kind, by.organisation_id)
    proposal = open_proposal_of(kind, find(kind, version_id, by))
    if proposal is None:
        raise Refused(f"Nobody has proposed this {kind.noun}, or it was decided meanwhile.")
    return proposal


def _decide(kind: VersionKind, proposal: Any, outcome: ProposalOutcome, by: Membership, now: datetime) -> Any:
    version = proposal.version
    columns = {**decision_columns(proposal, outcome, by, now), **kind.decision_columns(version)}
    decision = kind.decisions.objects.create(version=version, **columns)
    act = kind.events.approved if outcome is ProposalOutcome.APPROVED else kind.events.declined
    _record(kind, act, version, user_actor(by.user_id), now, decision, **decision_details(decision))
    return decision


def _record(kind: VersionKind, act: Action, version: Any, by: Actor, now: datetime, row: models.Model, **more: Any) -> None:
    details = {**kind.event_details(version), **more}
    record(Event(act, version.organisation_id, by, now, kind.name, version.pk, details, rows=rows_of([row])))


# Rules on versions in their state, for anybody.


MOST_WAITING = 200
"""Versions of a kind that one person or program has written and nobody has proposed. None of them keeps others from writing."""


def open_proposal_of(kind: VersionKind, version: Any) -> Any:
    """Return the proposal that nobody has decided yet, or None."""
    return kind.proposals.objects.filter(version=version, decision=None).order_by("id").first()


def check_can_be_written(written: QuerySet[Any]) -> None:
    """Refuse another version of a writer who has ``written`` very many that nobody has proposed."""
    if written.filter(proposals=None).count() >= MOST_WAITING:
        raise Refused(f"You have written {MOST_WAITING} versions that nobody has proposed. Propose one of those before you write another.")


def check_can_be_proposed(kind: VersionKind, version: Any) -> None:
    """Refuse to propose a version that cannot come into use, or that is proposed already."""
    kind.check_can_be_used(version)
    if open_proposal_of(kind, version):
        raise Refused(f"Somebody has proposed this {kind.noun} already.")


def check_may_approve(kind: VersionKind, proposal: Any, by: UUID, now: datetime) -> None:
    """Refuse to approve a version unless two people do it (see ``check_two_people``), or if it cannot come into use."""
    kind.check_can_be_used(proposal.version, proposal)
    check_two_people(proposal, permission=kind.permission, proposed_by=proposal.proposed_by_id, decided_by=by, now=now)
