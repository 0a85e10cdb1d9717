"""The demonstration's plan is one as it could have come about."""

from __future__ import annotations

from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation
from reviewers.demonstration.loader import NAME, SIZE, load
from reviewers.review.models import ControlRow, Decision, Phase, Plan, QueueItem
from reviewers.review.plans.queries import PlanProgress, list_plans
from reviewers.web.tenancy import tenant


def test_two_reviewers_are_in_the_middle_of_a_blind_plan(db, tmp_path):
    sign_ins, _ = load(folder=tmp_path, now=timezone.now())
    tenant.enter(Organisation.objects.get().pk)

    plan = Plan.objects.get()
    assert (plan.name, plan.overlap, plan.is_blind, plan.state) == (NAME, 2, True, "running")
    phases = QueueItem.objects.filter(plan=plan).values_list("phase", flat=True)
    assert sorted(phases) == sorted([Phase.CONSOLIDATING] + [Phase.COMPLETE] * 2 + [Phase.INDEPENDENT] * (SIZE - 3))
    assert {row.is_right for row in ControlRow.objects.all()} == {True, False}
    assert [each.email for each in sign_ins].count("second-reviewer@harborlights.example") == 1
    second = Membership.objects.get(user__email="second-reviewer@harborlights.example")
    (row,) = list_plans(second, timezone.now())
    assert row.progress == PlanProgress(to_do=SIZE - 3, conflicted=1, done=2, mine=3)
    assert Decision.objects.get().decided_by.email == "lead@harborlights.example"


def test_loading_again_names_the_same_people(db, tmp_path):
    first = load(folder=tmp_path, now=timezone.now())

    assert load(folder=tmp_path, now=timezone.now()) == first
