"""Citations judged by a model, from the frozen answer to what is stored, against a server on this machine that behaves as endpoints do."""

from __future__ import annotations

import json

import pytest
from django.db.models import Sum

from attribution import SearchFailed
from reviewers.accounts.models import Organisation
from reviewers.snapshots import jobs
from reviewers.snapshots.judged_support import actions as judging_module
from reviewers.snapshots.judged_support.queries import cost_of_support, judgements_of
from reviewers.snapshots.models import SupportJudgement, SupportRequest, SupportResult
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import CITED, UNCITED, make_item, make_organisation
from tests.model_endpoint import KEY, NAME, citing, fails, hanging_up, late, saying, serving
from tests.snapshots.judged import FIRST, SECOND, USUAL, judging, make_judged, run, run_judging, turn_on_judging, waiting
from tests.snapshots.searches import run_all as run_searches
from tests.snapshots.searches import turn_on as turn_on_search


@pytest.fixture
def model(settings):
    with serving(*USUAL) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT = script.url, NAME, KEY, 10
        yield script


def judgements():
    return list(SupportJudgement.objects.order_by("id"))


def sentences():
    """The sentences that judgements rest on, out of the documents."""
    texts = {f"doc-{place}": document["content"] for place, document in enumerate(CITED["documents"], start=1)}
    return [texts[each.source][each.sentence_start : each.sentence_end] if each.sentence_end else "" for each in judgements()]


def test_each_citation_is_judged_with_its_sentence_and_its_cost(model, organisation):
    item = make_judged(organisation)

    assert [(each.source, each.verdict, each.reason, each.model) for each in judgements()] == [
        ("doc-1", "contradicts", "", NAME),
        ("doc-2", "supports", "", NAME),
    ]
    assert sentences() == [FIRST, SECOND]
    assert [(each.requests, each.tokens_in, each.tokens_out) for each in judgements()] == [(1, 900, 60)] * 2
    result = SupportResult.objects.get()
    assert (result.outcome, result.reason, result.attempts) == ("judged", "", 1)
    assert [events(f"support.{name}")[0]["object"]["id"] for name in ("asked", "judged", "ended")] == [str(item.pk)] * 3
    assert len(events("support.judged")) == 2


def test_only_the_cited_words_and_the_source_are_sent(model, organisation):
    make_judged(organisation, user_text="What of Quincunx?")

    first, second = model.asked
    assert (first.body["model"], first.body["temperature"], first.body["response_format"]["json_schema"]["name"]) == (NAME, 0, "support")
    for part in ("Adults start with 3 mg in the evening", CITED["documents"][0]["content"], "Melatonin for adults"):
        assert part in first.texts[1]
    sent = json.dumps([first.body, second.body])
    for kept in ("Quincunx", "elevated", "Coffee", "fda.gov", "client-1"):
        assert kept not in first.texts[1]
    assert "Quincunx" not in sent
    assert "Coffee" not in sent


def test_nothing_is_asked_while_it_is_off(model, organisation):
    make_item(organisation, **CITED)

    assert (SupportRequest.objects.count(), waiting(), model.asked) == (0, [], [])


@pytest.mark.parametrize(
    "changes",
    [UNCITED, {"abstention_reason": "low evidence"}, {"documents": [{"content": " "}, {"content": ""}]}, {"documents": None}],
    ids=["cites nothing", "withheld", "no texts", "no documents"],
)
def test_an_answer_without_anything_to_judge_is_not_asked_about(model, organisation, changes):
    turn_on_judging(organisation)
    make_item(organisation, **CITED | changes)

    assert SupportRequest.objects.count() == 0


def test_turned_off_before_its_turn_nothing_more_is_sent(model, organisation):
    turn_on_judging(organisation)
    make_item(organisation, **CITED)
    Organisation.objects.update(judges_support=False)

    assert run_judging().reason == "judging was turned off before its turn came"
    assert (model.asked, judgements()) == ([], [])


def test_a_sentence_that_is_not_in_the_source_is_refused_and_said_to_be(model, organisation):
    model.say(judging("supports", "Adults start with 3 mg in the evening."), judging("supports", ""), judging("supports", SECOND))

    make_judged(organisation)

    assert [(each.verdict, each.reason, each.sentence_start) for each in judgements()] == [
        ("", "not_in_source", None),
        ("", "no_sentence", None),
    ]
    assert SupportResult.objects.get().outcome == "judged"
    assert cost_of_support(judgements_of(organisation.pk)).refused == 2


def test_a_reply_that_cannot_be_read_is_asked_for_once_more_and_paid_for(model, organisation):
    model.say(saying("Sure!"), USUAL[0], saying('{"verdict": "sup'), saying("No."))

    make_judged(organisation)

    assert [(each.verdict, each.reason, each.requests, each.tokens_in) for each in judgements()] == [
        ("contradicts", "", 2, 1_800),
        ("", "no_usable_reply", 2, 1_800),
    ]


@pytest.mark.parametrize(
    "reply", [saying(None, refusal="I will not say Quincunx."), saying("", "content_filter")], ids=["refused", "filtered"]
)
def test_what_a_model_refuses_is_refused_for_that_citation_alone(model, organisation, reply):
    model.say(reply, USUAL[1])

    make_judged(organisation)

    assert [(each.verdict, each.reason, each.requests) for each in judgements()] == [("", "no_usable_reply", 1), ("supports", "", 1)]


def test_a_slow_endpoint_is_waited_for_and_given_up_at_its_time(model, organisation, settings):
    model.say(late(0.05, USUAL[0]), late(5, USUAL[1]))
    settings.MODEL_TIMEOUT = 0.5
    turn_on_judging(organisation)
    make_item(organisation, **CITED)

    with pytest.raises(SearchFailed):
        run_judging()
    assert [each.verdict for each in judgements()] == ["contradicts"]

    model.say(USUAL[1])
    assert run_judging(1).outcome == "judged"
    assert [each.verdict for each in judgements()] == ["contradicts", "supports"]
    assert len(model.asked) == 3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (fails(401, "invalid_api_key"), "the key was refused (401)"),
        (fails(404, "model_not_found"), "the endpoint does not know the model (404)"),
    ],
)
def test_a_failure_that_stays_ends_the_request_at_once(model, organisation, reply, reason):
    model.say(reply)
    turn_on_judging(organisation)
    make_item(organisation, **CITED)

    result = run_judging()

    assert (result.outcome, result.reason, len(model.asked)) == ("failed", reason, 1)


@pytest.mark.parametrize("reply", [hanging_up, fails(429, "rate_limit_exceeded", Retry_After="400"), fails(500)])
def test_a_failure_that_may_pass_is_tried_again_and_then_stored(model, organisation, reply):
    model.say(reply)
    turn_on_judging(organisation)
    make_item(organisation, **CITED)

    with pytest.raises(SearchFailed):
        run_judging()
    assert not SupportResult.objects.exists()

    assert run_judging(jobs.MOST_ATTEMPTS - 1).outcome == "failed"


def test_the_same_question_is_asked_once_in_an_organisation(model, organisation):
    make_judged(organisation)
    make_judged(organisation)

    assert len(model.asked) == 2
    assert [(each.verdict, each.requests, each.tokens_in) for each in judgements()[2:]] == [("contradicts", 0, 0), ("supports", 0, 0)]
    assert sentences()[2:] == [FIRST, SECOND]
    cost = cost_of_support(judgements_of(organisation.pk))
    assert (cost.judged, cost.repeated, cost.requests, cost.tokens_in, cost.tokens_out) == (4, 2, 2, 1_800, 120)


def test_another_model_another_text_or_another_organisation_is_asked_anew(model, organisation, settings):
    make_judged(organisation)
    settings.MODEL_NAME = "careful-2"
    make_judged(organisation)
    settings.MODEL_NAME = NAME
    changed = [CITED["documents"][0] | {"content": f"{FIRST} It helps."}, *CITED["documents"][1:]]
    make_judged(organisation, documents=changed)
    assert len(model.asked) == 5

    other = make_organisation("Another")

    with tenant.within(other.pk):
        make_judged(other)
    assert len(model.asked) == 7


def test_what_was_refused_before_is_asked_again(model, organisation):
    model.say(judging("supports", "A lie."), USUAL[1], USUAL[0])
    make_judged(organisation)
    make_judged(organisation)

    assert [each.verdict for each in judgements()] == ["", "supports", "contradicts", "supports"]
    assert len(model.asked) == 3


def test_an_organisation_has_so_many_requests_a_day(model, organisation, settings):
    settings.MODEL_REQUESTS_A_DAY = 1

    make_judged(organisation)

    result = SupportResult.objects.get()
    assert (result.outcome, result.reason) == ("skipped", "the 1 requests that an organisation has a day are used up")
    assert (len(model.asked), len(judgements())) == (1, 1)
    assert SupportJudgement.objects.aggregate(sum=Sum("requests"))["sum"] == 1


def test_of_many_citations_a_job_judges_some_and_the_next_goes_on(model, organisation, monkeypatch):
    monkeypatch.setattr(judging_module, "AT_ONCE", 1)
    turn_on_judging(organisation)
    make_item(organisation, **CITED)
    (job,) = waiting()

    assert run(job) is None
    assert len(judgements()) == 1

    (_, following) = waiting()
    assert run(following).outcome == "judged"
    assert len(judgements()) == 2


def test_a_job_that_runs_twice_changes_nothing(model, organisation):
    make_judged(organisation)
    (job,) = waiting()
    before = judgements()

    run(job)

    assert (judgements(), SupportResult.objects.count(), len(model.asked)) == (before, 1, 2)


def test_citations_that_were_found_afterwards_are_judged_once_they_are(model, organisation):
    turn_on_judging(organisation)
    turn_on_search(organisation)
    make_item(organisation, **UNCITED)
    assert waiting() == []
    run_searches()
    model.say(judging("supports", SECOND))

    run_judging()

    assert [(each.source, each.is_own, each.verdict) for each in judgements()] == [("doc-2", False, "supports")]


def test_a_search_by_the_model_and_its_judging_ask_different_things(model, organisation):
    turn_on_judging(organisation)
    turn_on_search(organisation, "model")
    make_item(organisation, **UNCITED)
    model.say(citing(("Whoever takes other medicines should ask first.", 2, 0.9)), judging("supports", SECOND))
    run_searches()
    run_judging()

    assert [asked.body["response_format"]["json_schema"]["name"] for asked in model.asked] == ["citations", "support"]


def test_a_request_whose_job_is_gone_is_given_up(model, organisation):
    turn_on_judging(organisation)
    make_item(organisation, **CITED)
    (job,) = waiting()
    job.__class__.objects.filter(pk=job.pk).delete()

    jobs.give_up_lost_searches.func(0)

    assert SupportResult.objects.get().reason == "the work was ended several times before it was done"


def test_without_an_endpoint_it_says_so(organisation):
    turn_on_judging(organisation)
    make_item(organisation, **CITED)

    assert run_judging().reason == "no model endpoint is set up in this deployment"


def test_a_bug_is_a_failure_with_its_kind(model, organisation, monkeypatch):
    def broken(*_):
        raise KeyError("Quincunx")

    monkeypatch.setattr(judging_module, "_question", broken)
    turn_on_judging(organisation)
    make_item(organisation, **CITED)

    assert run_judging(jobs.MOST_ATTEMPTS - 1).reason == "an error of this site (KeyError)"
