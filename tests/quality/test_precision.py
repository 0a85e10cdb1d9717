"""Audit labels are held against the confidences that were given: where these promise too much, the profile is suspended."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reviewers.accounts.models import Role
from reviewers.calibration.lifecycle.active_profiles import lift_suspension, suspend_by_hand
from reviewers.calibration.models import Suspension
from reviewers.quality.alarms import acknowledge
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.quality.watches import update_precision_watches, update_watches
from reviewers.review.models import Verdict
from tests.calibration.standing import Standing, approve
from tests.factories import NOW, make_item, make_member, sign_in
from tests.markup import read_markup
from tests.review.deciding.cases import decide_all
from tests.review.plans.planning import review, run_plan

LATER = NOW + timedelta(days=2)
RISK = {"response": "Your risk is elevated.", "context": {"safety": {"risk_level": "elevated"}}}


@pytest.fixture
def standing(organisation):
    return Standing(organisation)


def audit(standing, verdict: Verdict, count: int, at=NOW, begin: int = 0, **names: str) -> None:
    """So many conversations under the active profile, drawn for the audit and labelled alike."""
    numbers = range(begin, begin + count)
    items = [make_item(standing.organisation, model=standing.model, conversation_id=f"audit {each}", **names, **RISK) for each in numbers]
    run_plan(standing.lead, overlap=1, is_blind=True, stream="audit", candidates={"facets": {"model": [standing.model]}})
    reviewer = make_member(standing.organisation)
    for item in items:
        review(item, reviewer, verdict, now=at)


def look_later(standing, now=LATER) -> int:
    return update_precision_watches(organisation_id=standing.organisation.pk, now=now)


def test_labels_that_are_right_as_often_as_promised_raise_nothing(standing):
    audit(standing, Verdict.CORRECT, 10)

    assert look_later(standing) == 0
    watch = Watch.objects.get(figure=Watched.PRECISION)
    assert (watch.trials, watch.hits, watch.profiles) == (10, 0, standing.active.name)
    assert max(watch.wealths) < 1


def test_labels_that_are_wrong_raise_an_alarm_that_suspends_the_profile(standing):
    audit(standing, Verdict.WRONG, 10)

    assert look_later(standing) == 1
    alarm = Alarm.objects.get()
    assert (alarm.figure, alarm.trials, alarm.hits) == ("precision", 10, 10)
    suspension = Suspension.objects.get()
    assert (suspension.profile_id, suspension.alarm) == (standing.active.pk, alarm.pk)
    assert suspension.because.startswith("Audit labels of 10 conversations found 0% right, where at least 7")
    page = read_markup(sign_in(standing.lead).get("/quality/"))
    assert "The profile is suspended" in page.text
    assert "0% of 10 conversations" in page.text


def test_a_profile_is_watched_by_the_labels_of_its_own_schema_alone(standing):
    other = Standing(standing.organisation, schema="another schema")
    audit(standing, Verdict.CORRECT, 2)
    audit(other, Verdict.WRONG, 10, begin=100, schema_version=other.schema)

    assert look_later(standing) == 1
    assert Suspension.objects.get().profile_id == other.active.pk
    alarm = Alarm.objects.get()
    assert (alarm.schema_version, alarm.trials) == (other.schema, 10)
    beside = Watch.objects.get(schema_version="")
    assert (beside.trials, beside.hits, beside.profiles, beside.alarm_id) == (2, 0, standing.active.name, None)
    page = read_markup(sign_in(standing.lead).get("/quality/"))
    assert f"Audit precision: calibrated, prompt 1, {alarm.schema_version}" in page.text


def test_what_a_lead_decided_between_reviewers_is_held_against_the_confidence(standing):
    item = make_item(standing.organisation, model=standing.model, conversation_id="differed", **RISK)
    run_plan(standing.lead, overlap=2, is_blind=True, stream="audit", candidates={"facets": {"model": [standing.model]}})
    for verdict in (Verdict.CORRECT, Verdict.WRONG):
        review(item, make_member(standing.organisation), verdict, now=NOW)
    decide_all(item, standing.lead, Verdict.WRONG)

    look_later(standing)

    watch = Watch.objects.get(figure=Watched.PRECISION)
    assert (watch.trials, watch.hits) == (1, 1)


def test_a_watch_stands_still_while_its_profile_is_suspended_by_hand_and_goes_on_where_it_was(standing):
    audit(standing, Verdict.WRONG, 2)
    look_later(standing)
    suspend_by_hand(profile_id=standing.active.pk, reason="let me look", by=standing.lead, now=LATER)
    audit(standing, Verdict.WRONG, 1, LATER, begin=50)
    look_later(standing, LATER + timedelta(days=2))
    assert Watch.objects.get(figure=Watched.PRECISION).trials == 2

    lift_suspension(profile_id=standing.active.pk, reason="nothing", by=standing.lead, now=LATER)
    audit(standing, Verdict.WRONG, 1, LATER + timedelta(days=3), begin=60)
    look_later(standing, LATER + timedelta(days=5))
    assert Watch.objects.get(figure=Watched.PRECISION).trials == 3


def test_labels_on_answers_of_the_profile_before_say_nothing_of_the_one_that_is_active_now(standing):
    before = standing.active
    audit(standing, Verdict.WRONG, 10)
    approve(standing.proposed, make_member(standing.organisation, Role.LEAD, "Lorna Lake"))

    assert look_later(standing) == 0
    watch = Watch.objects.get(figure=Watched.PRECISION)
    assert (watch.trials, watch.profiles) == (0, standing.proposed.name)
    assert before.name != standing.proposed.name
    assert not Suspension.objects.exists()


def test_a_day_is_looked_at_once_and_only_once_it_is_over(standing):
    audit(standing, Verdict.WRONG, 3)

    assert look_later(standing, NOW) == 0
    assert not Watch.objects.filter(figure=Watched.PRECISION).exists()
    for _ in range(2):
        look_later(standing)
    assert Watch.objects.get(figure=Watched.PRECISION).trials == 3


def test_an_alarm_that_is_acknowledged_begins_its_watch_anew(standing):
    audit(standing, Verdict.WRONG, 10)
    look_later(standing)

    acknowledge(alarm_id=Alarm.objects.get().pk, reason="the guide was another one", by=standing.lead, now=LATER)

    watch = Watch.objects.get(figure=Watched.PRECISION)
    assert (watch.alarm_id, watch.trials, watch.wealths) == (None, 0, [])
    assert update_watches(organisation_id=standing.organisation.pk, now=LATER) == 0
