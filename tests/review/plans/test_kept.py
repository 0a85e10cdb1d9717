"""The database keeps the promises of plans, whoever writes to it."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.models import Lease, Plan, QueueItem, Submission
from reviewers.review.plans.actions import start_plan, stop_plan
from tests.factories import NOW, make_item
from tests.review.plans.planning import make_plan, review, run_blind

CHANGES = {
    "name": "Another name",
    "overlap": 3,
    "is_blind": False,
    "seed": "another",
    "rule": "majority",
    "due_on": "2030-01-01",
    "candidates": {"facets": {}},
    "triggers": {"below": 0.5},
    "stream": "boost",
    "state": "draft",
}


def refusal(change) -> psycopg.Error:
    """The database's reason not to make a change, those included that it would look at only in the end."""

    def change_and_look() -> None:
        change()
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        change_and_look()
    return refused.value.__cause__


@pytest.mark.parametrize("column", CHANGES)
def test_a_plan_that_runs_stays_as_it_is(item, lead, column):
    plan = run_blind(lead)

    refused = refusal(lambda: Plan.objects.filter(pk=plan.pk).update(**{column: CHANGES[column]}))

    assert isinstance(refused, (psycopg.errors.RestrictViolation, psycopg.errors.CheckViolation))


def test_one_that_has_ended_does_not_change_at_all(item, lead):
    plan = run_blind(lead)
    stop_plan(plan_id=plan.pk, by=lead, now=NOW)

    for change in ({"ended_at": NOW + timedelta(days=1)}, {"state": "finished"}, {"watched_until": None}):
        assert isinstance(refusal(lambda change=change: Plan.objects.update(**change)), psycopg.errors.RestrictViolation)
    with pytest.raises(Refused, match="has ended already"):
        stop_plan(plan_id=plan.pk, by=lead, now=NOW)
    with pytest.raises(Refused, match="started already"):
        start_plan(plan_id=plan.pk, by=lead, now=NOW)


def test_no_plan_is_deleted(lead):
    make_plan(lead)

    with connection.cursor() as cursor:
        assert "never deleted" in str(refusal(lambda: cursor.execute("DELETE FROM review_plan")))


def test_an_item_has_the_terms_of_its_plan(item, lead):
    run_blind(lead)

    refused = refusal(lambda: QueueItem.objects.update(overlap=5))

    assert refused.diag.constraint_name == "item_has_its_plans_terms"
    assert refusal(lambda: QueueItem.objects.update(is_blind=False)).diag.constraint_name == "item_has_its_plans_terms"


def lease(item, member, slot, overlap=2):
    times = {"taken_at": NOW, "expires_at": NOW}
    Lease.objects.create(organisation=member.organisation, item=item, slot=slot, overlap=overlap, holder=member.user, **times)


def test_a_lease_has_the_overlap_of_its_item_and_a_slot_within_it(item, lead, alice, bob):
    run_blind(lead)

    assert refusal(lambda: lease(item, alice, 3)).diag.constraint_name == "slot_within_overlap"
    assert refusal(lambda: lease(item, alice, 3, overlap=3)).diag.constraint_name == "lease_has_its_items_overlap"
    lease(item, alice, 2)
    assert refusal(lambda: lease(item, bob, 2)).diag.constraint_name == "one_lease_a_slot"
    assert refusal(lambda: lease(item, alice, 1)).diag.constraint_name == "one_lease_a_holder"


def test_nobody_takes_a_slot_that_somebody_finished_in_nor_an_item_that_they_finished(item, lead, alice, bob):
    run_blind(lead)
    review(item, alice)

    assert refusal(lambda: lease(item, bob, 1)).diag.constraint_name == "slot_is_free"
    assert refusal(lambda: lease(item, alice, 2)).diag.constraint_name == "slot_is_free"


def test_nobody_submits_in_a_slot_that_there_is_not_or_that_another_holds(item, lead, alice, bob):
    run_blind(lead)
    actions.take(item_id=item.pk, by=alice, now=NOW)

    def submit(slot):
        Submission.objects.create(
            organisation=bob.organisation, snapshot_id=item.pk, reviewer=bob.user, slot=slot, submitted_at=NOW, label_count=0, digest=b""
        )

    assert refusal(lambda: submit(3)).diag.constraint_name == "slot_of_item"
    assert refusal(lambda: submit(1)).diag.constraint_name == "slot_is_own"


def test_a_plan_with_items_under_way_cannot_be_left_with_more_holders_than_one(organisation, lead, alice, bob):
    item = make_item(organisation)
    run_blind(lead)
    for reviewer in (alice, bob):
        actions.take(item_id=item.pk, by=reviewer, now=NOW)

    refused = refusal(lambda: QueueItem.objects.update(plan=None, overlap=1, is_blind=False))

    assert refused.diag.constraint_name == "slot_within_overlap"
