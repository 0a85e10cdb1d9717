"""What leads do with plans: make one, change a draft, start it, stop it. Each call one transaction with its events."""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model
from django.shortcuts import get_object_or_404

from attribution import canonical_bytes
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.ledger.standing import standing_row
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Guide, Plan, PlanItem, PlanState, SamplingFrame
from reviewers.review.plans import policies
from reviewers.review.plans.candidates import candidates_of, frame_of
from reviewers.review.plans.drawing import Candidate, Drawn, draw
from reviewers.review.plans.ending import end
from reviewers.review.plans.gold import seed_rows
from reviewers.review.plans.releasing import release_items
from reviewers.review.plans.terms import Terms, design_of
from reviewers.review.plans.watching import extend


@transaction.atomic
def create_plan(*, terms: Terms, by: Membership, now: datetime, seed: str = "") -> Plan:
    """A draft. Its seed is drawn now, unless one is given, so that the preview shows what the plan will draw."""
    plan = Plan(organisation_id=by.organisation_id, seed=seed or secrets.token_hex(16), created_by_id=by.user_id, created_at=now)
    return _write(plan, terms, Action.PLAN_CREATED, by, now)


@transaction.atomic
def change_plan(*, plan_id: UUID, terms: Terms, by: Membership, now: datetime) -> Plan:
    """Give a draft other terms. Its seed stays, so that nobody looks for one that draws what they like."""
    plan = find_plan(plan_id, by, lock=True)
    policies.check_may_change(plan)
    return _write(plan, terms, Action.PLAN_CHANGED, by, now)


def _write(plan: Plan, terms: Terms, action: Action, by: Membership, now: datetime) -> Plan:
    guide, is_new = _keep_guide(terms.guide, by, now) if terms.guide else (None, False)
    design = terms.design
    plan.name, plan.candidates, plan.triggers = terms.name, dict(terms.candidates), terms.triggers.as_data()
    plan.draw, plan.share, plan.size = design.draw, design.share, design.size
    plan.overlap, plan.is_blind, plan.rule, plan.stream = terms.overlap, terms.is_blind, terms.rule, terms.stream
    plan.guide, plan.gold_share, plan.due_on = guide, terms.gold_share, terms.due_on
    plan.save()
    _record(action, plan, by, now, {}, [guide] if guide and is_new else [])
    return plan


@transaction.atomic
def start_plan(*, plan_id: UUID, by: Membership, now: datetime) -> Plan:
    """Freeze the candidates, draw, and put what was drawn into the plan. From here on nothing of it changes.

    The candidates' rows are held first, so that nobody begins one of them meanwhile.
    """
    plan = find_plan(plan_id, by, lock=True)
    policies.check_may_start(plan)
    items = candidates_of(by.organisation, plan.candidates, now)
    held = [item.pk for item in items.only("pk").order_by("pk").select_for_update(of=("self",))]
    frame = frame_of(items.filter(pk__in=held), design_of(plan).draw)
    drawn = draw(frame, design_of(plan), plan.seed)
    plan.state, plan.started_by_id, plan.started_at, plan.watched_until = PlanState.RUNNING, by.user_id, now, now
    plan.save(update_fields=["state", "started_by", "started_at", "watched_until"])
    kept = _keep_frame(plan, frame)
    added = _add(plan, drawn, now)
    seeded = seed_rows(plan=plan, added=added)
    called = extend(plan=plan, items=items.filter(pk__in=held), now=now)
    policies.check_draws_anything(len(added) + called, plan)
    counts = {"candidates": len(frame), "drawn": len(added), "called": called, "gold": len(seeded)}
    digests = {"frame": bytes(kept.digest).hex(), "sample": sample_digest(drawn)}
    _record(Action.PLAN_STARTED, plan, by, now, counts | digests, [kept, *added, *seeded])
    return plan


@transaction.atomic
def stop_plan(*, plan_id: UUID, by: Membership, now: datetime) -> Plan:
    """Discard a draft, or end a running plan: items with a review are complete with those they have, the others leave the plan."""
    plan = find_plan(plan_id, by, lock=True)
    policies.check_may_stop(plan)
    if plan.state == PlanState.RUNNING:
        release_items(plan=plan, by=by, now=now)
    end(plan=plan, state=PlanState.STOPPED, action=Action.PLAN_STOPPED, by=by, now=now)
    return plan


def find_plan(plan_id: UUID, by: Membership, *, lock: bool = False) -> Plan:
    """A plan of the member's organisation, or 404."""
    plans = Plan.objects.filter(organisation=by.organisation_id)
    plan: Plan = get_object_or_404(plans.select_for_update() if lock else plans.select_related("guide"), pk=plan_id)
    return plan


def sample_digest(drawn: Sequence[Drawn]) -> str:
    """The SHA-256 of a sample in its order, with strata and probabilities."""
    listed = [[str(each.id), each.stratum, each.probability] for each in drawn]
    return hashlib.sha256(canonical_bytes(listed)).hexdigest()


def _keep_guide(text: str, by: Membership, now: datetime) -> tuple[Guide, bool]:
    """The guide with this text, written once an organisation; and whether it was written now."""
    digest = hashlib.sha256(text.encode()).digest()
    new = {"text": text, "created_at": now}
    return Guide.objects.get_or_create(organisation_id=by.organisation_id, digest=digest, defaults=new)


def _keep_frame(plan: Plan, frame: Sequence[Candidate]) -> SamplingFrame:
    listed = canonical_bytes(sorted([str(each.id), each.stratum] for each in frame))
    digest = hashlib.sha256(listed).digest()
    kept: SamplingFrame = SamplingFrame.objects.create(
        organisation_id=plan.organisation_id, plan=plan, document=zlib.compress(listed), digest=digest, count=len(frame)
    )
    return kept


def _add(plan: Plan, drawn: Sequence[Drawn], now: datetime) -> list[PlanItem]:
    added = [
        PlanItem(
            organisation_id=plan.organisation_id,
            plan=plan,
            item_id=each.id,
            ordinal=ordinal,
            stratum=each.stratum,
            probability=each.probability,
            added_at=now,
        )
        for ordinal, each in enumerate(drawn)
    ]
    PlanItem.objects.bulk_create(added, batch_size=1_000)
    QueueItem.objects.filter(pk__in=[each.id for each in drawn]).update(plan=plan, overlap=plan.overlap, is_blind=plan.is_blind)
    return added


def _record(action: Action, plan: Plan, by: Membership, now: datetime, counts: dict[str, Any], rows: Sequence[Model]) -> None:
    """The terms that say what the plan is; its name and what it is drawn from are committed to, for they are free text."""
    details = {
        "draw": plan.draw,
        "share": plan.share,
        "size": plan.size,
        "seed": plan.seed,
        "overlap": plan.overlap,
        "blind": plan.is_blind,
        "rule": plan.rule,
        "stream": plan.stream,
        "guide": bytes(plan.guide.digest).hex() if plan.guide else None,
        "gold_share": plan.gold_share,
        "due_on": plan.due_on.isoformat() if plan.due_on else None,
    } | counts
    parts = [("name", plan.name.encode()), ("from", canonical_bytes([plan.candidates, plan.triggers]))]
    kept = frozenset(name for name, _ in parts) if not rows else frozenset[str]()  # no record written with it keeps them
    record(
        Event(
            action,
            plan.organisation_id,
            user_actor(by.user_id),
            now,
            "plan",
            plan.id,
            details,
            parts,
            kept,
            [*rows_of(rows), standing_row(plan)],
        )
    )
