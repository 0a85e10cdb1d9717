"""The page for leads: forecasts, load, fields and weeks, and nothing of one answer under blind review."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from reviewers.quality.lead import BETTER, FEWEST_REVIEWS, OPEN, WORSE, change_of, difference, load_lead_page, read_labelled
from reviewers.quality.page import QualityShare
from reviewers.quality.queries import Period
from reviewers.review.labels import actions
from reviewers.review.models import Verdict
from tests.factories import choose, claim_words, make_item, sign_in
from tests.markup import read_markup
from tests.review.plans.planning import label_all, review, run_blind, run_plan
from tests.statements import statements_of

DAY = date(2026, 3, 4)


def page_for(lead, until=DAY):
    return load_lead_page(lead, until, timezone.now())


def finish(item, by, verdict=Verdict.CORRECT):
    """Label the first row so and the rest correct, and submit now."""
    now = timezone.now()
    label_all(item, by, now=now)
    actions.save_label(choice=choose(item), verdict=verdict, by=by, now=now)
    actions.submit(item_id=item.pk, by=by, now=now)


def test_it_tells_nothing_yet_of_an_empty_desk(lead):
    response = sign_in(lead).get("/lead/")

    assert response.status_code == 200
    assert "Nothing is left to review." in response.content.decode()


def test_an_answer_of_a_day_to_come_does_not_move_the_pages(organisation, lead):
    """One of the year 2999 would show everybody an empty week from then on."""
    make_item(organisation)
    make_item(organisation, answered_at="2999-12-31T12:00:00Z")
    client = sign_in(lead)

    assert not any("2999" in client.get(page).content.decode() for page in ("/lead/", "/quality/"))
    assert "2999" in client.get("/quality/?until=2999-12-31").content.decode()


def test_what_is_left_is_forecast_from_enough_reviews(organisation, alice, lead):
    items = [make_item(organisation) for _ in range(FEWEST_REVIEWS + 2)]
    for item in items[: FEWEST_REVIEWS - 1]:
        finish(item, alice)
    (forecast,) = page_for(lead).forecasts
    assert (forecast.reviews, forecast.done) == (3, None)

    finish(items[-1], alice)

    (forecast,) = page_for(lead).forecasts
    today = timezone.now().date()
    assert (forecast.answers, forecast.submitted, forecast.done) == (2, FEWEST_REVIEWS, today + timedelta(days=3))
    assert forecast.earliest <= forecast.done <= forecast.latest


def test_load_and_pace_are_told_by_reviewer(organisation, alice, bob, lead):
    finish(make_item(organisation), alice)
    actions.take(item_id=make_item(organisation).pk, by=bob, now=timezone.now())

    rows = {row.name: (row.held, row.week, row.week_before) for row in page_for(lead).reviewers}

    assert rows == {"Alice Aldous": (0, 1, 0), "Bob Birch": (1, 0, 0)}


def test_minutes_are_the_median_from_taking_to_submitting(organisation, alice, bob, lead):
    now = timezone.now()
    for minutes in (2, 4, 6, 8, 10):
        item = make_item(organisation)
        label_all(item, alice, now=now - timedelta(minutes=minutes))
        actions.submit(item_id=item.pk, by=alice, now=now)
    finish(make_item(organisation), bob)

    rows = {row.name: row.minutes for row in page_for(lead).reviewers}

    assert rows == {"Alice Aldous": pytest.approx(6.0), "Bob Birch": None}


def test_contradictions_of_eight_weeks_are_a_line(organisation, lead):
    contradicted = {"response": "The fit score is 75%.", "context": {"therapeutic_fit": {"fit_score": 0.85}}}
    for weeks in (0, 3, 7, 8):
        make_item(organisation, answered_at=f"{DAY - timedelta(weeks=weeks)}T12:00:00Z", **(contradicted if weeks == 3 else {}))

    line = read_markup(sign_in(lead).get("/lead/")).one("td", class_="weeks")

    titles = [each.text for each in line.find("title")]
    assert [title.partition(": ")[2] for title in titles] == ["0%, 0 of 1", "100%, 1 of 1", "0%, 0 of 1"]


def test_correct_labels_and_agreement_of_eight_weeks_are_lines(organisation, alice, bob, lead):
    items = [make_item(organisation, answered_at=f"{DAY - timedelta(weeks=weeks)}T12:00:00Z") for weeks in (0, 3, 8)]
    run_plan(lead, overlap=2)
    for item, verdict in zip(items, (Verdict.CORRECT, Verdict.WRONG, Verdict.WRONG), strict=True):
        finish(item, alice)
        finish(item, bob, verdict)
    told = {each.title: each for each in page_for(lead).lines}

    labels, alike = told["Labels that say correct"], told["Reviewers who agree"]

    assert len(labels.line.words.split("; ")) == len(alike.line.words.split("; ")) == 2, "the last week is the ninth"
    assert labels.last.share == alike.last.share == 1
    one_of_them = alike.last.trials
    assert f"{one_of_them - 1} of {one_of_them}" in alike.line.words.split("; ")[0]
    assert f"{2 * one_of_them - 1} of {2 * one_of_them}" in labels.line.words.split("; ")[0]


def test_what_is_under_blind_review_is_in_no_line(organisation, alice, lead):
    item = make_item(organisation, answered_at=f"{DAY}T12:00:00Z")
    run_blind(lead)
    finish(item, alice)

    lines = {each.title: each.last for each in page_for(lead).lines}

    assert lines["Labels that say correct"] is None
    assert lines["Reviewers who agree"] is None


def test_fields_most_often_wrong_have_their_interval(organisation, alice, lead):
    for verdict in (Verdict.WRONG, Verdict.MISSTATED, Verdict.CORRECT):
        finish(make_item(organisation), alice, verdict)

    (first, *_) = page_for(lead).fields

    assert (first.label, first.figure.counted) == ("Risk level", "2 of 3")
    assert first.figure.is_few
    assert "cannot tell yet: fewer than 20 labels" in sign_in(lead).get("/lead/").content.decode()


def test_a_page_on_which_the_newest_week_is_long_past_says_so(organisation, lead):
    make_item(organisation, answered_at="2026-02-03T12:00:00Z")

    assert "The newest answer is of 3 Feb 2026." in sign_in(lead).get("/lead/").content.decode()


def test_weeks_are_compared_by_model_and_prompt(organisation, alice, lead):
    for day in (DAY, DAY - timedelta(days=7)):
        item = make_item(organisation, model="model-x", prompt_version="p9", answered_at=f"{day}T12:00:00Z")
        if day == DAY:
            claim_words(item, alice, now=timezone.now())
        finish(item, alice, Verdict.WRONG)

    (row,) = page_for(lead).comparisons

    assert (row.model, row.prompt) == ("model-x", "p9")
    changes = {change.title: (change.before.counted, change.now.counted, change.badge) for change in row.changes}
    assert changes["Not in the record"] == ("0 of 1", "1 of 1", OPEN)
    assert changes["Labels wrong or misstated"][0] == changes["Labels wrong or misstated"][1]


def test_labels_are_counted_by_field_and_by_model_not_by_both(organisation, alice, lead):
    """Records name as many of both as they like: the page reads their sum, not their product."""
    for number in range(3):
        finish(make_item(organisation, model=f"model {number}", answered_at=f"{DAY}T12:00:00Z"), alice)
    finish(make_item(organisation, model="model 3", answered_at=f"{DAY - timedelta(days=20)}T12:00:00Z"), alice)

    labelled = read_labelled(lead, Period(DAY - timedelta(days=13), DAY), DAY - timedelta(days=7), DAY - timedelta(days=27))

    fields, models = ([each for each in labelled if each.is_of_field is is_of_field] for is_of_field in (True, False))
    assert len({(each.section, each.path) for each in fields}) == len(fields)
    assert sorted(each.model for each in models if each.is_this_week) == ["model 0", "model 1", "model 2"]
    assert sum(each.labels for each in fields) == sum(each.labels for each in models)


@pytest.mark.parametrize(
    ("before", "now", "badge"),
    [
        ((4, 100), (30, 100), WORSE),
        ((30, 100), (4, 100), BETTER),
        ((9, 100), (10, 100), OPEN),
        ((0, 5), (5, 5), OPEN),
        ((0, 0), (5, 50), OPEN),
    ],
)
def test_a_change_is_told_only_if_it_is_clear(before, now, badge):
    change = change_of("Contradiction", QualityShare(*before, ""), QualityShare(*now, ""))

    assert change.badge is badge
    low, high = difference(QualityShare(*now, ""), QualityShare(*before, ""))
    assert (-high, -low) == pytest.approx(change.reach)


def test_answers_under_blind_review_are_in_no_figure_of_labels(organisation, alice, bob, lead):
    item = make_item(organisation)
    run_blind(lead)
    review(item, alice, Verdict.WRONG)
    assert not page_for(lead).fields

    review(item, bob, Verdict.WRONG)

    assert page_for(lead).fields


def test_only_leads_see_it(alice):
    assert sign_in(alice).get("/lead/").status_code == 403


@pytest.mark.parametrize("query", ["until=2026-02-30", "until=0001-01-01", "until=9999-12-31", "until=2026-03-01"])
def test_odd_days_are_read_as_far_as_they_go(organisation, lead, query):
    make_item(organisation)

    assert sign_in(lead).get(f"/lead/?{query}").status_code == 200


def test_it_takes_as_many_statements_however_much_there_is(organisation, alice, lead):
    client = sign_in(lead)
    few = len(statements_of(lambda: client.get("/lead/")))
    for number in range(4):
        finish(make_item(organisation, model=f"model {number}"), alice)

    assert len(statements_of(lambda: client.get("/lead/"))) <= few + 1
