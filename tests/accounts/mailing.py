"""Mail as the worker sends it: what waits in the queue of jobs is done, and what left is read."""

from __future__ import annotations

import re

from django.conf import settings
from django.core import mail
from procrastinate.contrib.django.models import ProcrastinateJob

from reviewers.accounts import jobs
from reviewers.accounts import jobs as invitation_jobs
from reviewers.web.tenancy import tenant

TASKS = {task.name: task for task in (jobs.send_password_link, invitation_jobs.send_invitation)}


def waiting() -> list[ProcrastinateJob]:
    """Return the jobs that send mail, in the order in which they were put into the queue."""
    return list(ProcrastinateJob.objects.filter(task_name__in=TASKS, status="todo").order_by("id"))


def deliver() -> list[str]:
    """Do the jobs that wait since the last delivery, as a worker does; returns the addresses that got mail."""
    before = len(mail.outbox)
    for job in waiting()[_done() :]:
        with tenant.outside():
            TASKS[job.task_name].func(**job.args)
        _delivered.add(job.id)
    return [address for message in mail.outbox[before:] for address in message.to]


_delivered: set[int] = set()


def _done() -> int:
    return sum(job.id in _delivered for job in waiting())


def link_in_mail(kind: str = "password/reset/key") -> str:
    """Return the path in the last message, as its reader would open it."""
    deliver()
    found = re.search(rf"{re.escape(settings.ADDRESS)}(/accounts/{kind}/\S+)", mail.outbox[-1].body)
    assert found, mail.outbox[-1].body
    return found[1]
