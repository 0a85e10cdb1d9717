"""Background jobs of snapshots: run the searches for citations, and have citations judged."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from procrastinate import BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.contrib.django import app
from procrastinate.jobs import Job

from attribution import SearchFailed
from reviewers.accounts.jobs import in_each_organisation
from reviewers.snapshots.citation_search import EndedSearch, find_pending, run_search, store_result
from reviewers.snapshots.judged_support.actions import end_support, find_pending_support, judge_pending
from reviewers.snapshots.models import CitationSearch, SupportOutcome, SupportRequest
from reviewers.snapshots.work_requests import defer_judgements
from reviewers.web.jobs import BEHIND_OTHERS, MODEL, lost_among
from reviewers.web.tenancy import tenant

MOST_ATTEMPTS = 4
"""The most attempts at a search; the waits between them grow: 5, 25 and 125 seconds."""
_WAIT = 5
_GIVEN_UP = "the work was ended several times before it was done"


class EndpointRetry(BaseRetryStrategy):
    """Retries with growing waits, none shorter than the endpoint asks for."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return the time of the next try; None after anything but a failed search."""
        if not isinstance(exception, SearchFailed):
            return None
        return RetryDecision(retry_in={"seconds": max(_WAIT ** (job.attempts + 1), exception.wait)})


@app.task(pass_context=True, retry=EndpointRetry(), queue=MODEL, priority=BEHIND_OTHERS)
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


@app.task(pass_context=True, retry=EndpointRetry(), queue=MODEL, priority=BEHIND_OTHERS)
def judge_support(context: JobContext, *, request: str, organisation: str) -> None:
    """Have the citations of an answer judged. A temporary failure is tried again; any other, or the last one, is stored as its result."""
    with tenant.within(UUID(organisation)):
        _judge(UUID(request), context.job.attempts + 1)


def _judge(request_id: UUID, attempts: int) -> None:
    begun_at = timezone.now()
    wanted = find_pending_support(request_id)
    if wanted is None:
        return
    try:
        outcome, reason = judge_pending(wanted)
    except SearchFailed as failure:
        if failure.may_pass and attempts < MOST_ATTEMPTS:
            raise
        outcome, reason = SupportOutcome.FAILED, failure.reason
    if outcome == SupportOutcome.JUDGED and wanted.has_more:
        defer_judgements([wanted.row.id], wanted.row.organisation_id)
        return
    end_support(row=wanted.row, outcome=outcome, reason=reason, attempts=attempts, begun_at=begun_at, now=timezone.now())


@app.periodic(cron="23 * * * *")
@app.task(queueing_lock="give_up_lost_searches", lock="give_up_lost_searches")
def give_up_lost_searches(timestamp: int) -> None:
    """End searches whose jobs are gone, as after each worker that tried was killed, so that no page waits for ever."""
    del timestamp
    now = timezone.now()

    def give_up(organisation_id: UUID) -> None:
        searches = CitationSearch.objects.filter(organisation=organisation_id, result=None)
        for pk in lost_among(searches.values_list("pk", flat=True), look_for_citations.name, "search"):
            _give_up(CitationSearch.objects.select_related("attribution").get(pk=pk), now)
        requests = SupportRequest.objects.filter(organisation=organisation_id, result=None)
        for pk in lost_among(requests.values_list("pk", flat=True), judge_support.name, "request"):
            _give_up_support(SupportRequest.objects.select_related("attribution").get(pk=pk), now)

    in_each_organisation(give_up)


def _give_up(row: CitationSearch, now: datetime) -> None:
    store_result(row=row, ended=EndedSearch(reason=_GIVEN_UP), attempts=MOST_ATTEMPTS, begun_at=now, ended_at=now)


def _give_up_support(row: SupportRequest, now: datetime) -> None:
    end_support(row=row, outcome=SupportOutcome.FAILED, reason=_GIVEN_UP, attempts=MOST_ATTEMPTS, begun_at=now, now=now)
