"""A judge labels a plan's answers over a local endpoint, well or badly; nothing is learned from it."""

from __future__ import annotations

import json
from functools import partial

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from attribution import InputError, SearchFailed, read_usage
from reviewers.accounts.policies import Refused
from reviewers.calibration import jobs
from reviewers.calibration.judge import actions
from reviewers.calibration.judge.actions import read_verdicts
from reviewers.calibration.judge.views import build_judge
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.models import JudgeLabel, JudgeRun
from reviewers.review.models import Label, Plan, QueueItem, Verdict
from reviewers.review.plans.actions import stop_plan
from tests.calibration.judged import label_one, make_plan_over, make_run
from tests.calibration.labelled import combination_of, risky
from tests.events import events
from tests.factories import NOW, make_item, sign_in
from tests.markup import read_markup
from tests.model_endpoint import KEY, NAME, bomb, cut_off, fails, hanging_up, late, saying, serving
from tests.review.deciding.cases import decide_all, make_conflict
from tests.review.plans.planning import review, run_plan

USED = {"yes": True, "no": False, "unsure": None}


def says(*verdicts: str):
    return saying(json.dumps({"fields": [{"number": number, "used": USED[each]} for number, each in enumerate(verdicts)]}))


@pytest.fixture
def endpoint(settings):
    with serving(says("yes", "no")) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT = script.url, NAME, KEY, 10
        settings.MODEL_JUDGES = True
        yield script


@pytest.fixture
def plan(lead):
    return make_plan_over(lead)


def work(run: JudgeRun) -> JudgeRun:
    while actions.judge_piece(run_id=run.pk, now=NOW):
        pass
    return JudgeRun.objects.get(pk=run.pk)


def ask(lead, plan) -> JudgeRun:
    return actions.ask_run(plan_id=plan.pk, by=lead, now=NOW)


def test_it_labels_each_row_that_claims_something_and_counts_what_it_took(endpoint, lead, plan, settings):
    settings.JUDGE_PRICE_IN, settings.JUDGE_PRICE_OUT = 1_000, 10_000

    run = work(ask(lead, plan))

    assert (run.done, run.total, run.unread, run.finished_at) == (2, 2, 0, NOW)
    assert (run.tokens_in, run.tokens_out) == (1_800, 120)
    assert sorted(JudgeLabel.objects.values_list("path", "is_used").distinct()) == [
        ("visits.0.risk_level", True),
        ("visits.1.risk_level", False),
    ]
    page = read_markup(sign_in(lead).get(f"/calibration/judge/{run.pk}/"))
    assert "2 of 2" in page.text
    assert "3.0000" in page.text
    told = [event["action"] for event in events() if event["action"].startswith("judge")]
    assert told == ["judge.asked", "judge.labelled", "judge.labelled", "judge.stopped"]


def test_it_is_told_neither_scores_nor_rules_nor_labels(endpoint, lead, plan):
    work(ask(lead, plan))

    said = endpoint.asked[0].texts[1]
    assert json.loads(said) == {
        "answer": "Your risk is elevated.",
        "fields": [{"number": n, "field": f"safety.visits.{n}.risk_level", "value": "elevated"} for n in range(2)],
    }
    assert endpoint.asked[0].body["response_format"]["json_schema"]["name"] == "judgement"


def test_an_answer_with_half_a_character_is_judged_like_any_other(endpoint, lead):
    make_item(lead.organisation, model="judged", conversation_id="half", **(risky(2) | {"response": "Your risk is elevated \ud83d."}))

    run = work(ask(lead, make_plan_over(lead)))

    assert (run.done, run.total, run.unread, run.reason) == (3, 3, 0, "")
    assert "Your risk is elevated ?." in [json.loads(asked.texts[1])["answer"] for asked in endpoint.asked]


def test_it_goes_on_where_it_was_stopped_and_a_person_stops_it(endpoint, lead, plan):
    run = ask(lead, plan)
    assert ask(lead, plan).pk == run.pk
    assert actions.judge_piece(run_id=run.pk, now=NOW)

    client = sign_in(lead)
    assert "1 of 2" in read_markup(client.get(f"/calibration/judge/{run.pk}/")).text
    assert client.post(f"/calibration/judge/{run.pk}/stop/").status_code == 302

    assert not actions.judge_piece(run_id=run.pk, now=NOW)
    stopped = JudgeRun.objects.get(pk=run.pk)
    assert (stopped.done, stopped.stopped_by_id, len(endpoint.asked)) == (1, lead.user_id, 1)
    assert "Stopped by" in read_markup(client.get(f"/calibration/judge/{run.pk}/")).text
    assert client.post(f"/calibration/judge/{run.pk}/stop/").status_code == 409


def test_a_run_whose_job_is_gone_is_ended_and_another_one_can_be_asked_for(endpoint, lead, plan):
    lost = ask(lead, plan)
    jobs.end_lost_calibration.func(0)
    assert JudgeRun.objects.get(pk=lost.pk).finished_at is None
    ProcrastinateJob.objects.filter(args__run=str(lost.pk)).update(status="failed")

    jobs.end_lost_calibration.func(0)

    assert "ended several times" in JudgeRun.objects.get(pk=lost.pk).reason
    assert ask(lead, plan).pk != lost.pk


@pytest.mark.parametrize("nonsense", [saying("I think so"), saying('{"fields": 3}'), saying('{"fields": [{"number": 9, "used": true}]}')])
def test_nonsense_is_asked_for_once_more_and_then_passed_over(endpoint, lead, plan, nonsense):
    endpoint.say(nonsense, nonsense, says("yes", "unsure"))

    run = work(ask(lead, plan))

    assert (run.done, run.unread, len(endpoint.asked)) == (2, 1, 3)
    assert run.tokens_in == 3 * 900
    assert sorted(JudgeLabel.objects.values_list("is_used", flat=True), key=str) == [None, True]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (hanging_up, "the connection to the endpoint broke off"),
        (cut_off, "the connection to the endpoint broke off"),
        (fails(503), "the endpoint is busy (503)"),
        (late(3, says("yes", "no")), "did not answer within"),
    ],
)
def test_what_may_pass_is_tried_again_and_ends_it_at_last(endpoint, lead, plan, settings, reply, said):
    settings.MODEL_TIMEOUT = 0.3 if said == "did not answer within" else 10
    endpoint.say(reply)
    run = ask(lead, plan)

    with pytest.raises(SearchFailed):
        jobs.judge_once(run.pk, 1)
    assert JudgeRun.objects.get(pk=run.pk).finished_at is None
    jobs.judge_once(run.pk, jobs.MOST_ATTEMPTS)

    assert said in JudgeRun.objects.get(pk=run.pk).reason


@pytest.mark.parametrize(("reply", "said"), [(fails(401), "the key was refused (401)"), (bomb, "compressed, which was not asked for")])
def test_what_does_not_pass_ends_it_at_once_with_a_reason(endpoint, lead, plan, reply, said):
    endpoint.say(reply)

    run = work(ask(lead, plan))

    assert said in run.reason
    assert run.finished_at == NOW
    assert "It has ended" in read_markup(sign_in(lead).get(f"/calibration/judge/{run.pk}/")).text


def test_it_is_off_unless_it_is_set_up_and_a_blind_plan_is_judged_once_it_is_over(endpoint, lead, settings):
    make_item(lead.organisation, model="running", **risky(1))
    running = run_plan(lead, is_blind=True, overlap=1, stream="audit", candidates={"facets": {"model": ["running"]}})
    with pytest.raises(Refused, match="once this plan is over"):
        ask(lead, running)
    client = sign_in(lead)
    assert client.post("/calibration/judge/ask/", {"plan": str(running.pk)}).status_code == 409
    assert client.post("/calibration/judge/ask/", {}).status_code == 422

    stop_plan(plan_id=running.pk, by=lead, now=NOW)
    settings.MODEL_JUDGES = False
    with pytest.raises(Refused, match="No judge is set up"):
        ask(lead, running)
    assert "No judge is set up" in client.get("/calibration/judge/").content.decode()


def test_its_agreement_with_people_is_by_method_and_nothing_is_learned_from_it(endpoint, lead, alice):
    items = [make_item(lead.organisation, model="judged", conversation_id=f"talk {n}", **risky(2)) for n in range(12)]
    plan = run_plan(lead, overlap=1, candidates={"facets": {"model": ["judged"]}})
    for number, item in enumerate(items[:8]):
        review(item, alice, Verdict.WRONG if number % 2 else Verdict.CORRECT)
    endpoint.say(*(says(*["no" if number % 2 else "yes"] * 2) for number in range(12)))

    run = work(ask(lead, plan))

    (row,) = build_judge(run).rows
    assert (row.both, row.alike, row.judged_only, row.share) == (16, 16, 8, 0.5)
    assert row.helps
    assert row.powered.interval.high - row.powered.interval.low < row.people.high - row.people.low
    page = read_markup(sign_in(lead).get(f"/calibration/judge/{run.pk}/"))
    assert "A model, no reviewer" in page.text
    assert "Fixed choice" in page.text
    assert len(build_dataset(combination_of(items[0])).observations) == 16
    assert {each.reviewer for each in build_dataset(combination_of(items[0])).observations} == {str(alice.user_id)}
    assert set(Label.objects.values_list("reviewer", flat=True)) == {alice.user_id}
    assert not QueueItem.objects.filter(pk=items[11].pk, submitted_at__isnull=False).exists()


def test_what_a_lead_decided_between_people_is_what_the_judge_agrees_with(lead, settings):
    item = make_conflict(lead.organisation)
    stop_plan(plan_id=item.plan_id, by=lead, now=NOW)
    run = make_run(lead, Plan.objects.get(pk=item.plan_id))
    label_one(run)
    assert all(row.both == 0 for row in build_judge(run).rows)

    decide_all(item, lead, Verdict.WRONG)

    rows = build_judge(run).rows
    assert [(row.both, row.alike, row.judged_only) for row in rows] == [(1, 0, 0)] * len(rows)
    assert rows


def test_no_page_of_an_answer_shows_it(endpoint, lead, alice, plan):
    run = work(ask(lead, plan))
    item = QueueItem.objects.first()

    page = sign_in(alice).get(f"/items/{item.pk}/").content.decode()
    assert run.model not in page
    assert sign_in(alice).get(f"/calibration/judge/{run.pk}/").status_code == 403


@pytest.mark.parametrize(
    "reply",
    [
        b"[]",
        b'{"fields": {}}',
        b'{"fields": [3]}',
        b'{"fields": [{"number": true, "used": true}]}',
        b'{"fields": [{"number": 0}]}',
        b"{" * 99,
    ],
)
def test_a_reply_is_read_strictly(reply):
    with pytest.raises(InputError):
        read_verdicts(reply, 2)


def test_tokens_that_nobody_counts_are_none():
    assert read_usage(b"nothing") == (0, 0)
    assert read_usage(b'{"usage": {"prompt_tokens": -3, "completion_tokens": 4}}') == (0, 4)


def test_pages_take_few_statements(lead, django_assert_max_num_queries):
    run = make_run(lead)
    client = sign_in(lead)

    for path in ("/calibration/judge/", f"/calibration/judge/{run.pk}/"):
        with django_assert_max_num_queries(12):
            partial(client.get, path)()
