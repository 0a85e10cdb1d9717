"""Asking a judge, stopping it, and what the worker does: an answer at a time, each with its event, so that it goes on from anywhere."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Least
from django.shortcuts import get_object_or_404

from attribution import FieldAttribution, SearchFailed, context_values, decode
from reviewers.accounts.announcements import SYSTEM, Actor, user_actor
from reviewers.accounts.models import Membership
from reviewers.calibration import jobs
from reviewers.calibration.judge_models import JudgeLabel, JudgeRun
from reviewers.calibration.judging.asking import MOST_ROWS, Judged, ask_judge
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Phase, Plan, PlanItem, PlanState
from reviewers.review.policies import Refused
from reviewers.snapshots.display import storable


@transaction.atomic
def ask_run(*, plan_id: UUID, by: Membership, now: datetime) -> JudgeRun:
    """Have the judge label the answers of a plan. Raises ``Refused`` where there is no judge, and while a blind plan runs."""
    plan = get_object_or_404(Plan.objects.select_for_update(), pk=plan_id, organisation=by.organisation_id)
    if not is_set_up():
        raise Refused("No judge is set up in this deployment.")
    if plan.state == PlanState.DRAFT or (plan.is_blind and plan.state == PlanState.RUNNING):
        raise Refused("The judge comes once this plan is over: until then nobody may be told anything of its answers.")
    there = JudgeRun.objects.filter(plan=plan, model=settings.MODEL_NAME, finished_at=None).first()
    if there is not None:
        return there
    run: JudgeRun = JudgeRun.objects.create(
        organisation_id=by.organisation_id,
        plan=plan,
        model=settings.MODEL_NAME,
        requested_by_id=by.user_id,
        asked_at=now,
        total=_answers(plan.pk).count(),
    )
    _tell(Action.JUDGE_ASKED, run, now, user_actor(by.user_id), answers=run.total)
    jobs.judge_next(run)
    return run


@transaction.atomic
def stop_run(*, run_id: UUID, by: Membership, now: datetime) -> JudgeRun:
    """Have it label nothing more. Raises ``Refused`` where it has ended."""
    run = get_object_or_404(JudgeRun.objects.select_for_update(), pk=run_id, organisation=by.organisation_id)
    if run.finished_at is not None:
        raise Refused("The judge has ended already; nothing was changed.")
    run.finished_at, run.stopped_by_id = now, by.user_id
    run.save(update_fields=["finished_at", "stopped_by"])
    _tell(Action.JUDGE_STOPPED, run, now, user_actor(by.user_id), answers=run.done)
    return run


def judge_piece(*, run_id: UUID, now: datetime) -> bool:
    """Have the next answer labelled; whether another one waits. Raises ``SearchFailed`` where the endpoint fails and that may pass.

    The endpoint is asked outside of any transaction. Whoever else has gone on meanwhile, or stopped it, is first.
    """
    run = JudgeRun.objects.get(pk=run_id)
    if run.finished_at is not None:
        return False
    waiting = _answers(run.plan_id)
    item = (waiting.filter(pk__gt=run.after) if run.after else waiting).order_by("pk").first()
    if item is None:
        end_run(run_id=run_id, reason="", now=now)
        return False
    text, rows = _read(item)
    try:
        judged = ask_judge(text, rows) if rows else Judged((), 0, 0)
    except SearchFailed as failed:
        if failed.may_pass:
            raise
        end_run(run_id=run_id, reason=failed.reason, now=now)
        return False
    return _keep(run, item, rows, judged, now)


@transaction.atomic
def end_run(*, run_id: UUID, reason: str, now: datetime) -> None:
    """No answer is left, or the endpoint gives none and nothing is gained by asking again: then there is a ``reason``."""
    run = JudgeRun.objects.select_for_update().get(pk=run_id)
    if run.finished_at is None:
        run.finished_at, run.reason = now, reason
        run.save(update_fields=["finished_at", "reason"])
        _tell(Action.JUDGE_STOPPED, run, now, SYSTEM, answers=run.done)


def is_set_up() -> bool:
    """Whether whoever runs the site lets answers be sent to its model's endpoint to be judged."""
    return bool(settings.MODEL_JUDGES and settings.MODEL_URL)


def _answers(plan_id: UUID) -> QuerySet[QueueItem]:
    """Those that the plan drew, also once it was stopped; without those that somebody reviews blind, maybe for another plan."""
    drawn = QueueItem.objects.filter(pk__in=PlanItem.objects.filter(plan=plan_id).values("item"))
    return drawn.exclude(is_blind=True, phase=Phase.INDEPENDENT).select_related("snapshot", "attribution")


def _read(item: QueueItem) -> tuple[str, Sequence[FieldAttribution]]:
    """The clean answer and the rows that claim something."""
    context = json.loads(bytes(item.snapshot.record))["context"]
    found = decode(json.loads(zlib.decompress(bytes(item.attribution.document))), context_values(context, only_read=True))
    return found.clean_text, [row for row in found.fields if row.is_used][:MOST_ROWS]


@transaction.atomic
def _keep(run: JudgeRun, item: QueueItem, rows: Sequence[FieldAttribution], judged: Judged, now: datetime) -> bool:
    held = JudgeRun.objects.select_for_update().get(pk=run.pk)
    if held.finished_at is not None or held.after != run.after:
        return False
    labels = [
        JudgeLabel.objects.create(
            organisation_id=run.organisation_id,
            run=run,
            snapshot_id=item.pk,
            section=storable(row.field.section),
            path=storable(row.field.path),
            method=row.method,
            is_used=verdict,
            created_at=now,
        )
        for row, verdict in zip(rows, judged.verdicts or (), strict=False)
    ]
    JudgeRun.objects.filter(pk=run.pk).update(
        done=Least(F("done") + 1, F("total")),
        unread=F("unread") + int(judged.verdicts is None),
        after=item.pk,
        tokens_in=F("tokens_in") + judged.tokens_in,
        tokens_out=F("tokens_out") + judged.tokens_out,
    )
    details = {"run": str(run.pk), "model": run.model, "labels": len(labels)}
    record(Event(Action.JUDGE_LABELLED, run.organisation_id, SYSTEM, now, "snapshot", item.pk, details, rows=rows_of(labels)))
    jobs.judge_next(run)
    return True


def _tell(action: Action, run: JudgeRun, now: datetime, by: Actor, **details: int) -> None:
    told = {"model": run.model} | details
    record(Event(action, run.organisation_id, by, now, "judge_run", run.pk, told))
