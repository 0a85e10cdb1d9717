"""A profile's page answers an auditor's questions."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from reviewers.accounts.models import Role
from reviewers.calibration.pages.profile import build_profile
from reviewers.quality.alarms import acknowledge
from reviewers.quality.models import Alarm
from reviewers.quality.watches import update_precision_watches
from reviewers.review.models import Verdict
from tests.calibration.labelled import make_active, make_answer, make_proposed, review_as
from tests.calibration.standing import Standing
from tests.factories import NOW, make_item, make_member, sign_in
from tests.markup import read_markup
from tests.review.plans.planning import review, run_plan
from tests.statements import statements_of

MOST = 17
RISK = {"response": "Your risk is elevated.", "context": {"safety": {"risk_level": "elevated"}}}


def answers_of(profile, by) -> dict[str, str]:
    page = read_markup(sign_in(by).get(f"/calibration/profiles/{profile.pk}/"))
    rows = page.one("table", class_="plain facts audited").one("tbody").find("tr")
    return {row.one("th").text: row.one("td").text for row in rows}


@pytest.fixture
def standing(organisation):
    return Standing(organisation)


def test_each_question_has_its_answer_with_names_shares_and_dates(lead, other_lead, alice, auditor):
    profile = make_active(lead, other_lead, alice)

    told = answers_of(profile, auditor)

    assert "0 of 120 were given blind. By Alice Aldous (120)" in told["Whose labels are they?"]
    assert "No: no plan drew the answers." in told["Was it settled beforehand which are drawn?"]
    assert "0.90 are right as they were labelled" in told["Is the sample lopsided?"]
    assert f"gives {profile.name} on any machine" in told["Can the numbers be made again?"]
    assert "Liv Larsen" in told["Who decided on it, having seen what?"]
    assert "of 4 messages change, from the comparison with the scores" in told["Who decided on it, having seen what?"]
    assert "No audit label on its confidences tells yet." in told["Does it still hold?"]
    assert "Never: none were kept apart." in told["How often were the same audits looked at?"]
    assert "New answers had this one from" in told["What stood on a screen then?"]
    assert len(statements_of(partial(sign_in(auditor).get, f"/calibration/profiles/{profile.pk}/"))) <= MOST


def test_plans_that_drew_the_answers_are_named_and_so_is_how_many_none_drew(lead, alice, auditor):
    drawn = make_answer(alice, 7)
    run_plan(lead, name="Every answer of March", overlap=1)
    review_as(drawn, alice, 7)
    profile = make_proposed(lead, alice)

    said = answers_of(profile, auditor)["Was it settled beforehand which are drawn?"]
    assert said.startswith("Every answer of March, ")
    assert "No plan drew 4 of the answers." in said


def test_a_proposal_says_that_nothing_rests_on_it(standing, auditor):
    told = answers_of(standing.proposed, auditor)

    assert told["Who decided on it, having seen what?"] == "Nobody yet."
    assert told["Does it still hold?"] == "Nobody has approved it, so nothing rests on it."
    assert told["What stood on a screen then?"].endswith("No answer ever had this one.")


def test_the_watch_over_its_precision_and_alarms_that_rest_are_told(standing, auditor):
    items = [make_item(standing.organisation, model=standing.model, conversation_id=f"audit {each}", **RISK) for each in range(14)]
    plan = {"name": "The audit", "overlap": 1, "is_blind": True, "stream": "audit"}
    run_plan(standing.lead, **plan, candidates={"facets": {"model": [standing.model]}})
    reviewer = make_member(standing.organisation, Role.REVIEWER, "Rhea Roth")
    for item in items[:2]:
        review(item, reviewer, Verdict.CORRECT, now=NOW)
    later = NOW + timedelta(days=2)
    update_precision_watches(organisation_id=standing.organisation.pk, now=later)
    assert "Audits of 2 conversations, 4 March 2026: 100% right" in answers_of(standing.active, auditor)["Does it still hold?"]

    for item in items[2:]:
        review(item, reviewer, Verdict.WRONG, now=later)
    update_precision_watches(organisation_id=standing.organisation.pk, now=later + timedelta(days=2))
    acknowledge(alarm_id=Alarm.objects.get().pk, reason="the guide was another one", by=standing.lead, now=later)

    said = answers_of(standing.active, auditor)["Does it still hold?"]
    assert "Alarm on" in said
    assert "Lena Lind let it rest" in said
    assert "the guide was another one" in said


def test_an_old_profile_that_nobody_audits_is_worth_a_doubt(standing, auditor):
    page = build_profile(standing.active, standing.lead, NOW + timedelta(days=100))

    assert page.audit.standing.doubts == (
        "100 days old, and 90 are the most",
        "0 audit labels in 30 days, and 30 are the fewest",
    )
