"""Running plans take in what their triggers call for, once, as it comes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.models import Draw, PlanItem, PlanState, QueueItem
from reviewers.review.plans import policies
from reviewers.review.plans.actions import extend_running_plans, stop_plan
from reviewers.review.plans.sampling import Design, Triggers, bin_of, strata_of
from tests.events import events
from tests.factories import NOW, make_item
from tests.review.plans.planning import run_plan

WRONG_FIT = {"response": "The fit comes out at 35%, and your risk is elevated [[SF:risk_level]]."}
LATER = NOW + timedelta(minutes=1)


def wait_for(lead, **triggers):
    return run_plan(lead, design=Design(Draw.TRIGGERED), triggers=Triggers(**triggers), overlap=2)


@pytest.mark.parametrize(
    ("triggers", "record", "words"),
    [
        ({"below": 0.99}, {}, "confidence below 0.99"),
        ({"missing": ("provider_genome.fee_range",)}, {}, "provider_genome.fee_range not found"),
        ({"guardrails": ("contradicted",)}, WRONG_FIT, "guardrail contradicted"),
    ],
)
def test_an_answer_that_comes_later_is_called_in(organisation, lead, triggers, record, words):
    plan = wait_for(lead, **triggers)
    called = make_item(organisation, **record)

    assert extend_running_plans(now=LATER) == 1
    assert extend_running_plans(now=LATER) == 0

    (drawn,) = PlanItem.objects.filter(plan=plan)
    assert (drawn.item_id, drawn.probability, drawn.trigger, drawn.stratum) == (called.pk, 1, words, f"called: {words}")
    assert QueueItem.objects.get().overlap == 2
    (event,) = events("plan.extended")
    assert event["details"] == {"items": [str(called.pk)]}
    assert event["actor"]["kind"] == "system"


def test_what_nothing_calls_for_stays_out(organisation, lead):
    wait_for(lead, guardrails=("contradicted",), missing=("safety.risk_level",), below=0.01)
    make_item(organisation)

    assert extend_running_plans(now=LATER) == 0


def test_answers_are_read_without_keeping_their_reviewers_waiting(organisation, lead):
    """So many that came in ten minutes are read each minute: locked meanwhile, none of them could be labelled."""
    wait_for(lead, below=0.01)
    make_item(organisation)

    with CaptureQueriesContext(connection) as ran:
        assert extend_running_plans(now=LATER) == 0

    assert not [each["sql"] for each in ran if "FOR UPDATE" in each["sql"] and 'FROM "review_queueitem"' in each["sql"]]


def test_what_somebody_has_begun_is_left_to_them(organisation, lead, alice):
    wait_for(lead, below=0.99)
    actions.take(item_id=make_item(organisation).pk, by=alice, now=LATER)

    assert extend_running_plans(now=LATER) == 0


def test_answers_there_already_are_called_when_the_plan_starts(organisation, lead):
    make_item(organisation)

    plan = wait_for(lead, below=0.99)

    assert PlanItem.objects.get().plan == plan
    assert events("plan.started")[0]["details"]["called"] == 1


def test_a_plan_that_was_stopped_waits_for_nothing(organisation, lead):
    plan = wait_for(lead, below=0.99)
    stop_plan(plan_id=plan.pk, by=lead, now=NOW)
    make_item(organisation)

    assert extend_running_plans(now=LATER) == 0


def test_answers_of_other_organisations_are_not_called_in(lead, charlie):
    wait_for(lead, below=0.99)
    make_item(charlie.organisation)

    assert extend_running_plans(now=LATER) == 0


@pytest.mark.parametrize(
    ("confidence", "words"), [(1, "0.90 and above"), (0.9, "0.90 and above"), (0.7, "0.70 to 0.90"), (0, "below 0.50")]
)
def test_confidence_falls_into_a_bin(confidence, words):
    assert bin_of(confidence) == words


def test_an_answer_without_found_rows_has_a_stratum_of_its_own():
    assert strata_of({"fields": [{"section": "a", "path": "b", "field_type": "enum", "track": "neither"}]}) == {"nothing found"}


def test_so_many_plans_of_an_organisation_wait_for_answers_at_most(item, lead, monkeypatch):
    monkeypatch.setattr(policies, "MOST_WATCHING", 1)
    run_plan(lead, design=Design(Draw.TRIGGERED), triggers=Triggers(below=0.1))

    with pytest.raises(Refused, match="no more may"):
        run_plan(lead, design=Design(Draw.TRIGGERED), triggers=Triggers(below=0.1))

    assert run_plan(lead, design=Design(Draw.ALL)).state == PlanState.RUNNING
