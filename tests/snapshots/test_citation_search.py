"""Citations are looked for afterwards: asked for in the transaction that freezes, run by a job, stored once with how it ended."""

from __future__ import annotations

import json
import zlib
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from attribution import SearchFailed, SearchMethod, canonical_bytes
from reviewers.accounts.actions import switch_search_unit
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import CitedUnit
from reviewers.ledger.verification.organisation import verify
from reviewers.snapshots import citation_search as searching
from reviewers.snapshots import jobs, work_requests
from reviewers.snapshots.ingest import actions
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, SnapshotDocuments
from reviewers.web.jobs import lost_among
from reviewers.web.tenancy import tenant
from tests.api.sending import program_of
from tests.events import events
from tests.factories import CITED, NOW, UNCITED, make_item, make_member, make_organisation, make_record, sign_in
from tests.ledger.sealed import seal_now
from tests.snapshots.searches import failing, make_searched, run, run_all, turn_on, waiting
from tests.statements import statements_of

SENTENCE = "Whoever takes other medicines should ask first."


@pytest.fixture
def way(monkeypatch):
    """Sets how the method by words is gone."""
    return lambda function: monkeypatch.setitem(searching.WAYS, SearchMethod.WORDS, function)


def freeze(organisation, *records) -> None:
    read = [read_record(canonical_bytes(make_record(**each))) for each in records]
    actions.ingest(records=read, organisation=organisation, by=SYSTEM, at=NOW)


def stored(result: CitationSearchResult) -> dict:
    return json.loads(zlib.decompress(bytes(result.document)))


def test_while_the_switch_is_off_nothing_is_asked_for(organisation):
    make_item(organisation, **UNCITED)

    assert (CitationSearch.objects.count(), waiting()) == (0, [])


@pytest.mark.parametrize("changes", [CITED, {}], ids=["it cites", "it has no documents"])
def test_nor_for_an_answer_that_needs_none(organisation, changes):
    turn_on(organisation)
    make_item(organisation, **changes)

    assert (CitationSearch.objects.count(), waiting()) == (0, [])


def test_what_is_found_is_stored_with_its_place_its_source_and_its_event(organisation):
    item = make_searched(organisation)
    (result,) = run_all()

    assert (result.outcome, result.found_count, result.refused_count, result.attempts, result.model) == ("found", 1, 0, 1, "")
    assert result.search.attribution_id == item.attribution_id
    found = stored(result)
    assert [source["title"] for source in found["sources"]] == ["Asking first"]
    (reference,) = found["references"]
    assert (reference["start"], reference["end"], reference["source_ids"]) == (0, len(SENTENCE), ["doc-2"])
    asked, ended = events("citation_search.asked"), events("citation_search.ended")
    assert [event["object"]["id"] for event in asked + ended] == [str(item.pk)] * 2
    assert asked[0]["details"]["method"] == "words"
    assert (ended[0]["details"]["outcome"], ended[0]["details"]["found"], ended[0]["parts"]["count"]) == ("found", 1, 1)


TWO_CLAUSES = {
    "response": "A first visit costs 90 pounds at Alder House, and parking behind the building is free.",
    "context": {},
    "documents": [
        {"source_id": "costs", "content": "A first visit costs 90 pounds at Alder House."},
        {"source_id": "parking", "content": "Parking behind the building is free."},
    ],
}


def test_clauses_are_looked_up_where_that_was_set_when_the_answer_was_frozen(organisation):
    switch_search_unit(organisation=organisation, to=CitedUnit.CLAUSE, at=NOW, by=SYSTEM)
    item = make_searched(organisation, **TWO_CLAUSES)
    switch_search_unit(organisation=organisation, to=CitedUnit.SENTENCE, at=NOW, by=SYSTEM)
    other = make_searched(organisation, **TWO_CLAUSES)
    found = [json.loads(zlib.decompress(bytes(result.document))) for result in run_all()]

    assert [document_row(each).policy["search_unit"] for each in (item, other)] == ["clause", "sentence"]
    assert [each.get("unit") for each in found] == ["clause", None]
    assert [(each["start"], each["end"], each["source_ids"]) for each in found[0]["references"]] == [
        (0, 44, ["doc-1"]),
        (50, 86, ["doc-2"]),
    ]
    assert {(each["start"], each["end"]) for each in found[1]["references"]} <= {(0, 86)}
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)


def test_the_page_and_the_api_say_that_clauses_were_looked_up(organisation):
    switch_search_unit(organisation=organisation, to=CitedUnit.CLAUSE, at=NOW, by=SYSTEM)
    item = make_searched(organisation, **TWO_CLAUSES)
    run_all()

    page = sign_in(make_member(organisation)).get(f"/items/{item.pk}/").content.decode()
    told = program_of(organisation).get(f"/api/v1/snapshots/{item.pk}").json()

    assert "Sources of 2 places of the answer were found by words, clause by clause." in page
    assert "found afterwards by words, clause by clause, score" in page
    assert told["citation_search"]["unit"] == "clause"


def document_row(item) -> SnapshotDocuments:
    return SnapshotDocuments.objects.get(attribution=item.attribution_id)


def test_a_citation_that_means_nothing_is_none(organisation):
    make_searched(organisation, response=SENTENCE + " [9]")

    assert [result.outcome for result in run_all()] == ["found"]


def test_nothing_found_is_told_from_nothing_looked_for(organisation):
    make_searched(organisation, response="Ask your insurer about the deductible and the yearly ceiling.")
    make_searched(organisation, response="```sql\nselect 1;\n```")
    make_searched(organisation, response="", abstention_reason="the sources disagree")
    make_searched(organisation, documents=[{"title": "A leaflet without a text"}])
    run_all()

    ended = CitationSearchResult.objects.order_by("id").values_list("outcome", "reason")
    assert sorted(ended) == [("nothing", ""), ("skipped", "code_only"), ("skipped", "no_answer"), ("skipped", "no_sources")]
    assert len(events("citation_search.asked")) == 1
    assert {event["details"].get("reason") for event in events("citation_search.ended")} == {None, "code_only", "no_answer", "no_sources"}


def test_no_word_of_the_answer_is_in_an_event(organisation):
    make_searched(organisation)
    run_all()

    assert "medicines" not in json.dumps(events("citation_search.ended") + events("citation_search.asked"))


def test_a_job_that_runs_twice_stores_once(organisation):
    make_searched(organisation)
    (search,) = waiting()
    first, second = run(search), run(search)

    assert first == second
    assert len(events("citation_search.ended")) == 1


def test_nor_do_two_workers_that_run_it_at_once(organisation):
    make_searched(organisation)
    (search,) = waiting()
    wanted = searching.find_pending(search)
    for _ in range(2):
        searching.store_result(row=wanted.row, ended=searching.run_search(wanted), attempts=1, begun_at=NOW, ended_at=NOW)

    assert CitationSearchResult.objects.count() == len(events("citation_search.ended")) == 1


def test_what_may_pass_is_tried_again_and_then_has_failed_with_its_reason(organisation, way):
    make_searched(organisation)
    (search,) = waiting()
    way(failing("the endpoint did not answer within 30 s", may_pass=True))
    for attempt in range(jobs.MOST_ATTEMPTS - 1):
        with pytest.raises(SearchFailed):
            run(search, attempt)
    assert not CitationSearchResult.objects.exists()

    result = run(search, jobs.MOST_ATTEMPTS - 1)

    assert (result.outcome, result.reason, result.attempts) == ("failed", "the endpoint did not answer within 30 s", jobs.MOST_ATTEMPTS)
    assert events("citation_search.ended")[0]["details"]["reason"] == result.reason


def test_the_waits_between_attempts_grow():
    waits = [jobs.look_for_citations.get_retry_exception(SearchFailed("x", may_pass=True), job(n)) for n in range(3)]
    times = [wait.retry_decision.retry_at for wait in waits]

    assert (times[1] - times[0]).total_seconds() > 15
    assert (times[2] - times[1]).total_seconds() > 75


def test_searches_wait_for_whatever_else_the_worker_has_to_do(organisation):
    make_searched(organisation)

    assert ProcrastinateJob.objects.get(task_name=jobs.look_for_citations.name).priority < 0


def job(attempts: int) -> object:
    return type("Job", (), {"attempts": attempts})()


def test_what_does_not_pass_fails_at_once(organisation, way):
    make_searched(organisation)
    way(failing("the key was refused (401)", may_pass=False))

    (result,) = run_all()

    assert (result.outcome, result.reason, result.attempts) == ("failed", "the key was refused (401)", 1)


def test_a_bug_is_no_reason_to_say_nothing_nor_to_say_words_of_the_answer(organisation, way):
    make_searched(organisation)
    (search,) = waiting()

    def break_down(answer, *_):
        raise KeyError(answer)

    way(break_down)
    with pytest.raises(SearchFailed):
        run(search)
    result = run(search, jobs.MOST_ATTEMPTS)

    assert (result.outcome, result.reason) == ("failed", "an error of this site (KeyError)")


def test_a_way_that_is_not_there_any_more_fails_in_words(organisation, monkeypatch):
    make_searched(organisation)
    monkeypatch.delitem(searching.WAYS, SearchMethod.WORDS)
    (result,) = run_all()

    assert (result.outcome, result.reason) == ("failed", "this deployment is not set up to look for citations this way")


def test_nothing_is_sent_to_a_model_any_more_once_it_is_turned_off(organisation, monkeypatch):
    turn_on(organisation, "model")
    make_item(organisation, **UNCITED)
    asked = []
    monkeypatch.setitem(searching.WAYS, SearchMethod.MODEL, lambda *texts: asked.append(texts))
    turn_on(organisation, "words")
    (result,) = run_all()

    assert (result.outcome, result.reason, asked) == ("failed", "looking with a model was turned off before its turn came", [])


def test_a_search_whose_job_is_gone_is_given_up_and_one_that_waits_is_not(organisation):
    make_searched(organisation)
    make_searched(organisation)
    lost, kept = waiting()
    connection.cursor().execute("UPDATE procrastinate_jobs SET status = 'failed' WHERE args->>'search' = %s", [lost])

    jobs.give_up_lost_searches.func(timestamp=0)

    assert [(str(each.search_id), each.outcome) for each in CitationSearchResult.objects.all()] == [(lost, "failed")]
    assert run(kept).outcome == "found"


def test_of_very_many_that_wait_those_without_a_job_are_found_in_one_look(organisation):
    """PostgreSQL compared each with each: of twenty thousand that took it most of a minute, every hour."""
    rows = [uuid4() for _ in range(20_000)]
    arguments = [{"search": str(each), "organisation": str(organisation.pk)} for each in rows[1:]]
    jobs.look_for_citations.batch_defer(*arguments)

    found: list[UUID] = []
    asked = statements_of(lambda: found.extend(lost_among(rows, jobs.look_for_citations.name, "search")))

    assert found == rows[:1]
    assert len(asked) == 1


def test_a_batch_asks_for_many_in_as_many_statements_as_for_one(organisation):
    turn_on(organisation)
    counts = [len(statements_of(lambda size=size: freeze(organisation, *[UNCITED] * size))) for size in (1, 1, 20)]

    assert counts[1] == counts[2]
    assert len(waiting()) == 22


def test_records_without_documents_take_no_statement_more(organisation):
    freeze(organisation, {})  # the first of all writes its profile too
    plain = len(statements_of(lambda: freeze(organisation, {})))
    turn_on(organisation)

    assert len(statements_of(lambda: freeze(organisation, {}))) == plain


def test_asking_again_is_a_search_of_its_own(organisation, way):
    item = make_searched(organisation)
    way(failing("the key was refused (401)", may_pass=False))
    run_all()
    again = work_requests.request_search_again(attribution=item.attribution, number=2, method="words", by=SYSTEM, at=NOW)

    assert waiting()[-1] == str(again.pk)
    assert [event["details"]["number"] for event in events("citation_search.asked")] == [1, 2]


def test_searches_of_an_organisation_with_very_many_stand_behind_those_of_others(organisation, monkeypatch):
    monkeypatch.setattr("reviewers.web.jobs._AT_A_LEVEL", 2)
    monkeypatch.setattr(work_requests, "_LATELY", timezone.now() - NOW + timedelta(hours=1))
    for _ in range(4):
        make_searched(organisation)
    other = make_organisation()
    with tenant.within(other.pk):
        make_searched(other)

    queued = ProcrastinateJob.objects.filter(task_name=jobs.look_for_citations.name).order_by("id")
    assert [job.priority for job in queued] == [-1, -2, -2, -3, -1]
