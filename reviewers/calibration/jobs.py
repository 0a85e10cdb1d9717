"""What the worker does for calibration."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from attribution import SearchFailed
from reviewers.calibration import shadow
from reviewers.calibration.models import CalibrationProfile, JudgeRun, Recomputation, Undertaken, Undertaking
from reviewers.web.tenancy import tenant

_BEHIND_OTHERS = -1
_WAIT = 5
MOST_ATTEMPTS = 4
"""Of one answer; the waits between them grow: 5 seconds, 25, 125."""


def defer_comparison(profile: CalibrationProfile, now: datetime) -> None:
    """Have a profile compared once the transaction is committed; how far that is can be seen meanwhile."""
    asked: Undertaking = Undertaking.objects.create(
        organisation_id=profile.organisation_id,
        kind=Undertaken.COMPARE,
        combination_id=profile.combination_id,
        profile=profile,
        asked_at=now,
    )
    compare.defer(profile=str(profile.pk), organisation=str(profile.organisation_id), undertaking=str(asked.pk))


@app.task
def compare(profile: str, organisation: str, undertaking: str | None = None) -> None:
    """Compare a profile with what is active, on stored answers. Done twice it is a second comparison, and the newest counts."""
    with tenant.within(UUID(organisation)):
        shadow.compare_profile(
            profile_id=UUID(profile),
            organisation_id=UUID(organisation),
            now=timezone.now(),
            undertaking_id=UUID(undertaking) if undertaking else None,
        )


def fit_later(asked: Undertaking) -> None:
    """Have a profile fitted and proposed once the transaction is committed."""
    fit.defer(undertaking=str(asked.pk), organisation=str(asked.organisation_id))


@app.task
def fit(undertaking: str, organisation: str) -> None:
    """Fit a profile and propose it; its comparison is the next job."""
    from reviewers.calibration.lifecycle.actions import fit_asked  # noqa: PLC0415 — it has this module put into the queue

    with tenant.within(UUID(organisation)):
        fit_asked(undertaking_id=UUID(undertaking), now=timezone.now())


def recompute_next(row: Recomputation) -> None:
    """Have the next piece done once the transaction is committed; what else the worker has to do comes first."""
    recompute.configure(priority=_BEHIND_OTHERS).defer(recomputation=str(row.pk), organisation=str(row.organisation_id))


@app.task
def recompute(recomputation: str, organisation: str) -> None:
    """One piece of a recomputation, and the job of the next."""
    from reviewers.calibration.lifecycle.active_profiles import recompute_piece  # noqa: PLC0415 — it has this module put into the queue

    with tenant.within(UUID(organisation)), transaction.atomic():
        if recompute_piece(recomputation_id=UUID(recomputation), now=timezone.now()):
            recompute_next(Recomputation.objects.get(pk=recomputation))


class EndpointRetry(BaseRetryStrategy):
    """Waits that grow, and none shorter than whoever was asked wants not to be asked again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to try again; never, after anything else than an endpoint that failed."""
        if not isinstance(exception, SearchFailed):
            return None
        return RetryDecision(retry_in={"seconds": max(_WAIT ** (job.attempts + 1), exception.wait)})


def judge_next(run: JudgeRun) -> None:
    """Have the next answer judged once the transaction is committed."""
    judge.defer(run=str(run.pk), organisation=str(run.organisation_id))


@app.task(pass_context=True, retry=EndpointRetry(), priority=_BEHIND_OTHERS)
def judge(context: JobContext, run: str, organisation: str) -> None:
    """One answer. An endpoint that fails each time ends the run, and its page says why."""
    with tenant.within(UUID(organisation)):
        judge_once(UUID(run), context.job.attempts + 1)


def judge_once(run_id: UUID, attempt: int) -> None:
    """The same, the so-manyeth time."""
    from reviewers.calibration.judge.actions import end_run, judge_piece  # noqa: PLC0415 — it has this module put into the queue

    try:
        judge_piece(run_id=run_id, now=timezone.now())
    except SearchFailed as failed:
        if attempt < MOST_ATTEMPTS:
            raise
        end_run(run_id=run_id, reason=failed.reason, now=timezone.now())
