"""Actions on plans: create, change, start, stop and extend them. Each is one transaction with its events.

A blind plan can have control rows, half of them right and half wrong, and at most one of each per item. The answer cites and states the
right ones. The wrong ones are fields with a value that it does not mention; they are shown as found, and an attentive reviewer calls them
wrong. The plan's seed and a key of the server determine which rows are chosen. They are stored when the plan starts.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.crypto import salted_hmac

from attribution import canonical_bytes
from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.mutable_rows import current_row
from reviewers.review.models import ControlRow, Draw, Guide, Plan, PlanItem, PlanState, QueueItem, SamplingFrame
from reviewers.review.plans import policies
from reviewers.review.plans.phases import end_plan, release_items
from reviewers.review.plans.queries import called_for
from reviewers.review.plans.sampling import (
    Candidate,
    Drawn,
    PlanTerms,
    Triggers,
    candidates_of,
    design_of,
    documents_of,
    draw,
    frame_of,
    is_too_long,
    strata_by_attribution,
)
from reviewers.snapshots.models import storable


@transaction.atomic
def create_plan(*, terms: PlanTerms, by: Membership, now: datetime, seed: str = "") -> Plan:
    """Create a draft. Its seed is drawn now, unless one is given, so that the preview shows what the plan will draw."""
    plan = Plan(organisation_id=by.organisation_id, seed=seed or secrets.token_hex(16), created_by_id=by.user_id, created_at=now)
    return _write(plan, terms, Action.PLAN_CREATED, by, now)


@transaction.atomic
def change_plan(*, plan_id: UUID, terms: PlanTerms, by: Membership, now: datetime) -> Plan:
    """Change the terms of a draft. Its seed stays, so that nobody can search for one that draws what they like."""
    plan = find_plan(plan_id, by, lock=True)
    policies.check_may_change(plan)
    return _write(plan, terms, Action.PLAN_CHANGED, by, now)


def _write(plan: Plan, terms: PlanTerms, action: Action, by: Membership, now: datetime) -> Plan:
    guide, is_new = _keep_guide(terms.guide, by, now) if terms.guide else (None, False)
    design = terms.design
    plan.name, plan.candidates, plan.triggers = terms.name, dict(terms.candidates), terms.triggers.as_data()
    plan.draw, plan.share, plan.size = design.draw, design.share, design.size
    plan.overlap, plan.is_blind, plan.rule, plan.stream = terms.overlap, terms.is_blind, terms.rule, terms.stream
    plan.guide, plan.control_share, plan.due_on = guide, terms.control_share, terms.due_on
    plan.save()
    _record(action, plan, by, now, {}, [guide] if guide and is_new else [])
    return plan


@transaction.atomic
def start_plan(*, plan_id: UUID, by: Membership, now: datetime) -> Plan:
    """Freeze the candidates, draw from them, and put the drawn items into the plan.

    Its terms cannot be changed any more. The candidates' rows are locked before the draw, so that nobody begins one of them meanwhile. What
    takes long is read before that.
    """
    plan = find_plan(plan_id, by, lock=True)
    policies.check_may_start(plan)
    policies.check_may_watch(plan, _watching().filter(organisation=by.organisation_id).count() if plan.triggers else 0)
    items, design = candidates_of(by.organisation, plan.candidates, now), design_of(plan)
    policies.check_may_read(is_too_long=(design.draw is Draw.STRATIFIED or bool(plan.triggers)) and is_too_long(items))
    known = strata_by_attribution(items) if design.draw is Draw.STRATIFIED else {}
    held = [item.pk for item in items.only("pk").order_by("pk").select_for_update(of=("self",))]
    frame = frame_of(items.filter(pk__in=held), design.draw, known)
    drawn = draw(frame, design, plan.seed)
    plan.state, plan.started_by_id, plan.started_at, plan.watched_until = PlanState.RUNNING, by.user_id, now, now
    plan.save(update_fields=["state", "started_by", "started_at", "watched_until"])
    kept = _keep_frame(plan, frame)
    added = [
        _plan_item(plan, now, item_id=each.id, ordinal=ordinal, stratum=each.stratum, probability=each.probability)
        for ordinal, each in enumerate(drawn)
    ]
    _add(plan, added)
    seeded = seed_control_rows(plan=plan, added=added)
    called = extend(plan=plan, items=items.filter(pk__in=held), now=now)
    policies.check_draws_anything(len(added) + called, plan)
    counts = {"candidates": len(frame), "drawn": len(added), "called": called, "control_rows": len(seeded)}
    digests = {"frame": bytes(kept.digest).hex(), "sample": sample_digest(drawn)}
    _record(Action.PLAN_STARTED, plan, by, now, counts | digests, [kept, *added, *seeded])
    return plan


@transaction.atomic
def stop_plan(*, plan_id: UUID, by: Membership, now: datetime) -> Plan:
    """Discard a draft, or end a running plan. Items with a review are complete with the reviews they have; the others leave the plan."""
    plan = find_plan(plan_id, by, lock=True)
    policies.check_may_stop(plan)
    if plan.state == PlanState.RUNNING:
        release_items(plan=plan, by=by, now=now)
    end_plan(plan=plan, state=PlanState.STOPPED, action=Action.PLAN_STOPPED, by=by, now=now)
    return plan


def find_plan(plan_id: UUID, by: Membership, *, lock: bool = False) -> Plan:
    """Return a plan of the member's organisation, or raise 404."""
    plans = Plan.objects.filter(organisation=by.organisation_id)
    return get_object_or_404(plans.select_for_update() if lock else plans.select_related("guide"), pk=plan_id)


def sample_digest(drawn: Sequence[Drawn]) -> str:
    """Return the SHA-256 of a sample in its order, with strata and probabilities."""
    listed = [[str(each.id), each.stratum, each.probability] for each in drawn]
    return hashlib.sha256(canonical_bytes(listed)).hexdigest()


def _keep_guide(text: str, by: Membership, now: datetime) -> tuple[Guide, bool]:
    """Return the guide with this text, and True if it was created now. An organisation stores each text once."""
    digest = hashlib.sha256(text.encode()).digest()
    new = {"text": text, "created_at": now}
    return Guide.objects.get_or_create(organisation_id=by.organisation_id, digest=digest, defaults=new)


def _keep_frame(plan: Plan, frame: Sequence[Candidate]) -> SamplingFrame:
    listed = canonical_bytes(sorted([str(each.id), each.stratum] for each in frame))
    digest = hashlib.sha256(listed).digest()
    return SamplingFrame.objects.create(
        organisation_id=plan.organisation_id, plan=plan, document=zlib.compress(listed), digest=digest, count=len(frame)
    )


def _plan_item(plan: Plan, now: datetime, **values: Any) -> PlanItem:
    return PlanItem(organisation_id=plan.organisation_id, plan=plan, added_at=now, **values)


def _add(plan: Plan, added: Sequence[PlanItem]) -> None:
    PlanItem.objects.bulk_create(added, batch_size=1_000)
    items = QueueItem.objects.filter(pk__in=[each.item_id for each in added])
    items.update(plan=plan, overlap=plan.overlap, is_blind=plan.is_blind)


def _record(action: Action, plan: Plan, by: Membership, now: datetime, counts: dict[str, Any], rows: Sequence[Model]) -> None:
    """Record an action with the plan's terms. The event only commits to the name and the candidates, which are free text."""
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
        "control_share": plan.control_share,
        "due_on": plan.due_on.isoformat() if plan.due_on else None,
    } | counts
    parts = [("name", plan.name.encode()), ("from", canonical_bytes([plan.candidates, plan.triggers]))]
    kept = frozenset(name for name, _ in parts) if not rows else frozenset[str]()  # then no row written with the event keeps them
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
            [*rows_of(rows), current_row(plan)],
        )
    )


# Extension of running plans.

_LONGEST_INGEST = timedelta(minutes=10)
"""The longest duration of an ingest transaction. Answers frozen this long before ``watched_until`` are read again."""


def extend_running_plans(*, now: datetime) -> int:
    """Add the answers that triggers match to every running plan, and return how many were added."""
    return sum(_watch_one(plan_id, now) for plan_id in _watching().order_by("id").values_list("id", flat=True))


def _watching() -> QuerySet[Plan]:
    """Return the running plans that triggers add answers to."""
    return Plan.objects.filter(state=PlanState.RUNNING).exclude(triggers={})


@transaction.atomic
def _watch_one(plan_id: UUID, now: datetime) -> int:
    plan = Plan.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=plan_id)
    if plan.state != PlanState.RUNNING or plan.watched_until is None:
        return 0
    items = candidates_of(plan.organisation, plan.candidates, now)
    items = items.filter(snapshot__frozen_at__gte=plan.watched_until - _LONGEST_INGEST)
    called = [pk for pk, _ in _called_among(items, Triggers.read(plan.triggers))]  # without locks: reading very many answers takes long
    its = items.filter(pk__in=called).only("pk").order_by("pk")
    held = [item.pk for item in its.select_for_update(of=("self",), skip_locked=True)]
    added = extend(plan=plan, items=items.filter(pk__in=held), now=now)
    plan.watched_until = now
    plan.save(update_fields=["watched_until"])
    return added


def extend(*, plan: Plan, items: QuerySet[QueueItem], now: datetime) -> int:
    """Add the items that the plan's triggers match, and return how many. Items in the plan stay as they are."""
    if not plan.triggers:
        return 0
    first = PlanItem.objects.filter(plan=plan).count()
    called = _called_among(items, Triggers.read(plan.triggers))
    added = [
        _plan_item(plan, now, item_id=pk, ordinal=ordinal, stratum=called_for(words), probability=1, trigger=words)
        for ordinal, (pk, words) in enumerate(called, start=first)
    ]
    _add(plan, added)
    if added:
        _record_extension(plan, added, now)
    return len(added)


def _called_among(items: QuerySet[QueueItem], triggers: Triggers) -> list[tuple[UUID, str]]:
    """Return the items that triggers call for, each with the words for why. Items in a plan are none."""
    return [(pk, words) for pk, document in documents_of(items.filter(plan=None)) if (words := triggers.calling_for(document))]


def _record_extension(plan: Plan, added: Sequence[PlanItem], now: datetime) -> None:
    details = {"items": [str(each.item_id) for each in added]}
    record(Event(Action.PLAN_EXTENDED, plan.organisation_id, SYSTEM, now, "plan", plan.id, details, rows=rows_of(added)))


# Control rows.

_TRACEABLE_TYPES = frozenset({"enum", "numeric", "date", "time", "money", "name", "identifier", "duration"})
"""Field types whose values leave a trace in any answer that draws on them."""


def seed_control_rows(*, plan: Plan, added: Sequence[PlanItem]) -> Sequence[ControlRow]:
    """Choose the control rows among the added items, and save them."""
    if not plan.control_share:
        return ()
    drawn = {each.item_id: each for each in added}
    items = QueueItem.objects.filter(pk__in=drawn)
    policies.check_may_read(is_too_long=is_too_long(items))
    documents = list(documents_of(items))
    half = round(sum("method" in row for _, document in documents for row in document["fields"]) * plan.control_share / 2)
    chosen = {is_right: _chosen(documents, plan.seed, is_right=is_right) for is_right in (True, False)}
    count = min(half, *map(len, chosen.values()))
    rows = [
        ControlRow(organisation_id=plan.organisation_id, drawn=drawn[pk], section=row["section"], path=row["path"], is_right=is_right)
        for is_right, its in chosen.items()
        for pk, row in its[:count]
    ]
    ControlRow.objects.bulk_create(rows, batch_size=1_000)
    return rows


def _chosen(documents: Sequence[tuple[UUID, Mapping[str, Any]]], seed: str, *, is_right: bool) -> list[tuple[UUID, Mapping[str, Any]]]:
    """Return the eligible row of the lowest rank of each item, in the order of ranks."""
    eligible = [(pk, row) for pk, document in documents for row in _eligible(document, is_right=is_right)]
    chosen: dict[UUID, Mapping[str, Any]] = {}
    for pk, row in sorted(eligible, key=lambda each: _rank(seed, *each)):
        chosen.setdefault(pk, row)
    return list(chosen.items())


def _eligible(document: Mapping[str, Any], *, is_right: bool) -> list[Mapping[str, Any]]:
    """Return the rows that can be control rows, with their keys as they are stored."""
    read = (row for row in document["fields"] if "contradiction" not in row and not row.get("hidden"))
    plain = [row | {name: storable(row[name]) for name in ("section", "path")} for row in read]
    if is_right:
        return [row for row in plain if row["track"] == "cited_and_found"]
    return [row for row in plain if row["track"] == "neither" and row["field_type"] in _TRACEABLE_TYPES]


def _rank(seed: str, pk: UUID, row: Mapping[str, Any]) -> bytes:
    """Return the rank of a row among those that could be control rows.

    A key of the server is part of it. Otherwise anybody who can read the plan's seed could compute its control rows.
    """
    written = f"{seed}\0gold\0{pk}\0{row['section']}\0{row['path']}"
    return salted_hmac("reviewers.review.plans.control_rows", written, algorithm="sha256").digest()
