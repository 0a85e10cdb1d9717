"""Background jobs about the job queue itself."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone
from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status

SHORT, LONG, MODEL, TRACES, WEBHOOKS = "default", "long", "model", "traces", "webhooks"
"""Queues: of jobs that take seconds, such as periodic ones and mail, of those that may take hours, of those that wait for a model's
endpoint, of freezing what programs have sent, which takes as long as they like, and of sending to addresses outside, which answer as late
as they like."""

MOST_ATTEMPTS = 5


def lock_of(organisation_id: UUID) -> str:
    """Return the lock of an organisation's long jobs, whatever they do: the worker does few at once, and one leaves room for others'."""
    return f"long {organisation_id}"


BEHIND_OTHERS = -1
"""The priority of jobs that may be many, and wait for an endpoint: others come first."""
_AT_A_LEVEL, _MOST_COUNTED = 100, 10_000


def priority_behind(rows: QuerySet[Any], column: str, lately: timedelta) -> int:
    """Return the priority of an organisation's next job: the lower the more ``rows`` it has lately made, by the time in ``column``."""
    recent = rows.filter(**{f"{column}__gt": timezone.now() - lately}).order_by(f"-{column}")
    return BEHIND_OTHERS - recent[:_MOST_COUNTED].count() // _AT_A_LEVEL


def lost_among(pending: Iterable[UUID], task: str, argument: str) -> list[UUID]:
    """Return those of the pending rows that no job names, as after each worker that tried was killed.

    The rows are read first: a job stores the result of its row before it ends. They are compared here, because PostgreSQL may look through
    all jobs for each of them, which takes minutes where tens of thousands wait.
    """
    rows = list(pending)
    if not rows:
        return []
    jobs = ProcrastinateJob.objects.filter(task_name=task, status__in=("todo", "doing"))
    named = set(jobs.annotate(named=KeyTextTransform(argument, "args")).values_list("named", flat=True))
    return [pk for pk in rows if str(pk) not in named]


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="retry_stalled", pass_context=True)
async def retry_stalled(context: JobContext, timestamp: int) -> None:
    """Retry jobs whose worker was killed. A job may therefore run twice, and has to tolerate it."""
    del timestamp
    for job in await context.app.job_manager.get_stalled_jobs():
        await _retry(context, job)


async def _retry(context: JobContext, job: Job) -> None:
    manager = context.app.job_manager
    if job.attempts >= MOST_ATTEMPTS:  # the job may be what kills its workers
        await manager.finish_job(job, Status.FAILED, delete_job=False)
        return
    try:
        await manager.retry_job(job)
    except UniqueViolation:  # the same job is waiting already
        await manager.finish_job(job, Status.ABORTED, delete_job=True)
