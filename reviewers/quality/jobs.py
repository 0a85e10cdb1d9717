"""What the worker does for the quality page."""

from __future__ import annotations

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.accounts.queries import list_organisation_ids
from reviewers.quality.folding import fold
from reviewers.quality.precision import look_at_precision
from reviewers.quality.watching import look
from reviewers.web import walls


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="fold_quality")
def fold_quality(timestamp: int) -> None:
    """Fold what was counted as it came in, so that pages have less to add."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            fold()


@app.periodic(cron="*/10 * * * *")
@app.task(queueing_lock="watch_quality")
def watch_quality(timestamp: int) -> None:
    """Look at the days that are over, and at their audit labels; raise alarms."""
    del timestamp
    for organisation_id in list_organisation_ids():
        with walls.within(organisation_id):
            look(organisation_id=organisation_id, now=timezone.now())
            look_at_precision(organisation_id=organisation_id, now=timezone.now())
