"""Places a legal hold, and lifts it by two people. Each action is one transaction with its event.

Holds, their lifting and approved redactions of an organisation are serialised by an advisory lock, so the second sees the first. The
database takes the same lock (``migrations/sql/holds.sql``), so that no other way of writing these rows can interfere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.shortcuts import get_object_or_404

from reviewers.accounts.approval import decision_columns, decision_details
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Refused
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.review.legal_holds import policies
from reviewers.review.models import Hold, HoldKind, LiftDecision, LiftOutcome, LiftProposal
from reviewers.review.plans.actions import find_plan
from reviewers.web.models import advisory_lock


@dataclass(frozen=True, slots=True)
class HoldTerms:
    """The terms of a hold: a reference, a plan or a period, according to its kind."""

    kind: HoldKind
    reason: str
    reference: str = ""
    plan_id: UUID | None = None
    since: date | None = None
    until: date | None = None


def wait_for_holds(organisation_id: UUID) -> None:
    """Wait until nobody else places or lifts a hold or approves a redaction, and keep the lock until the transaction ends."""
    advisory_lock(f"holds {organisation_id}")


@transaction.atomic
def place(*, terms: HoldTerms, by: Membership, now: datetime) -> Hold:
    """Place a hold. Raises ``Invalid`` if it covers nothing or has no reason."""
    hold = Hold(
        organisation_id=by.organisation_id,
        kind=terms.kind,
        reference=terms.reference,
        plan=find_plan(terms.plan_id, by) if terms.plan_id else None,
        since=terms.since,
        until=terms.until,
        reason=terms.reason,
        placed_by_id=by.user_id,
        placed_at=now,
    )
    policies.check_can_be_placed(hold)
    wait_for_holds(by.organisation_id)
    hold.save(force_insert=True)
    parts = [("reason", hold.reason.encode()), *([("reference", hold.reference.encode())] if hold.reference else [])]
    details = {"kind": hold.kind, "plan": str(hold.plan_id) if hold.plan_id else None, "since": _day(hold.since), "until": _day(hold.until)}
    _record(Action.HOLD_PLACED, hold, by, now, details, [hold], parts)
    return hold


@transaction.atomic
def propose_lift(*, hold_id: UUID, reason: str, by: Membership, now: datetime) -> LiftProposal:
    """Propose to lift a hold, which stays in force until somebody else agrees."""
    wait_for_holds(by.organisation_id)
    hold = find_hold(hold_id, by)
    policies.check_can_be_lifted(hold, reason)
    own = {"organisation_id": by.organisation_id, "hold": hold}
    proposal = LiftProposal.objects.create(**own, reason=reason, proposed_by_id=by.user_id, proposed_at=now)
    _record(Action.HOLD_LIFT_PROPOSED, hold, by, now, {"proposal": str(proposal.pk)}, [proposal], [("reason", reason.encode())])
    return proposal


@transaction.atomic
def lift(*, hold_id: UUID, by: Membership, now: datetime) -> LiftDecision:
    """Lift a hold that somebody else has proposed to lift."""
    hold, proposal = _open(hold_id, by)
    policies.check_may_lift(proposal, by.user_id, now)
    return _decide(hold, proposal, LiftOutcome.LIFTED, by, now)


@transaction.atomic
def keep(*, hold_id: UUID, by: Membership, now: datetime) -> LiftDecision:
    """Keep a hold in force. The person who proposed to lift it withdraws the proposal; anybody else declines it."""
    hold, proposal = _open(hold_id, by)
    outcome = LiftOutcome.WITHDRAWN if proposal.proposed_by_id == by.user_id else LiftOutcome.DECLINED
    return _decide(hold, proposal, outcome, by, now)


def find_hold(hold_id: UUID, by: Membership) -> Hold:
    """Return a hold of the member's organisation, or raise 404."""
    holds = Hold.objects.select_related("plan", "placed_by")
    return get_object_or_404(holds, pk=hold_id, organisation=by.organisation_id)


def _open(hold_id: UUID, by: Membership) -> tuple[Hold, LiftProposal]:
    wait_for_holds(by.organisation_id)
    hold = find_hold(hold_id, by)
    policies.check_is_in_force(hold)
    proposal = policies.open_proposal_of(hold)
    if proposal is None:
        raise Refused("Nobody has proposed to lift this hold, or it was decided meanwhile.")
    return hold, proposal


def _decide(hold: Hold, proposal: LiftProposal, outcome: LiftOutcome, by: Membership, now: datetime) -> LiftDecision:
    decision = LiftDecision.objects.create(hold=hold, **decision_columns(proposal, outcome, by, now))
    action = Action.HOLD_LIFTED if outcome is LiftOutcome.LIFTED else Action.HOLD_LIFT_DECLINED
    _record(action, hold, by, now, decision_details(decision), [decision])
    return decision


def _day(day: Any) -> str | None:
    return day.isoformat() if day else None


def _record(
    action: Action,
    hold: Hold,
    by: Membership,
    now: datetime,
    details: Mapping[str, Any],
    rows: Sequence[models.Model],
    parts: Sequence[Part] = (),
) -> None:
    record(Event(action, hold.organisation_id, user_actor(by.user_id), now, "hold", hold.id, details, parts, rows=rows_of(rows)))
