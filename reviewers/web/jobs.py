"""What the worker does for the work itself."""

from __future__ import annotations

from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status

MOST_ATTEMPTS = 5


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="retry_stalled", pass_context=True)
async def retry_stalled(context: JobContext, timestamp: int) -> None:
    """Take up again what a worker had begun when it was killed. A job may so run twice, and has to bear it."""
    del timestamp
    for job in await context.app.job_manager.get_stalled_jobs():
        await _retry(context, job)


async def _retry(context: JobContext, job: Job) -> None:
    manager = context.app.job_manager
    if job.attempts >= MOST_ATTEMPTS:  # it may be what ends its workers
        await manager.finish_job(job, Status.FAILED, delete_job=False)
        return
    try:
        await manager.retry_job(job)
    except UniqueViolation:  # another one waits to do the same
        await manager.finish_job(job, Status.ABORTED, delete_job=True)
