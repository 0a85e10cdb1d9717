"""Adjudication: decide a conflict, reopen an item, and update the phase that its labels lead to.

Each action is one transaction with its event.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from attribution import canonical_bytes
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action
from reviewers.review import policies
from reviewers.review.adjudication.decisions import ItemReviews, LabelledRow, kind_of, load_item_reviews
from reviewers.review.hooks import conflict_listeners
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import ClaimKey
from reviewers.review.labels.writer import item_event
from reviewers.review.models import Decision, Phase, Reopening, State
from reviewers.review.plans.phases import PhaseStep, finish_where_complete, phase_after
from reviewers.review.queries import load_item
from reviewers.snapshots.citations import CitationKey


def step_after_last(item: ReviewItem) -> PhaseStep:
    """Return the step after the last review of an item: conflicted or agreed."""
    return PhaseStep.CONFLICTED if _has_conflicts(item) else PhaseStep.AGREED


def update_phase(item: ReviewItem, by: Membership, now: datetime) -> None:
    """Update the phase of an item after a label was changed or a conflict decided.

    An item without conflicts is complete; one with conflicts is not.
    """
    phase = item.review_status.phase
    if phase is Phase.INDEPENDENT or item.review_status.overlap == 1:
        return
    step = {Phase.CONSOLIDATING: PhaseStep.RESOLVED, Phase.COMPLETE: PhaseStep.DISTURBED}[phase]
    if _has_conflicts(item) is (step is PhaseStep.DISTURBED):
        move(item, step)
        tell_of_conflict(item, step, now)
        finish_plan(item, by, now)


def move(item: ReviewItem, step: PhaseStep) -> None:
    """Take a step and save it."""
    item.take_step(phase_after(Phase(item.row.phase), step))
    item.row.save(update_fields=["phase"])


def tell_of_conflict(item: ReviewItem, step: PhaseStep, now: datetime) -> None:
    """Tell those who listen that the labels of an item have come to conflict, if the step says so."""
    if step in (PhaseStep.CONFLICTED, PhaseStep.DISTURBED):
        for listen in conflict_listeners:
            listen(item.row, now)


def finish_plan(item: ReviewItem, by: Membership, now: datetime) -> None:
    """Finish the plan of an item that has become complete, if it was the last."""
    if item.row.plan_id and item.review_status.phase is Phase.COMPLETE:
        finish_where_complete(plan_id=item.row.plan_id, by=by, now=now)


def _has_conflicts(item: ReviewItem) -> bool:
    return item.row.plan is not None and item.review_status.overlap > 1 and bool(load_item_reviews(item).conflicts)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A lead's decision, and what they saw: the attribution and the labels that they decided between."""

    item_id: UUID
    attribution_id: UUID
    labels: Collection[UUID]
    verdict: str
    reason: str


@transaction.atomic
def decide_conflict(*, ruling: Ruling, by: Membership, now: datetime) -> ItemReviews:
    """Decide one row, and return the item's reviews. The item is complete once all its conflicts are decided.

    Raises ``Refused`` if this lead may not decide it or a label was changed meanwhile, and ``Invalid`` without a verdict or reason.
    """
    item = load_item(by, ruling.item_id, lock=True)
    policies.check_may_adjudicate(item.review_status, by.user_id)
    policies.check_is_current(item, ruling.attribution_id)
    row = policies.check_as_seen(load_item_reviews(item), ruling.labels)
    policies.check_may_decide(row.key, ruling.verdict, ruling.reason)
    decision = Decision.objects.create(
        organisation_id=by.organisation_id,
        snapshot_id=item.id,
        round=item.review_status.round,
        **_named(row),
        verdict=ruling.verdict,
        reason=ruling.reason,
        labels=sorted(str(label.id) for label in row.labels),
        attribution_id=ruling.attribution_id,
        replaces_id=row.made.id if row.made else None,
        decided_by_id=by.user_id,
        decided_at=now,
    )
    _record_decision(decision, item, row, by, now)
    update_phase(item, by, now)
    return load_item_reviews(item)


@transaction.atomic
def reopen(*, item_id: UUID, reason: str, by: Membership, now: datetime) -> None:
    """Put a reviewed item back into the queue for as many reviews as before. Its labels, submissions, decisions and signatures stay."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_reopen(item.review_status, reason)
    row = item.row
    item.take_step(phase_after(Phase(row.phase), PhaseStep.REOPENED))
    row.round, row.state, row.submitted_by_id, row.submitted_at = row.round + 1, State.TO_DO, None, None
    row.save(update_fields=["phase", "round", "state", "submitted_by", "submitted_at"])
    reopening = Reopening.objects.create(
        organisation_id=by.organisation_id, snapshot_id=item.id, round=row.round, reason=reason, reopened_by_id=by.user_id, reopened_at=now
    )
    details = {"reopening": str(reopening.id), "round": row.round}
    record(item_event(Action.ITEM_REOPENED, item, by, now, details, [("reason", reason.encode())], [reopening]))


def _named(row: LabelledRow) -> dict[str, Any]:
    """Return the columns that identify a row."""
    kind = kind_of(row.key)
    if isinstance(row.key, CitationKey | ClaimKey):
        return {"kind": kind, **row.key._asdict()}
    section, path = row.key
    return {"kind": kind, "section": section, "path": path}


def _record_decision(decision: Decision, item: ReviewItem, row: LabelledRow, by: Membership, now: datetime) -> None:
    details = {
        "decision": str(decision.id),
        "verdict": decision.verdict,
        "labels": decision.labels,
        "replaces": str(decision.replaces_id) if decision.replaces_id else None,
        "round": decision.round,
    }
    parts = [(str(decision.kind), canonical_bytes(list(row.key))), ("reason", decision.reason.encode())]
    record(item_event(Action.CONFLICT_DECIDED, item, by, now, details, parts, [decision]))
