"""Verifying compares where items are in the queue with what was said and decided of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import Sum

from attribution import DEFAULT_PROFILE, read_profile
from reviewers.ledger.hooks import run_verification_checks
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.review.labels import actions
from reviewers.review.models import Phase, QueueItem, State, Tally, Verdict
from reviewers.review.plans.actions import stop_plan
from reviewers.review.queue.actions import switch_attribution
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.reattribution import attribute_again
from tests.factories import NOW, make_item, make_member
from tests.review.deciding.cases import BRIEF, decide_all, make_conflict
from tests.review.plans.planning import review, run_blind
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact

DRAWN = {"candidates": {"facets": {"model": ["drawn"]}}}


def test_a_conflict_that_is_said_to_be_resolved_is_named(organisation):
    item = make_conflict(organisation)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(phase=Phase.COMPLETE)

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column phase"):
        run_verification_checks(organisation.pk)


def test_an_item_that_waits_for_a_lead_without_a_conflict_is_named(organisation, lead):
    item = make_conflict(organisation)
    decide_all(item, lead)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(phase=Phase.CONSOLIDATING)

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column phase"):
        run_verification_checks(organisation.pk)


def test_one_review_alone_never_waits_for_a_lead(organisation, alice):
    item = make_item(organisation)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(phase=Phase.CONSOLIDATING)

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column phase"):
        run_verification_checks(organisation.pk)


def test_another_reason_for_skipping_than_was_given_is_named(organisation, alice):
    item = make_item(organisation)
    actions.skip(item_id=item.pk, reason="not mine", by=alice, now=NOW)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(skip_reason="never mind")

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column skip_reason"):
        run_verification_checks(organisation.pk)


def test_words_in_the_place_of_a_redacted_reason_are_named(organisation, alice):
    item = make_item(organisation)
    actions.skip(item_id=item.pk, reason="a xylophone is too loud", by=alice, now=NOW)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, "skip."), lead, administrator)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(skip_reason="never mind")

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column skip_reason"):
        run_verification_checks(organisation.pk)


def test_what_one_of_several_set_aside_is_to_do_once_its_plan_is_stopped(organisation, alice, lead):
    item = make_item(organisation, model="drawn")
    plan = run_blind(lead, **DRAWN)
    actions.skip(item_id=item.pk, reason="not mine", by=alice, now=NOW)

    stop_plan(plan_id=plan.pk, by=lead, now=NOW)

    assert (QueueItem.objects.get(pk=item.pk).state, QueueItem.objects.get(pk=item.pk).plan) == (State.TO_DO, None)
    run_verification_checks(organisation.pk)


def test_what_was_skipped_after_that_cannot_be_to_do(organisation, alice, lead):
    item = make_item(organisation, model="drawn")
    stop_plan(plan_id=run_blind(lead, **DRAWN).pk, by=lead, now=NOW)
    actions.skip(item_id=item.pk, reason="not mine", by=alice, now=NOW)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(state=State.TO_DO, skipped_by=None, skip_reason="")

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column state"):
        run_verification_checks(organisation.pk)


def test_reviews_that_differ_may_be_complete_where_their_plan_was_stopped(organisation, lead):
    item = make_item(organisation, **BRIEF, model="drawn")
    plan = run_blind(lead, **DRAWN, overlap=3)
    review(item, make_member(organisation, name="Una Ulm"), Verdict.CORRECT)
    review(item, make_member(organisation, name="Vera Voss"), Verdict.WRONG)

    stop_plan(plan_id=plan.pk, by=lead, now=NOW)

    assert QueueItem.objects.get(pk=item.pk).phase == Phase.COMPLETE
    run_verification_checks(organisation.pk)


def test_of_two_who_submit_at_once_the_later_is_the_last(organisation, alice, bob, lead):
    """Bob began first, and waited until Alice was done."""
    item = make_item(organisation, model="drawn")
    run_blind(lead, **DRAWN)

    review(item, alice, now=NOW)
    review(item, bob, now=NOW - timedelta(seconds=1))

    assert QueueItem.objects.get(pk=item.pk).submitted_by == alice.user
    run_verification_checks(organisation.pk)


def test_an_earlier_reason_for_skipping_is_redacted_alone(organisation, alice, bob):
    item = make_item(organisation)
    actions.skip(item_id=item.pk, reason="a xylophone is too loud", by=alice, now=NOW)
    lead, administrator = lead_and_administrator(alice)
    earlier = names_of(item, lead, "skip.")
    actions.skip(item_id=item.pk, reason="no time", by=bob, now=NOW)

    redact(item, earlier, lead, administrator)

    assert QueueItem.objects.get(pk=item.pk).skip_reason == "no time"
    run_verification_checks(organisation.pk)


def test_an_item_that_shows_another_attribution_is_found_by_what_that_says(organisation):
    """Another version of the engine may find more or less, and guard against something else."""
    item = make_item(organisation, response="Your risk is elevated [[SF:risk_level]]. " + 2 * f"{60 * 'And so on. '}[[SF:no_such_field]] ")
    strict = read_profile({**DEFAULT_PROFILE.data, "thresholds": {**DEFAULT_PROFILE.data["thresholds"], "tokens_per_marker": 1_000}})

    found = attribute_again(snapshots=Snapshot.objects.filter(pk=item.pk), profile=strict, organisation=organisation, at=NOW)

    assert switch_attribution(found) == 1
    assert set(QueueItem.objects.get(pk=item.pk).facets) - set(item.facets) == {"guardrail:over_cited"}
    assert dict(Tally.objects.values_list("facet").annotate(Sum("count")))["guardrail:over_cited"] == 1
    run_verification_checks(organisation.pk)
