"""Items leave a plan that is stopped."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.models import Lease, QueueItem, State, Submission
from reviewers.review.plan_models import Phase, Plan
from reviewers.review.plans.phases import Step, after


def release_items(*, plan: Plan, by: Membership, now: datetime) -> None:
    """Those whose reviews are not all in: with some they are complete, without any they are to do like any other."""
    open_items = QueueItem.objects.filter(plan=plan, phase=Phase.INDEPENDENT)
    held = list(open_items.select_for_update(of=("self",)).order_by("pk"))
    for lease in Lease.objects.filter(item__in=held):
        lease.delete()
        details = {"holder": str(lease.holder_id)}
        record(Event(Action.LEASE_RELEASED, plan.organisation_id, user_actor(by.user_id), now, "snapshot", lease.item_id, details))
    reviews = Submission.objects.filter(snapshot__in=[item.pk for item in held], round=F("snapshot__item__round"))
    last = {each.snapshot_id: each for each in reviews.order_by("submitted_at")}
    for item in held:
        if (review := last.get(item.pk)) is not None:
            item.state, item.phase = State.SUBMITTED, after(Phase.INDEPENDENT, Step.STOPPED)
            item.submitted_by_id, item.submitted_at = review.reviewer_id, review.submitted_at
            item.skipped_by_id, item.skip_reason = None, ""
            item.save()
    open_items.update(plan=None, overlap=1, is_blind=False)
