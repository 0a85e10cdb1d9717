"""A plan from its start to its end: made, started, reviewed by two who know nothing of each other."""

from __future__ import annotations

import pytest

from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.leases import LEASE_LENGTH, take_next
from reviewers.review.models import Label, Lease, Phase, Plan, PlanItem, PlanState, QueueItem, Rule, State, Submission, Verdict
from reviewers.review.plans.actions import stop_plan
from tests.events import actions_of, events
from tests.factories import BOTH, NOW, as_seen_by, choose, make_item, make_member, sign_in
from tests.review.plans.planning import label_all, make_plan, review, run_blind, run_plan


@pytest.fixture
def carol(organisation):
    return make_member(organisation, name="Carol Cray")


def phase_of(item):
    return QueueItem.objects.get(pk=item.pk).phase


def test_two_reviewers_finish_an_item_one_after_the_other(organisation, lead, alice, bob):
    item = make_item(organisation, **BOTH)
    plan = run_blind(lead)

    review(item, alice)

    half = QueueItem.objects.get(pk=item.pk)
    assert (half.state, half.phase, half.submitted_by) == (State.TO_DO, Phase.INDEPENDENT, None)
    review(item, bob)

    done = QueueItem.objects.get(pk=item.pk)
    assert (done.state, done.phase, done.submitted_by) == (State.SUBMITTED, Phase.COMPLETE, bob.user)
    assert set(Submission.objects.values_list("reviewer", "slot")) == {(alice.user_id, 1), (bob.user_id, 2)}
    assert Plan.objects.get(pk=plan.pk).state == PlanState.FINISHED
    assert actions_of(events())[-4:] == ["citation_label.saved", "review.submitted", "lease.released", "plan.finished"]


def test_two_reviewers_hold_an_item_at_once_and_a_third_is_told_why_not(item, lead, alice, bob, carol):
    run_blind(lead)
    for reviewer in (alice, bob):
        actions.take(item_id=item.pk, by=reviewer, now=NOW)

    with pytest.raises(Refused, match="is reviewing this answer"):
        actions.take(item_id=item.pk, by=carol, now=NOW)

    assert set(Lease.objects.values_list("holder", "slot")) == {(alice.user_id, 1), (bob.user_id, 2)}
    actions.let_go(item_id=item.pk, by=alice, now=NOW)
    actions.take(item_id=item.pk, by=carol, now=NOW)
    assert Lease.objects.get(holder=carol.user).slot == 1


def test_a_slot_that_somebody_finished_in_is_free_for_nobody(item, lead, alice, bob, carol):
    run_blind(lead)
    review(item, alice)
    actions.take(item_id=item.pk, by=bob, now=NOW)

    with pytest.raises(Refused, match="Bob Birch is reviewing this answer"):
        actions.take(item_id=item.pk, by=carol, now=NOW)
    assert take_next(candidates=QueueItem.objects.all(), by=carol, now=NOW) is None


def test_nobody_reviews_an_item_twice(item, lead, alice):
    run_blind(lead)
    review(item, alice)

    assert take_next(candidates=QueueItem.objects.all(), by=alice, now=NOW) is None
    with pytest.raises(Refused, match="has been submitted"):
        actions.take(item_id=item.pk, by=alice, now=NOW)


def test_a_hold_that_has_run_out_frees_its_slot(item, lead, alice, bob, carol):
    run_blind(lead)
    for reviewer in (alice, bob):
        actions.take(item_id=item.pk, by=reviewer, now=NOW)

    later = NOW + LEASE_LENGTH
    assert take_next(candidates=QueueItem.objects.all(), by=carol, now=later) == item.pk
    assert Lease.objects.get().holder == carol.user


def test_labels_that_differ_make_an_item_a_conflict(item, lead, alice, bob):
    plan = run_blind(lead)
    review(item, alice, Verdict.CORRECT)
    review(item, bob, Verdict.WRONG)

    assert phase_of(item) == Phase.CONSOLIDATING
    assert Plan.objects.get(pk=plan.pk).state == PlanState.RUNNING


@pytest.mark.parametrize(("rule", "phase"), [(Rule.MAJORITY, Phase.COMPLETE), (Rule.UNANIMOUS, Phase.CONSOLIDATING)])
def test_a_majority_is_enough_where_the_plan_says_so(item, lead, alice, bob, carol, rule, phase):
    run_blind(lead, overlap=3, rule=rule)
    for reviewer, verdict in ((alice, Verdict.CORRECT), (bob, Verdict.WRONG), (carol, Verdict.WRONG)):
        review(item, reviewer, verdict)

    assert phase_of(item) == phase


def test_where_a_lead_decides_agreeing_reviewers_do_not(item, lead, alice, bob):
    run_blind(lead, rule=Rule.LEAD)
    review(item, alice)
    review(item, bob)

    assert phase_of(item) == Phase.CONSOLIDATING


def test_an_own_label_can_be_changed_with_a_reason_while_others_still_work(item, lead, alice, bob):
    run_blind(lead)
    review(item, alice)

    changed = actions.save_label(choice=choose(item, 0, "looked again"), verdict=Verdict.WRONG, by=alice, now=NOW)

    assert changed.labels[-1].reason == "looked again"
    with pytest.raises(Refused, match="needs a reason"):
        actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW)
    assert not as_seen_by(bob, item).labels


def test_who_has_no_review_of_it_cannot_change_a_finished_item(item, lead, alice, bob, carol):
    run_blind(lead)
    for reviewer in (alice, bob):
        review(item, reviewer)

    with pytest.raises(Refused, match="Somebody else has submitted"):
        actions.save_label(choice=choose(item, 0, "why not"), verdict=Verdict.WRONG, by=carol, now=NOW)


def test_a_plan_that_is_stopped_keeps_finished_reviews_and_gives_the_rest_back(organisation, lead, alice, bob):
    begun, untouched = make_item(organisation), make_item(organisation)
    plan = run_blind(lead)
    review(begun, alice)
    actions.take(item_id=untouched.pk, by=bob, now=NOW)

    stop_plan(plan_id=plan.pk, by=lead, now=NOW)

    begun, untouched = (QueueItem.objects.get(pk=each.pk) for each in (begun, untouched))
    assert (begun.state, begun.phase, begun.submitted_by, begun.plan_id) == (State.SUBMITTED, Phase.COMPLETE, alice.user, plan.pk)
    assert (untouched.state, untouched.plan_id, untouched.overlap, untouched.is_blind) == (State.TO_DO, None, 1, False)
    assert not Lease.objects.exists()
    assert PlanItem.objects.count() == 2, "what was drawn stays on record"
    assert actions_of(events())[-2:] == ["lease.released", "plan.stopped"]


def test_what_somebody_has_begun_or_another_plan_has_is_left_out(organisation, lead, alice, bob):
    labelled, held, _planned, free = (make_item(organisation, model=name) for name in ("m", "m", "planned", "m"))
    run_plan(lead, candidates={"facets": {"model": ["planned"]}})
    label_all(labelled, alice)
    actions.let_go(item_id=labelled.pk, by=alice, now=NOW)
    actions.take(item_id=held.pk, by=bob, now=NOW)

    plan = run_plan(lead)

    assert [each.item_id for each in plan.items.all()] == [free.pk]


def test_nothing_to_draw_is_refused_and_the_plan_stays_a_draft(lead):
    plan = make_plan(lead)

    with pytest.raises(Refused, match="nothing to draw"):
        run_plan(lead)

    assert Plan.objects.get(pk=plan.pk).state == PlanState.DRAFT
    response = sign_in(lead).post(f"/plans/{plan.pk}/start/")
    assert response.status_code == 409
    assert "There is nothing to draw" in response.content.decode()


def test_labels_say_for_which_plan_and_whether_blind(item, lead, alice, bob):
    plan = run_blind(lead)
    review(item, alice)
    actions.save_label(choice=choose(item, 0, "looked again"), verdict=Verdict.WRONG, by=alice, now=NOW)

    *before, after = Label.objects.order_by("id")
    assert {(label.shown["blind"], label.shown["plan"]) for label in before} == {(True, str(plan.pk))}
    assert after.shown["blind"] is False, "once submitted she saw what the engine says"


def test_who_skips_an_item_that_others_review_too_puts_it_aside_for_themselves_alone(item, lead, alice, bob):
    run_blind(lead)
    actions.take(item_id=item.pk, by=alice, now=NOW)

    actions.skip(item_id=item.pk, reason="I know her", by=alice, now=NOW)

    offered = QueueItem.objects.filter(organisation=alice.organisation)
    assert QueueItem.objects.get(pk=item.pk).state == "to_do"
    assert take_next(candidates=offered, by=alice, now=NOW) is None
    assert take_next(candidates=offered, by=bob, now=NOW) == item.pk
    assert "I know her" not in sign_in(bob).get(f"/items/{item.pk}/").content.decode()

    actions.take(item_id=item.pk, by=alice, now=NOW)
    actions.let_go(item_id=item.pk, by=alice, now=NOW)
    assert take_next(candidates=offered, by=alice, now=NOW) == item.pk, "taken up again, it is aside no more"


def test_an_item_that_one_reviews_is_skipped_as_ever(item, lead, alice):
    run_plan(lead, overlap=1)

    actions.skip(item_id=item.pk, reason="I know her", by=alice, now=NOW)

    assert QueueItem.objects.get(pk=item.pk).state == "skipped"
