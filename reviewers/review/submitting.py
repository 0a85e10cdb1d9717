"""Submits a review. The last one that an item needs closes it, or brings its conflicts before a lead."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from attribution import canonical_bytes
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.review import leasing, policies
from reviewers.review.authoring import event
from reviewers.review.deciding.settling import finish_plan, step_after_last
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.models import State, Submission
from reviewers.review.plan_models import Phase
from reviewers.review.plans.phases import Step, after
from reviewers.review.plans.visibility import may_be_told
from reviewers.review.standing import Review
from reviewers.review.submissions import covered_by_submission


@transaction.atomic
def submit(*, item_id: UUID, by: Membership, now: datetime) -> Item:
    """Finish a review: every found row, and every citation that the model made itself, has a verdict. The item is let go."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_submit(item, by.user_id, now)
    if item.row.state == State.SKIPPED or not policies.is_held_by(item, by.user_id, now):
        leasing.ensure_held(item=item, by=by, now=now)
    submitted = _write(item, by, now)
    record_all([submitted, *leasing.let_go(item=item, by=by, now=now)])
    if len(item.standing.reviews) == item.standing.overlap:
        _close(item, step_after_last(item), by, now)
    return item


def _write(item: Item, by: Membership, now: datetime) -> Event:
    """The submission; returns its event, which is still to be written.

    While others may not know the labels, the event only commits to their digest.
    """
    held = item.standing.hold_of(by.user_id, now)
    slot = held.slot if held else 1
    count, digest = covered_by_submission(item)
    submission = Submission.objects.create(
        organisation_id=by.organisation_id,
        snapshot_id=item.id,
        reviewer_id=by.user_id,
        slot=slot,
        round=item.standing.round,
        submitted_at=now,
        label_count=count,
        digest=digest,
    )
    is_told, sha256 = may_be_told(item.standing), digest.hex()
    details = {"labels": count} | ({"sha256": sha256} if is_told else {})
    parts = [] if is_told else [("sha256", canonical_bytes(sha256))]
    item.standing = replace(item.standing, reviews=[*item.standing.reviews, Review(by.user_id, by.user.name, now, slot)])
    return event(Action.REVIEW_SUBMITTED, item, by, now, details, parts, [submission])


def _close(item: Item, step: Step, by: Membership, now: datetime) -> None:
    """All reviews are in."""
    row = item.row
    row.state, row.submitted_by_id, row.submitted_at = State.SUBMITTED, by.user_id, now
    row.skipped_by_id, row.skip_reason = None, ""
    item.take_step(after(Phase(row.phase), step))
    row.save(update_fields=["state", "submitted_by", "submitted_at", "skipped_by", "skip_reason", "phase"])
    finish_plan(item, by, now)
