"""Pages offer and list so many plans, runs and invitations, however many there are."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reviewers.accounts import queries as account_queries
from reviewers.accounts.models import Invitation
from reviewers.calibration.judge import views as judge_views
from reviewers.review.legal_holds import views as hold_views
from reviewers.review.models import Plan
from reviewers.review.plans import queries
from tests.calibration.judged import make_plan_over, make_run
from tests.factories import NOW, make_item
from tests.review.plans.planning import make_plan, run_plan

MOST = 2


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    for module in (queries, judge_views, hold_views):
        monkeypatch.setattr(module, "MOST_OFFERED", MOST)
    monkeypatch.setattr(judge_views, "MOST_RUNS", MOST)
    monkeypatch.setattr(account_queries, "MOST_INVITATIONS", MOST)


def make_plans(lead) -> list[Plan]:
    models = [make_item(lead.organisation, model=f"model-{number}").snapshot.model for number in range(MOST + 2)]
    return [run_plan(lead, candidates={"facets": {"model": [model]}}) for model in models]


def test_the_queue_offers_the_plans_that_are_due_first_and_the_chosen_one(lead):
    plans = make_plans(lead)

    offered = queries.choices_of(lead.organisation, frozenset({plans[-1].pk}))

    assert [each.id for each in offered] == [plans[0].pk, plans[1].pk, plans[-1].pk]


def test_a_hold_offers_the_newest_plans_and_takes_any_that_was_chosen(lead):
    plans, kept = [make_plan(lead, name=f"Plan {number}") for number in range(MOST + 2)], {"kind": "plan", "reason": "A request"}
    oldest = str(plans[0].pk)

    empty = hold_views.HoldForm(organisation_id=lead.organisation_id)
    posted = hold_views.HoldForm({**kept, "plan": oldest}, organisation_id=lead.organisation_id)

    assert [key for key, _ in empty.fields["plan"].choices] == ["", str(plans[3].pk), str(plans[2].pk)]
    assert posted.is_valid()
    assert not hold_views.HoldForm({**kept, "plan": "no plan"}, organisation_id=lead.organisation_id).is_valid()


def test_the_judge_offers_the_newest_plans_and_lists_the_newest_runs(lead):
    plans = make_plans(lead)
    run = make_run(lead, make_plan_over(lead))
    fields = {each.attname: getattr(run, each.attname) for each in run._meta.concrete_fields if not each.primary_key}
    for _ in range(MOST):
        type(run).objects.create(**fields | {"finished_at": NOW})

    assert plans[0] not in judge_views.list_plans(lead.organisation_id)
    assert len(judge_views.list_plans(lead.organisation_id)) == MOST
    assert len(judge_views.list_runs(lead.organisation_id)) == MOST


def test_the_newest_open_invitations_are_listed(lead):
    for number in range(MOST + 1):
        at = NOW + timedelta(minutes=number)
        terms = {"role": "reviewer", "created_at": at, "expires_at": at + timedelta(days=3)}
        Invitation.objects.create(organisation=lead.organisation, email=f"{number}@clinic.example", **terms)

    listed = account_queries.list_open_invitations(lead.organisation, NOW)

    assert [each.email for each in listed] == ["2@clinic.example", "1@clinic.example"]
