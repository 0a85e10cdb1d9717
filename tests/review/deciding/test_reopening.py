"""A reviewed answer goes back into the queue with a reason; what was labelled, submitted and signed stays on record."""

from __future__ import annotations

import json
import zlib

import pytest

from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.adjudication.actions import reopen
from reviewers.review.labels import actions
from reviewers.review.leases import take_next
from reviewers.review.models import Decision, Label, Lease, Meaning, Phase, QueueItem, Reopening, State, Submission, Verdict
from reviewers.review.signing.queries import SignatureStatus, signatures_of
from reviewers.review.visibility import hides_engine_from
from tests.events import events
from tests.factories import NOW, as_seen_by, choose, make_member, sign_in
from tests.review.deciding.cases import case_of, decide_all, make_conflict, phase_of
from tests.review.plans.planning import label_all, review, run_blind
from tests.review.signed import intent_of, make_submitted, sign_as_it_stands

WHY = "the guide was another one"


def reopen_it(item, lead):
    reopen(item_id=item.pk, reason=WHY, by=lead, now=NOW)


def standing_of_signatures(item):
    return [(row.standing, row.changes) for row in signatures_of(item.organisation_id, item.pk)]


def test_it_is_to_do_again_and_what_was_submitted_remains(alice, bob, lead):
    item = make_submitted(alice)

    reopen_it(item, lead)

    row = QueueItem.objects.get(pk=item.pk)
    assert (row.state, row.phase, row.round, row.submitted_by) == (State.TO_DO, Phase.INDEPENDENT, 2, None)
    assert take_next(candidates=QueueItem.objects.all(), by=bob, now=NOW) == item.pk
    assert not as_seen_by(bob, item).labels, "he begins anew"
    label_all(item, bob, Verdict.WRONG)
    actions.submit(item_id=item.pk, by=bob, now=NOW)

    assert set(Submission.objects.values_list("reviewer", "round", "slot")) == {(alice.user_id, 1, 1), (bob.user_id, 2, 1)}
    assert {row.verdict for row in case_of(item, lead).rows} == {"wrong", "supports"}
    assert Label.objects.filter(reviewer=alice.user).exists()


def test_its_event_commits_to_the_reason(alice, lead):
    item = make_submitted(alice)

    reopen_it(item, lead)

    (told,) = events("item.reopened")
    reopening = Reopening.objects.get()
    assert (reopening.reason, reopening.reopened_by, reopening.round) == (WHY, lead.user, 2)
    assert told["details"] == {"reopening": str(reopening.pk), "round": 2}
    assert told["rows"][0]["id"] == str(reopening.pk)
    assert WHY not in str(told)


def test_whoever_reviewed_it_goes_on_from_what_they_said(alice, lead):
    item = make_submitted(alice)
    reopen_it(item, lead)

    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    assert Submission.objects.filter(reviewer=alice.user).count() == 2
    assert phase_of(item) == Phase.COMPLETE


def test_signatures_of_before_are_void_and_say_why(alice, lead):
    item = make_submitted(alice)
    sign_as_it_stands(item, alice)
    sign_as_it_stands(item, lead, Meaning.APPROVED)

    reopen_it(item, lead)

    assert standing_of_signatures(item) == [(SignatureStatus.VOID, ["reopened for another review"])] * 2
    assert not sign_in(alice).get("/queue/?signed=holds").context["page"].rows
    with pytest.raises(Refused, match="reopened since"):
        sign_as_it_stands(item, alice, review_id=intent_of(item).review_id)


def test_a_review_of_another_round_is_signed_on_its_own(alice, bob, lead):
    item = make_submitted(alice)
    sign_as_it_stands(item, alice)
    reopen_it(item, lead)
    review(item, bob)

    sign_as_it_stands(item, bob)

    assert [standing for standing, _ in standing_of_signatures(item)] == [SignatureStatus.VOID, SignatureStatus.HOLDS]


def test_signatures_cover_what_was_decided_and_are_void_when_it_is_decided_anew(organisation, lead):
    item = make_conflict(organisation)
    sign_as_it_stands(item, lead, Meaning.APPROVED)
    decide_all(item, lead)
    decided = len([row for row in case_of(item, lead).rows if row.made])
    assert standing_of_signatures(item) == [(SignatureStatus.VOID, [f"{decided} decisions of a lead"])]
    assert not sign_in(lead).get("/queue/?signed=holds").context["page"].rows

    sign_as_it_stands(item, lead, Meaning.ADJUDICATED)

    assert standing_of_signatures(item)[-1] == (SignatureStatus.HOLDS, ())
    assert sign_in(lead).get("/queue/?signed=holds").context["page"].rows


def test_of_a_blind_plan_everything_is_hidden_again(organisation, lead):
    item = make_conflict(organisation, note="a canary")
    carol = make_member(organisation, name="Carol Cray")
    assert as_seen_by(carol, item).others

    reopen_it(item, lead)

    seen = as_seen_by(carol, item)
    assert (seen.is_blind, seen.labels, seen.others) == (True, [], [])
    assert QueueItem.objects.filter(hides_engine_from(seen.viewer), pk=item.pk).exists()
    assert not case_of(item, lead).rows
    for reviewer in (carol, make_member(organisation, name="Dora Dunn")):
        review(item, reviewer)
    assert phase_of(item) == Phase.COMPLETE


def test_no_more_review_it_again_than_before(organisation, lead, alice, bob):
    item = make_submitted(alice)
    reopen_it(item, lead)
    actions.take(item_id=item.pk, by=bob, now=NOW)

    with pytest.raises(Refused, match="is reviewing this answer"):
        actions.take(item_id=item.pk, by=alice, now=NOW)
    assert Lease.objects.get().slot == 1


def test_decisions_of_before_do_not_count(organisation, lead, alice, bob):
    item = make_conflict(organisation)
    decide_all(item, lead)
    reopen_it(item, lead)
    review(item, alice)
    review(item, bob, Verdict.WRONG)

    case = case_of(item, lead)
    assert phase_of(item) == Phase.CONSOLIDATING
    assert not case.made
    assert case.conflicts


def test_only_what_was_reviewed_is_reopened_and_only_with_a_reason(item, alice, lead):
    with pytest.raises(Refused, match="reviews are all in"):
        reopen_it(item, lead)
    run_blind(lead)
    review(item, alice)
    with pytest.raises(Refused, match="reviews are all in"):
        reopen_it(item, lead)
    done = make_submitted(alice)
    with pytest.raises(Invalid, match="needs a reason"):
        reopen(item_id=done.pk, reason="", by=lead, now=NOW)


def test_a_lead_signs_as_adjudicated_exactly_what_they_decided_once_nothing_is_in_doubt(organisation, lead):
    item = make_conflict(organisation)
    with pytest.raises(Refused, match="not decided yet"):
        sign_as_it_stands(item, lead, Meaning.ADJUDICATED)
    decide_all(item, lead)

    signature = sign_as_it_stands(item, lead, Meaning.ADJUDICATED)

    statement = json.loads(zlib.decompress(bytes(signature.statement)))
    made = {str(decision.pk): decision for decision in Decision.objects.filter(snapshot=item.pk)}
    assert len(made) > 1
    assert {row["id"]: (row["verdict"], row["labels"], row["decided_by_id"]) for row in statement["decisions"]} == {
        key: (decision.verdict, decision.labels, str(lead.user_id)) for key, decision in made.items()
    }
    assert standing_of_signatures(item) == [(SignatureStatus.HOLDS, ())]
