"""Running plans with triggers take in the answers that call for it, as they come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from reviewers.accounts.announcements import SYSTEM
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Plan, PlanItem, PlanState
from reviewers.review.plans.candidates import candidates_of, documents_of
from reviewers.review.plans.strata import Triggers

_LONGEST_INGEST = timedelta(minutes=10)
"""How long a transaction may take that freezes answers: so far is looked back behind what was looked at."""


def watch(*, now: datetime) -> int:
    """Look at what came since; returns how many answers came into plans."""
    waiting = Plan.objects.filter(state=PlanState.RUNNING).exclude(triggers={})
    return sum(_watch_one(plan_id, now) for plan_id in waiting.order_by("id").values_list("id", flat=True))


@transaction.atomic
def _watch_one(plan_id: UUID, now: datetime) -> int:
    plan = Plan.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=plan_id)
    if plan.state != PlanState.RUNNING or plan.watched_until is None:
        return 0
    items = candidates_of(plan.organisation, plan.candidates, now)
    items = items.filter(snapshot__frozen_at__gte=plan.watched_until - _LONGEST_INGEST)
    held = [item.pk for item in items.only("pk").order_by("pk").select_for_update(of=("self",), skip_locked=True)]
    added = extend(plan=plan, items=items.filter(pk__in=held), now=now)
    plan.watched_until = now
    plan.save(update_fields=["watched_until"])
    return added


def extend(*, plan: Plan, items: QuerySet[QueueItem], now: datetime) -> int:
    """Take in those of the items that the plan's triggers call for; returns how many. What is in the plan already stays as it is."""
    if not plan.triggers:
        return 0
    triggers = Triggers.read(plan.triggers)
    first = PlanItem.objects.filter(plan=plan).count()
    called = [(pk, words) for pk, document in documents_of(items.filter(plan=None)) if (words := triggers.calling_for(document))]
    rows = [_called(plan, pk, words, first + place, now) for place, (pk, words) in enumerate(called)]
    PlanItem.objects.bulk_create(rows, batch_size=1_000)
    QueueItem.objects.filter(pk__in=[pk for pk, _ in called]).update(plan=plan, overlap=plan.overlap, is_blind=plan.is_blind)
    if called:
        _record(plan, rows, now)
    return len(called)


def _called(plan: Plan, pk: UUID, words: str, ordinal: int, now: datetime) -> PlanItem:
    return PlanItem(
        organisation_id=plan.organisation_id,
        plan=plan,
        item_id=pk,
        ordinal=ordinal,
        stratum=f"called: {words}",
        probability=1,
        trigger=words,
        added_at=now,
    )


def _record(plan: Plan, added: Sequence[PlanItem], now: datetime) -> None:
    details = {"items": [str(each.item_id) for each in added]}
    record(Event(Action.PLAN_EXTENDED, plan.organisation_id, SYSTEM, now, "plan", plan.id, details, rows=rows_of(added)))
