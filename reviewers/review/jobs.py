"""What the worker does for the queue."""

from __future__ import annotations

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts.queries import list_organisation_ids
from reviewers.review import leasing
from reviewers.review.plans.watching import watch
from reviewers.web import walls


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="expire_leases")
def expire_leases(timestamp: int) -> None:
    """Write down which leases have run out. They hold nothing any more even before."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            leasing.expire(now=timezone.now())


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="watch_for_plans")
def watch_for_plans(timestamp: int) -> None:
    """Take answers into the plans whose triggers call for them."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            watch(now=timezone.now())
