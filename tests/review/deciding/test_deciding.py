"""Conflicts are decided by a lead who has not reviewed the answer, row by row; what is decided is beside what was said."""

from __future__ import annotations

import uuid

import pytest
from django.db import IntegrityError, transaction

from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.adjudication.actions import decide_conflict
from reviewers.review.adjudication.decisions import RowOutcome, load_reviews_of_items
from reviewers.review.items import field_key
from reviewers.review.labels import actions
from reviewers.review.models import CitationVerdict, Decision, Label, Phase, Plan, PlanState, QueueItem, Rule, Verdict
from reviewers.snapshots.citations import CitationKey
from tests.events import events
from tests.factories import BOTH, NOW, as_seen_by, choose, make_item
from tests.review.deciding.cases import REASON, case_of, decide_all, make_conflict, phase_of, ruling_of
from tests.review.plans.planning import review, run_blind


@pytest.fixture
def conflict(organisation, lead):
    return make_conflict(organisation)


def test_without_a_plan_the_one_reviewer_decides(item, alice):
    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=alice, now=NOW)
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    outcomes = {(row.outcome, row.verdict) for row in case_of(item, alice).rows}
    assert outcomes == {(RowOutcome.DECIDED, "wrong"), (RowOutcome.DECIDED, "correct")}


def test_what_reviewers_agree_on_is_decided_and_stored_nowhere(conflict, lead):
    rows = case_of(conflict, lead).rows

    assert {row.outcome for row in rows if isinstance(row.key, CitationKey)} == {RowOutcome.DECIDED}
    assert {row.outcome for row in rows if not isinstance(row.key, CitationKey)} == {RowOutcome.CONFLICT}
    assert not Decision.objects.exists()


def test_an_item_is_complete_once_its_last_conflict_is_decided_and_so_is_its_plan(conflict, lead):
    case = case_of(conflict, lead)
    *first, last = case.conflicts
    assert len(first) >= 1

    for row in first:
        case = decide_conflict(ruling=ruling_of(conflict, row), by=lead, now=NOW)
    assert (phase_of(conflict), len(case.conflicts)) == (Phase.CONSOLIDATING, 1)
    case = decide_conflict(ruling=ruling_of(conflict, last, Verdict.CANNOT_JUDGE), by=lead, now=NOW)

    assert (phase_of(conflict), case.conflicts) == (Phase.COMPLETE, [])
    assert Plan.objects.get().state == PlanState.FINISHED
    made = {row.key: (row.outcome, row.verdict) for row in case.rows if row.made}
    assert made[last.key] == (RowOutcome.UNDECIDABLE, "cannot_judge")
    assert made[first[0].key] == (RowOutcome.DECIDED, "wrong")


def test_a_decision_keeps_what_it_saw_and_its_event_tells_no_protected_text(conflict, lead):
    row = case_of(conflict, lead).conflicts[0]

    decide_conflict(ruling=ruling_of(conflict, row), by=lead, now=NOW)

    decision = Decision.objects.get()
    assert (decision.section, decision.path) == row.key
    assert (decision.decided_by, decision.reason, decision.attribution_id) == (lead.user, REASON, conflict.attribution_id)
    assert set(decision.labels) == {str(label.id) for label in row.labels}
    (told,) = events("conflict.decided")
    assert told["details"]["verdict"] == "wrong"
    assert told["rows"][0]["id"] == str(decision.pk)
    assert REASON not in str(told)
    assert row.key[1] not in str(told)


@pytest.mark.parametrize("verdict", [each for each in CitationVerdict if each is not CitationVerdict.NONE])
def test_a_citation_is_decided_like_a_field(organisation, lead, alice, bob, verdict):
    item = make_item(organisation, **BOTH)
    run_blind(lead, rule=Rule.LEAD)
    for reviewer in (alice, bob):
        review(item, reviewer)
    row = next(row for row in case_of(item, lead).conflicts if isinstance(row.key, CitationKey))

    with pytest.raises(Invalid, match="Choose"):
        decide_conflict(ruling=ruling_of(item, row, Verdict.CORRECT), by=lead, now=NOW)
    case = decide_conflict(ruling=ruling_of(item, row, verdict), by=lead, now=NOW)

    assert next(each.verdict for each in case.rows if each.key == row.key) == verdict


@pytest.mark.parametrize("verdict", ["", "none", "maybe", "supports"])
def test_a_decision_is_a_verdict_that_its_row_can_have(conflict, lead, verdict):
    with pytest.raises(Invalid, match="Choose"):
        decide_conflict(ruling=ruling_of(conflict, case_of(conflict, lead).conflicts[0], verdict), by=lead, now=NOW)


def test_a_decision_says_why(conflict, lead):
    with pytest.raises(Invalid, match="needs a reason"):
        decide_conflict(ruling=ruling_of(conflict, case_of(conflict, lead).conflicts[0], reason=""), by=lead, now=NOW)


def test_a_lead_who_reviewed_the_answer_does_not_decide_it(organisation, lead, alice):
    item = make_item(organisation)
    run_blind(lead)
    review(item, lead, Verdict.CORRECT)
    review(item, alice, Verdict.WRONG)

    with pytest.raises(Refused, match="reviewed this answer yourself"):
        decide_all(item, lead)
    assert not Decision.objects.exists()


def test_not_even_by_the_database(organisation, lead, alice):
    item = make_item(organisation)
    run_blind(lead)
    review(item, lead, Verdict.CORRECT)
    review(item, alice, Verdict.WRONG)
    row = {"organisation": organisation, "snapshot_id": item.pk, "round": 1, "kind": "field", "section": "safety", "path": "x"}
    said = {"verdict": "wrong", "reason": "so", "labels": [], "attribution_id": item.attribution_id, "decided_at": NOW}

    for changes in ({"decided_by": lead.user}, {"decided_by": alice.user}):
        with pytest.raises(IntegrityError, match="decides none"), transaction.atomic():
            Decision.objects.create(**row, **said, **changes)
    with pytest.raises(IntegrityError, match="no conflicts in round 2"), transaction.atomic():
        Decision.objects.create(**row | {"round": 2}, **said, decided_by=lead.user)


def test_before_all_reviews_are_in_and_after_the_last_decision_there_is_nothing_to_decide(organisation, lead, alice, bob):
    item = make_item(organisation)
    run_blind(lead)
    review(item, alice)
    with pytest.raises(Refused, match="nothing to decide"):
        decide_conflict(ruling=ruling_of(item, case_of(item, lead).rows[0]), by=lead, now=NOW)
    review(item, bob)
    with pytest.raises(Refused, match="nothing to decide"):
        decide_conflict(ruling=ruling_of(item, case_of(item, lead).rows[0]), by=lead, now=NOW)


def test_a_label_that_was_changed_meanwhile_is_not_decided_unseen(conflict, lead):
    row = case_of(conflict, lead).conflicts[0]
    author = Label.objects.filter(snapshot=conflict.pk).latest("id").reviewer.memberships.get()
    actions.save_label(choice=choose(conflict, 0, "looked again"), verdict=Verdict.MISSTATED, by=author, now=NOW)
    stale = next(each for each in case_of(conflict, lead).conflicts if {label.id for label in each.labels} != {x.id for x in row.labels})
    assert stale

    with pytest.raises(Refused, match="changed since you opened"):
        decide_conflict(ruling=ruling_of(conflict, row, labels=[label.id for label in row.labels][:1]), by=lead, now=NOW)
    with pytest.raises(Refused, match="attributed again"):
        decide_conflict(ruling=ruling_of(conflict, row, attribution_id=uuid.uuid4()), by=lead, now=NOW)


def test_what_reviewers_agree_on_a_lead_does_not_decide_otherwise(conflict, lead):
    agreed = next(row for row in case_of(conflict, lead).rows if row.outcome is RowOutcome.DECIDED)

    with pytest.raises(Refused, match="changed since"):
        decide_conflict(ruling=ruling_of(conflict, agreed, "does_not_say"), by=lead, now=NOW)


def test_until_the_item_is_complete_a_decision_can_be_made_anew(conflict, lead):
    row = case_of(conflict, lead).conflicts[0]
    decide_conflict(ruling=ruling_of(conflict, row, Verdict.WRONG), by=lead, now=NOW)

    case = decide_conflict(ruling=ruling_of(conflict, row, Verdict.CORRECT), by=lead, now=NOW)

    assert next(each.verdict for each in case.rows if each.key == row.key) == "correct"
    first, second = Decision.objects.order_by("id")
    assert second.replaces == first


def test_a_label_changed_after_a_decision_brings_its_row_before_a_lead_again(conflict, lead):
    decide_all(conflict, lead)
    assert phase_of(conflict) == Phase.COMPLETE
    author = Label.objects.filter(snapshot=conflict.pk).latest("id").reviewer.memberships.get()

    actions.save_label(choice=choose(conflict, 0, "looked again"), verdict=Verdict.CANNOT_JUDGE, by=author, now=NOW)

    assert phase_of(conflict) == Phase.CONSOLIDATING
    assert len(case_of(conflict, lead).conflicts) == 1
    decide_all(conflict, lead)
    assert phase_of(conflict) == Phase.COMPLETE


def test_reviewers_who_come_to_agree_need_no_lead(organisation, lead, alice, bob):
    item = make_item(organisation)
    run_blind(lead)
    review(item, alice)
    review(item, bob, Verdict.WRONG)
    for number, row in enumerate(case_of(item, bob).rows):
        assert row.outcome is RowOutcome.CONFLICT
        found = next(n for n, each in enumerate(item_rows(item, bob)) if each == row.key)
        actions.save_label(choice=choose(item, found, f"agreed {number}"), verdict=Verdict.CORRECT, by=bob, now=NOW)

    assert phase_of(item) == Phase.COMPLETE


def item_rows(item, member):
    return [field_key(row) for row in as_seen_by(member, item).attribution.fields]


def test_many_cases_are_read_in_as_many_statements_as_one(organisation, lead, django_assert_num_queries):
    one = make_conflict(organisation)

    with django_assert_num_queries(5):
        (case,) = load_reviews_of_items(QueueItem.objects.filter(pk=one.pk))
        assert case.conflicts
