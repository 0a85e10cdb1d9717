"""Searches for citations as tests bring them about: asked by freezing a record, run by the jobs' own function."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from procrastinate.contrib.django.models import ProcrastinateJob

from attribution import SearchFailed
from reviewers.accounts.actions import switch_citation_search
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation, SearchWay
from reviewers.review.models import QueueItem
from reviewers.snapshots import jobs
from reviewers.snapshots.models import CitationSearch, CitationSearchResult
from reviewers.web.tenancy import tenant
from tests.factories import NOW, UNCITED, make_item


def make_searched(organisation: Organisation, **changes: Any) -> QueueItem:
    """An answer that cites nothing, frozen while the organisation has citations looked for by words."""
    turn_on(organisation)
    return make_item(organisation, **UNCITED | changes)


def turn_on(organisation: Organisation, way: str = "words") -> None:
    if way == SearchWay.WORDS:
        with tenant.within(organisation.pk):
            switch_citation_search(organisation=organisation, to=SearchWay.WORDS, at=NOW, by=SYSTEM)
    else:  # there is no model to be chosen
        Organisation.objects.filter(pk=organisation.pk).update(citation_search=way)
        organisation.citation_search = way


def waiting() -> list[str]:
    """The searches that jobs wait for, in the order they were put into the queue."""
    found = ProcrastinateJob.objects.filter(task_name=jobs.look_for_citations.name, status="todo").order_by("id")
    return [job.args["search"] for job in found]


def run(search: str, attempts_before: int = 0) -> CitationSearchResult | None:
    """Run one job as a worker does."""
    context = SimpleNamespace(job=SimpleNamespace(attempts=attempts_before))
    job = ProcrastinateJob.objects.get(task_name=jobs.look_for_citations.name, args__search=search)
    jobs.look_for_citations.func(context, **job.args)
    return CitationSearchResult.objects.filter(search=search).first()


def run_all() -> list[CitationSearchResult | None]:
    return [run(search) for search in waiting()]


def failing(reason: str, *, may_pass: bool):
    """A way of looking that fails."""

    def fail(*_: Any) -> Any:
        raise SearchFailed(reason, may_pass=may_pass)

    return fail


def fail_search(item: QueueItem) -> CitationSearch:
    """A search of this item that came to nothing: by a model, where none is set up."""
    search = CitationSearch.objects.create(
        organisation_id=item.organisation_id, attribution_id=item.attribution_id, number=1, method="model", asked_at=item.answered_at
    )
    jobs._give_up(search, item.answered_at)
    return search
