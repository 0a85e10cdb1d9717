"""The background jobs of the queue and of plans."""

from __future__ import annotations

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts.jobs import in_each_organisation
from reviewers.review import leases
from reviewers.review.plans.actions import extend_running_plans


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="expire_leases", lock="expire_leases")
def expire_leases(timestamp: int) -> None:
    """Delete expired leases of every organisation and record it."""
    del timestamp
    in_each_organisation(lambda _: leases.expire(now=timezone.now()))


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="watch_for_plans", lock="watch_for_plans")
def watch_for_plans(timestamp: int) -> None:
    """Add answers to the running plans whose triggers call for them."""
    del timestamp
    in_each_organisation(lambda _: extend_running_plans(now=timezone.now()))
