"""Background jobs of traces: freeze those that are complete, and forget old ones."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from reviewers.accounts.jobs import in_each_organisation
from reviewers.snapshots.models import Trace, TraceState
from reviewers.snapshots.otlp import actions
from reviewers.web.jobs import TRACES
from reviewers.web.tenancy import tenant

_LONGEST = 20
"""Seconds after which a job leaves the rest to the next one, so that others of its queue come in between."""


def defer_freezing(organisation_id: UUID, *, seconds: float | None = None) -> None:
    """Queue the freezing of an organisation's traces for when they may be complete, unless it is queued already."""
    name = f"freeze_traces {organisation_id}"
    wait = int(settings.TRACE_QUIET.total_seconds() if seconds is None else seconds)
    with suppress(AlreadyEnqueued), transaction.atomic():
        freeze_traces.configure(queueing_lock=name, lock=name, schedule_in={"seconds": wait}).defer(organisation=str(organisation_id))


@app.task(queue=TRACES)
def freeze_traces(*, organisation: str) -> None:
    """Freeze the complete traces of an organisation. While others wait for spans, the job is queued again."""
    organisation_id = UUID(organisation)
    until = monotonic() + _LONGEST
    with tenant.within(organisation_id):
        while actions.freeze_batch(organisation_id=organisation_id, now=timezone.now()):
            if monotonic() > until:
                defer_freezing(organisation_id, seconds=0)
                return
        if Trace.objects.filter(organisation=organisation_id, state=TraceState.WAITING, has_root=True).exists():
            defer_freezing(organisation_id)


@app.periodic(cron="* * * * *")
@app.task(queueing_lock="freeze_due_traces", lock="freeze_due_traces")
def freeze_due_traces(timestamp: int) -> None:
    """Queue the freezing of traces whose root never came, and of those whose job was lost."""
    del timestamp
    now = timezone.now()

    def queue(organisation_id: UUID) -> None:
        if Trace.objects.filter(actions.due(organisation_id, now)).exists():
            defer_freezing(organisation_id, seconds=0)

    in_each_organisation(queue)


@app.periodic(cron="51 3 * * *")
@app.task(queueing_lock="forget_traces", lock="forget_traces")
def forget_traces(timestamp: int) -> None:
    """Forget old traces in every organisation."""
    del timestamp
    in_each_organisation(lambda _: actions.forget_old(timezone.now()))
