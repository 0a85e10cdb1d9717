"""The background jobs of the queue and of plans."""

from __future__ import annotations

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts.queries import list_organisation_ids
from reviewers.review import leases
from reviewers.review.plans.actions import extend_running_plans
from reviewers.web.tenancy import tenant


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="expire_leases")
def expire_leases(timestamp: int) -> None:
    """Delete expired leases of every organisation and record it."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with tenant.within(organisation_id):
            leases.expire(now=timezone.now())


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="watch_for_plans")
def watch_for_plans(timestamp: int) -> None:
    """Add answers to the running plans whose triggers call for them."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with tenant.within(organisation_id):
            extend_running_plans(now=timezone.now())
