"""What the worker does for snapshots: it looks for citations in answers that came without any."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
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
from reviewers.accounts.queries import list_organisation_ids
from reviewers.snapshots.citation_search import search as searching
from reviewers.snapshots.citation_search.search import EndedSearch
from reviewers.snapshots.models import CitationSearch
from reviewers.web.tenancy import tenant

MOST_ATTEMPTS = 4
"""Of one search; the waits between them grow: 5 seconds, 25, 125."""
_WAIT = 5
_BEHIND_OTHERS = -1
"""Whatever else the worker has to do comes first: searches may be many, and an endpoint slow."""
_GIVEN_UP = "the work was ended several times before it was done"


def defer(searches: Sequence[UUID], organisation_id: UUID) -> None:
    """Have these searches run once the transaction is committed: all of them put into the queue in one statement."""
    if searches:
        arguments: list[JSONDict] = [{"search": str(search), "organisation": str(organisation_id)} for search in searches]
        look_for_citations.batch_defer(*arguments)


class Patience(BaseRetryStrategy):
    """Waits that grow, and none shorter than whoever was asked wants not to be asked again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to try again; never, after anything else than a failed search."""
        if not isinstance(exception, SearchFailed):
            return None
        return RetryDecision(retry_in={"seconds": max(_WAIT ** (job.attempts + 1), exception.wait)})


@app.task(pass_context=True, retry=Patience(), priority=_BEHIND_OTHERS)
def look_for_citations(context: JobContext, *, search: str, organisation: str) -> None:
    """Run one search. What may pass is tried again; what does not, or fails each time, ends it, and its page says why."""
    with tenant.within(UUID(organisation)):
        _look(UUID(search), context.job.attempts + 1)


def _look(search_id: UUID, attempts: int) -> None:
    begun_at = timezone.now()
    wanted = searching.find_pending(search_id)
    if wanted is None:
        return
    try:
        ended = searching.run_search(wanted)
    except SearchFailed as failure:
        if failure.may_pass and attempts < MOST_ATTEMPTS:
            raise
        ended = EndedSearch(reason=failure.reason, model=failure.model)
    searching.store_result(row=wanted.row, ended=ended, attempts=attempts, begun_at=begun_at, ended_at=timezone.now())


@app.periodic(cron="23 * * * *")
@app.task(queueing_lock="give_up_lost_searches")
def give_up_lost_searches(timestamp: int) -> None:
    """End the searches that nobody will run any more, as when each worker that tried was killed: a page does not wait for ever."""
    del timestamp
    now = timezone.now()
    for organisation_id in list_organisation_ids():
        with tenant.within(organisation_id):
            for row in _lost(organisation_id):
                _give_up(row, now)


def _lost(organisation_id: UUID) -> list[CitationSearch]:
    """Pending ones of an organisation without a job. Read in one statement: a job's result is written before the job is done."""
    jobs = ProcrastinateJob.objects.annotate(search=KeyTextTransform("search", "args")).filter(
        task_name=look_for_citations.name, status__in=("todo", "doing"), search=Cast(OuterRef("pk"), TextField())
    )
    searches = CitationSearch.objects.select_related("attribution").filter(organisation=organisation_id, result=None)
    return list(searches.filter(~Exists(jobs)))


def _give_up(row: CitationSearch, now: datetime) -> None:
    searching.store_result(row=row, ended=EndedSearch(reason=_GIVEN_UP), attempts=MOST_ATTEMPTS, begun_at=now, ended_at=now)
