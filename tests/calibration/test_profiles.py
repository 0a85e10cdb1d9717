"""From labels to a profile that is active: who may do what with it, and what it changes."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.http import Http404
from procrastinate.contrib.django.models import ProcrastinateJob

from reviewers.accounts.models import Membership, Role
from reviewers.accounts.policies import Invalid, Refused
from reviewers.calibration import shadow
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import CalibrationProfile, ProfileDecision, SeenCombination
from reviewers.review.models import Verdict
from reviewers.web.jobs import LONG, lock_of
from reviewers.web.models import uuid7
from tests.calibration.labelled import combination_of, compare, make_active, make_answer, make_labelled, make_proposed, review_as, rows_of
from tests.events import events
from tests.factories import NOW


def approve(profile: CalibrationProfile, by, changed: int | None = None) -> CalibrationProfile:
    comparison = shadow.newest_comparison(profile)
    return actions.approve(profile_id=profile.pk, changed=comparison.changed_count if changed is None else changed, by=by, now=NOW)


def again(profile: CalibrationProfile) -> CalibrationProfile:
    return CalibrationProfile.objects.select_related("decision", "retirement").get(pk=profile.pk)


def more_labels(by, count: int = 1) -> None:
    for number in range(count):
        review_as(make_answer(by, 50 + number), by, 50 + number)


def test_an_active_profile_gives_confidences_to_new_answers_and_not_to_old_ones(lead, other_lead, alice):
    profile = make_active(lead, other_lead, alice)
    old, new = SeenCombination.objects.get(), make_answer(alice)

    found = [row for row in rows_of(new) if row["track"] == "found_only"]
    assert new.attribution.profile_id == profile.name == old.active.name
    assert found
    assert all(row["estimate"]["counted"] and row["confidence"] < row["score"] for row in found)
    before = type(new).objects.exclude(pk=new.pk).select_related("attribution")
    assert {each.attribution.profile_id for each in before} != {profile.name}
    assert not any("estimate" in row for each in before for row in rows_of(each))


@pytest.mark.parametrize("change", [{"model": "model-b"}, {"prompt_version": "prompt 2"}, {"schema_version": "7"}])
def test_another_combination_has_scores(lead, other_lead, alice, change):
    make_active(lead, other_lead, alice)

    other = make_answer(alice, **change)

    assert not any("estimate" in row for row in rows_of(other))
    assert combination_of(other).active is None


def test_under_a_hundred_labels_nothing_is_proposed(lead, alice):
    seen = make_labelled(alice, 3)

    with pytest.raises(Refused, match="90 labels, and 100 are the fewest"):
        actions.propose(combination_id=seen.pk, by=lead, now=NOW)
    assert not CalibrationProfile.objects.exists()


def test_the_same_labels_are_not_proposed_twice(lead, alice):
    profile = make_proposed(lead, alice)

    with pytest.raises(Refused, match=f"{profile.name}, which is there already: proposed"):
        actions.propose(combination_id=profile.combination_id, by=lead, now=NOW)


def test_nobody_approves_what_they_proposed(lead, alice):
    profile = make_proposed(lead, alice)

    with pytest.raises(Refused, match="You proposed this"):
        approve(profile, lead)
    assert state_of(again(profile)) is ProfileState.PROPOSED


@pytest.mark.parametrize("changes", [{"role": Role.REVIEWER}, {"ended_at": NOW}], ids=["another role", "left"])
def test_nobody_approves_what_somebody_proposed_who_may_not_any_more(lead, other_lead, alice, changes):
    profile = make_proposed(lead, alice)
    Membership.objects.filter(pk=lead.pk).update(**changes)

    with pytest.raises(Refused, match="Whoever proposed this may not propose, approve and retire profiles any more"):
        approve(profile, other_lead)


def test_the_database_refuses_it_too_whoever_is_said_to_have_proposed(lead, other_lead, alice):
    profile = make_proposed(lead, alice)
    decision = {"organisation_id": profile.organisation_id, "profile": profile, "outcome": "approved", "decided_at": NOW}
    decision |= {"decided_by": lead.user, "comparison": shadow.newest_comparison(profile)}

    def decide(proposer) -> None:
        with transaction.atomic():
            ProfileDecision.objects.create(**decision, proposed_by=proposer)
            connection.check_constraints()

    for proposer in (lead.user, other_lead.user):
        with pytest.raises(IntegrityError):
            decide(proposer)


def test_the_database_approves_no_profile_that_it_does_not_find(lead, other_lead):
    """Foreign keys are checked at commit: a decision could be written before its profile, and nobody would look who decides."""
    decision = {"organisation_id": lead.organisation_id, "profile_id": uuid7(), "comparison_id": uuid7(), "outcome": "approved"}

    with pytest.raises(DatabaseError, match="is proposed here before it is approved"), transaction.atomic():
        ProfileDecision.objects.create(**decision, proposed_by=lead.user, decided_by=other_lead.user, decided_at=NOW)


def test_whoever_approves_types_how_many_messages_change(lead, other_lead, alice):
    profile = make_proposed(lead, alice)
    comparison = shadow.newest_comparison(profile)

    with pytest.raises(Invalid, match="is not how many messages change"):
        approve(profile, other_lead, comparison.changed_count + 1)

    assert (comparison.message_count, comparison.changed_count) == (4, 4)
    approve(profile, other_lead)
    assert state_of(again(profile)) is ProfileState.ACTIVE


def test_an_approval_rests_on_a_comparison_with_what_is_active_now(lead, other_lead, alice):
    first = make_proposed(lead, alice)
    more_labels(alice)
    second = actions.propose(combination_id=first.combination_id, by=lead, now=NOW)
    with pytest.raises(Refused, match="has not been compared"):
        actions.approve(profile_id=second.pk, changed=0, by=other_lead, now=NOW)
    compare(second)
    approve(first, other_lead)

    with pytest.raises(Refused, match="Compare it again"):
        approve(second, other_lead)
    compare(second)
    approve(second, other_lead)

    assert [state_of(again(each)) for each in (first, second)] == [ProfileState.RETIRED, ProfileState.ACTIVE]
    assert again(first).retirement.replaced_by_id == second.pk
    assert SeenCombination.objects.get().active_id == second.pk


def test_a_comparison_that_waits_is_asked_for_once_and_others_wait_for_it(lead, alice):
    profile = actions.propose(combination_id=make_labelled(alice).pk, by=lead, now=NOW)
    for _ in range(5):
        actions.ask_comparison(profile_id=profile.pk, by=lead, now=NOW)

    (job,) = ProcrastinateJob.objects.filter(task_name="reviewers.calibration.jobs.compare")
    assert (job.lock, job.queue_name) == (lock_of(lead.organisation_id), LONG)
    assert shadow.newest_task(profile).pk == UUID(job.args["background_task"])


def test_a_profile_after_the_first_names_its_parent(lead, other_lead, alice):
    first = make_active(lead, other_lead, alice)
    more_labels(alice)

    second = actions.propose(combination_id=first.combination_id, by=other_lead, now=NOW)

    assert second.parent_id == first.pk
    assert second.name != first.name


def test_what_makes_things_worse_is_not_approved(lead, other_lead, alice):
    """All rows of one conversation are wrong, and all of the others right: no rule can tell."""
    profile = make_proposed(lead, alice, judge=lambda number, _path: Verdict.CORRECT if number else Verdict.WRONG)

    with pytest.raises(Refused, match="A condition does not hold: log loss"):
        approve(profile, other_lead)


def test_a_proposal_is_rejected_with_a_reason_and_stays_so(lead, other_lead, alice):
    profile = make_proposed(lead, alice)

    actions.reject(profile_id=profile.pk, reason="too few conversations", by=other_lead, now=NOW)

    assert state_of(again(profile)) is ProfileState.REJECTED
    with pytest.raises(Refused, match="This profile is rejected"):
        approve(profile, other_lead)
    with pytest.raises(Refused, match="there already: rejected"):
        actions.propose(combination_id=profile.combination_id, by=lead, now=NOW)


def test_a_proposal_may_be_taken_back_by_whoever_made_it(lead, alice):
    profile = make_proposed(lead, alice)

    actions.reject(profile_id=profile.pk, reason="a mistake", by=lead, now=NOW)

    assert state_of(again(profile)) is ProfileState.REJECTED


def test_a_retired_profile_gives_way_to_scores(lead, other_lead, alice):
    profile = make_active(lead, other_lead, alice)

    actions.retire(profile_id=profile.pk, reason="precision fell", by=lead, now=NOW)

    assert state_of(again(profile)) is ProfileState.RETIRED
    assert not any("estimate" in row for row in rows_of(make_answer(alice)))
    with pytest.raises(Refused, match="This profile is retired"):
        actions.retire(profile_id=profile.pk, reason="again", by=lead, now=NOW)


def test_a_profile_of_another_organisation_is_not_found(lead, alice, charlie):
    profile = make_proposed(lead, alice)

    with pytest.raises(Http404):
        actions.find_profile(profile.pk, charlie)


def test_each_step_is_written_down_without_a_name_of_a_field(lead, other_lead, alice):
    profile = make_active(lead, other_lead, alice)
    actions.retire(profile_id=profile.pk, reason="precision fell", by=lead, now=NOW)

    told = [event for event in events() if event["object"] == {"type": "profile", "id": str(profile.pk)}]

    assert [event["action"] for event in told] == [f"profile.{word}" for word in ("proposed", "compared", "approved", "retired")]
    assert {event["details"]["profile"] for event in told} == {profile.name}
    assert "level_" not in str(told)
    assert "precision fell" not in str(told)
    assert {row["table"] for event in told for row in event["rows"]} == {
        f"calibration_{name}" for name in ("labelset", "calibrationprofile", "comparison", "profiledecision", "retirement")
    }
