"""Background jobs of calibration: fitting, comparing, recomputing and judging.

Actions queue these jobs by their names, as jobs import actions.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app

from attribution import SearchFailed
from reviewers.accounts.queries import list_organisation_ids
from reviewers.calibration.judge.actions import end_run, judge_piece
from reviewers.calibration.lifecycle.actions import end_fit, fit_asked
from reviewers.calibration.lifecycle.active_profiles import queue_recomputation, recompute_piece, take_up_lost_recomputations
from reviewers.calibration.models import JudgeRun, Recomputation
from reviewers.calibration.shadow import compare_profile, give_up_lost_tasks
from reviewers.snapshots.jobs import MOST_ATTEMPTS, EndpointRetry
from reviewers.web.jobs import LONG, MODEL, lost_among
from reviewers.web.tenancy import tenant

_BEHIND_OTHERS = -1
"""Other jobs come first: these may be many, or wait for an endpoint."""


@app.task(queue=LONG)
def compare(profile: str, organisation: str, background_task: str | None = None) -> None:
    """Compare a profile with the active one on stored answers. Run twice, it makes a second comparison, and the newest counts."""
    with tenant.within(UUID(organisation)):
        compare_profile(
            profile_id=UUID(profile),
            organisation_id=UUID(organisation),
            now=timezone.now(),
            task_id=UUID(background_task) if background_task else None,
        )


@app.task(queue=LONG)
def fit(background_task: str, organisation: str) -> None:
    """Fit a profile and propose it, which queues its comparison. After any error another one can be asked for."""
    with tenant.within(UUID(organisation)):
        try:
            fit_asked(task_id=UUID(background_task), now=timezone.now())
        except Exception:
            end_fit(task_id=UUID(background_task), refused="An error ended it.", now=timezone.now())
            raise


@app.periodic(cron="43 * * * *")
@app.task(queueing_lock="end_lost_calibration", lock="end_lost_calibration")
def end_lost_calibration(timestamp: int) -> None:
    """End or take up the work of every organisation whose jobs are gone, as after each worker that tried was killed."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with tenant.within(organisation_id):
            give_up_lost_tasks(organisation_id=organisation_id, now=timezone.now())
            take_up_lost_recomputations(organisation_id=organisation_id)
            end_lost_runs(organisation_id)


def end_lost_runs(organisation_id: UUID) -> None:
    """End the judge's runs whose jobs are gone, so that another one can be asked for."""
    runs = JudgeRun.objects.filter(organisation=organisation_id, finished_at=None)
    for pk in lost_among(runs.values_list("pk", flat=True), judge.name, "run"):
        end_run(run_id=pk, reason="the work was ended several times before it was done", now=timezone.now())


@app.task(queue=LONG, priority=_BEHIND_OTHERS)
def recompute(recomputation: str, organisation: str) -> None:
    """Do one piece of a recomputation, and queue the next."""
    with tenant.within(UUID(organisation)), transaction.atomic():
        if recompute_piece(recomputation_id=UUID(recomputation), now=timezone.now()):
            queue_recomputation(Recomputation.objects.get(pk=recomputation))


@app.task(pass_context=True, retry=EndpointRetry(), queue=MODEL, priority=_BEHIND_OTHERS)
def judge(context: JobContext, run: str, organisation: str) -> None:
    """Have one answer judged. An endpoint that keeps failing ends the run, and its page says why."""
    with tenant.within(UUID(organisation)):
        judge_once(UUID(run), context.job.attempts + 1)


def judge_once(run_id: UUID, attempt: int) -> None:
    """Have one answer judged, at the given attempt."""
    try:
        judge_piece(run_id=run_id, now=timezone.now())
    except SearchFailed as failed:
        if attempt < MOST_ATTEMPTS:
            raise
        end_run(run_id=run_id, reason=failed.reason, now=timezone.now())
