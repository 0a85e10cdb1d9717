"""Background jobs of snapshots: run the searches for citations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils import timezone
from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.jobs import Job
from procrastinate.types import JSONDict

from attribution import SearchFailed
from reviewers.accounts.jobs import in_each_organisation
from reviewers.snapshots.citation_search.search import EndedSearch, find_pending, run_search, store_result
from reviewers.snapshots.models import CitationSearch
from reviewers.web.jobs import LONG
from reviewers.web.tenancy import tenant

MOST_ATTEMPTS = 4
"""The most attempts at a search; the waits between them grow: 5, 25 and 125 seconds."""
_WAIT = 5
_BEHIND_OTHERS = -1
"""Other jobs come first: searches may be many, and an endpoint slow."""

_LATELY = timedelta(hours=1)
_AT_A_LEVEL, _MOST_COUNTED = 100, 10_000
_GIVEN_UP = "the work was ended several times before it was done"


def defer(searches: Sequence[UUID], organisation_id: UUID) -> None:
    """Queue searches; they run once the transaction is committed.

    The more of them an organisation has lately asked for, the later they run among those of others.
    """
    if searches:
        arguments: list[JSONDict] = [{"search": str(search), "organisation": str(organisation_id)} for search in searches]
        look_for_citations.configure(priority=_priority(organisation_id)).batch_defer(*arguments)


def _priority(organisation_id: UUID) -> int:
    lately = CitationSearch.objects.filter(organisation=organisation_id, asked_at__gt=timezone.now() - _LATELY)
    return _BEHIND_OTHERS - lately.order_by("-asked_at")[:_MOST_COUNTED].count() // _AT_A_LEVEL


class EndpointRetry(BaseRetryStrategy):
    """Retries with growing waits, none shorter than the endpoint asks for."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return the time of the next try; None after anything but a failed search."""
        if not isinstance(exception, SearchFailed):
            return None
        return RetryDecision(retry_in={"seconds": max(_WAIT ** (job.attempts + 1), exception.wait)})


@app.task(pass_context=True, retry=EndpointRetry(), queue=LONG, priority=_BEHIND_OTHERS)
def look_for_citations(context: JobContext, *, search: str, organisation: str) -> None:
    """Run a search. A temporary failure is tried again; any other, or the last one, is stored as its result."""
    with tenant.within(UUID(organisation)):
        _look(UUID(search), context.job.attempts + 1)


def _look(search_id: UUID, attempts: int) -> None:
    begun_at = timezone.now()
    wanted = find_pending(search_id)
    if wanted is None:
        return
    try:
        ended = run_search(wanted)
    except SearchFailed as failure:
        if failure.may_pass and attempts < MOST_ATTEMPTS:
            raise
        ended = EndedSearch(reason=failure.reason, model=failure.model)
    store_result(row=wanted.row, ended=ended, attempts=attempts, begun_at=begun_at, ended_at=timezone.now())


@app.periodic(cron="23 * * * *")
@app.task(queueing_lock="give_up_lost_searches", lock="give_up_lost_searches")
def give_up_lost_searches(timestamp: int) -> None:
    """End searches whose jobs are gone, as after each worker that tried was killed, so that no page waits for ever."""
    del timestamp
    now = timezone.now()

    def give_up(organisation_id: UUID) -> None:
        for row in _lost(organisation_id):
            _give_up(row, now)

    in_each_organisation(give_up)


def _lost(organisation_id: UUID) -> list[CitationSearch]:
    """Return pending searches without a job. One query suffices: a job stores its result before it ends."""
    jobs = ProcrastinateJob.objects.annotate(search=KeyTextTransform("search", "args")).filter(
        task_name=look_for_citations.name, status__in=("todo", "doing"), search=Cast(OuterRef("pk"), TextField())
    )
    searches = CitationSearch.objects.select_related("attribution").filter(organisation=organisation_id, result=None)
    return list(searches.filter(~Exists(jobs)))


def _give_up(row: CitationSearch, now: datetime) -> None:
    store_result(row=row, ended=EndedSearch(reason=_GIVEN_UP), attempts=MOST_ATTEMPTS, begun_at=now, ended_at=now)
