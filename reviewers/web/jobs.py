"""Background jobs about the job queue itself."""

from __future__ import annotations

from uuid import UUID

from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status

SHORT, LONG, TRACES = "default", "long", "traces"
"""Queues: of jobs that take seconds, such as periodic ones and mail, of those that may take hours or wait for an endpoint, and of freezing
what programs have sent, which takes as long as they like."""

MOST_ATTEMPTS = 5


def lock_of(organisation_id: UUID) -> str:
    """Return the lock of an organisation's long jobs, whatever they do: the worker does few at once, and one leaves room for others'."""
    return f"long {organisation_id}"


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
