"""What the worker does for the queue."""

from __future__ import annotations

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.review import leasing


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="expire_leases")
def expire_leases(timestamp: int) -> None:
    """Write down which leases have run out. They hold nothing any more even before."""
    del timestamp
    leasing.expire(now=timezone.now())
