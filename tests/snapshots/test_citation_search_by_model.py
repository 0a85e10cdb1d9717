"""Citations looked for with a model, from the frozen answer to what is stored of it, against a server on this machine."""

from __future__ import annotations

import json
import zlib

import pytest

from attribution import SearchFailed, decode_search
from reviewers.snapshots import jobs
from tests.events import events
from tests.factories import UNCITED, make_item
from tests.model_endpoint import KEY, NAME, citing, fails, saying, serving
from tests.snapshots.searches import run, turn_on, waiting

SENTENCE = "Whoever takes other medicines should ask first."


@pytest.fixture
def model(settings):
    with serving(citing((SENTENCE, 2, 0.9))) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT = script.url, NAME, KEY, 10
        yield script


@pytest.fixture
def search(organisation):
    """One that a worker has to run: the organisation has citations looked for by a model, and the answer cites nothing."""
    turn_on(organisation, "model")
    make_item(organisation, **UNCITED)
    (search,) = waiting()
    return search


def stored(result):
    return json.loads(zlib.decompress(bytes(result.document)))


def test_what_a_model_finds_is_stored_with_its_name_and_what_was_refused(model, search):
    model.say(citing((SENTENCE, 2, 0.9), ("Nobody says this.", 1, 1), (SENTENCE, 9, 1)))

    result = run(search)

    assert (result.outcome, result.model, result.found_count, result.refused_count, result.attempts) == ("found", NAME, 1, 2, 1)
    found = stored(result)
    (reference,) = found["references"]
    assert (reference["start"], reference["end"], reference["source_ids"]) == (0, len(SENTENCE), ["doc-2"])
    assert reference["probability"] == pytest.approx(0.9)
    assert [each["reason"] for each in found["refused"]] == ["claim_not_in_answer", "source_out_of_range"]
    (ended,) = events("citation_search.ended")
    assert {"outcome": "found", "method": "model", "model": NAME, "found": 1, "refused": 2}.items() <= ended["details"].items()


def test_a_source_that_lacks_a_name_of_the_claim_is_shown_as_failing_beside_one_that_has_it(model, organisation):
    turn_on(organisation, "model")
    claim = "Birch House costs 95 pounds."
    documents = [{"content": "Birch House costs 95 pounds."}, {"content": "Birch House costs 90 pounds."}]
    make_item(organisation, response=claim, documents=documents)
    model.say(citing((claim, 1, 0.9), (claim, 2, 0.8)))
    (search,) = waiting()

    record = decode_search(stored(run(search)))

    assert [[missing.text for missing in each.check.missing] for each in record.references] == [[], ["95"]]


def test_nothing_found_is_a_result(model, search):
    model.say(citing())

    assert run(search).outcome == "nothing"


def test_a_reply_that_cannot_be_used_twice_ends_failed_with_its_reason(model, search):
    model.say(saying("Sure, here are the sources!"))

    result = run(search)

    assert (result.outcome, result.model, result.attempts, len(model.asked)) == ("failed", NAME, 1, 2)
    assert result.reason == (
        "two replies in a row could not be used, the last because the reply cannot be read: not JSON: Expecting value at line 1, column 1"
    )
    assert events("citation_search.ended")[0]["details"]["reason"] == result.reason


def test_a_busy_endpoint_is_asked_again_no_sooner_than_it_wants(model, search):
    model.say(fails(429, "rate_limit_exceeded", Retry_After="400"))
    with pytest.raises(SearchFailed) as failed:
        run(search)
    first, patient = [
        jobs.look_for_citations.get_retry_exception(failure, type("Job", (), {"attempts": 0})()).retry_decision.retry_at
        for failure in (SearchFailed("x", may_pass=True), failed.value)
    ]
    assert 390 < (patient - first).total_seconds() < 400

    assert run(search, jobs.MOST_ATTEMPTS - 1).reason == "the endpoint is busy (429)"


def test_an_endpoint_that_is_not_set_up_any_more_is_said(search, settings):
    settings.MODEL_URL = ""

    assert run(search).reason == "no model endpoint is set up in this deployment"
