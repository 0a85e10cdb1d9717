"""The demonstration with its year: each page has something to show, and all of it could have come about."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import CalibrationProfile
from reviewers.calibration.shadow import record_of
from reviewers.demonstration.loader import load
from reviewers.demonstration.year import NEW, USUAL, WEEKS, Year, batches_before, weeks_before
from reviewers.ledger.models import AuditEvent
from reviewers.quality.models import Alarm, Watched
from reviewers.quality.queries import read_cells, read_ends
from reviewers.reports.models import Export
from reviewers.review.models import Label, QueueItem, State, Submission
from reviewers.review.queries import load_item
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.web.tenancy import tenant
from tests.ledger.sealed import forget_published


@pytest.fixture(scope="module")
def moment(one_transaction, tmp_path_factory):
    """It was loaded at."""
    forget_published()
    now = timezone.now()
    load(folder=tmp_path_factory.mktemp("demonstration"), now=now, story=Year())
    return now


@pytest.fixture
def loaded(moment, undone):
    tenant.enter(Organisation.objects.get().pk)
    return moment


def lead():
    return Membership.objects.select_related("organisation", "user").get(user__email="lead@harborlights.example")


def test_one_lead_proposed_the_active_profile_and_the_other_approved_it(loaded):
    profile = CalibrationProfile.objects.get()

    assert state_of(profile) is ProfileState.ACTIVE
    assert profile.combination.prompt_version == USUAL
    assert profile.proposed_by != profile.decision.decided_by
    assert set(Membership.objects.filter(role=Role.LEAD).values_list("user", flat=True)) == {
        profile.proposed_by_id,
        profile.decision.decided_by_id,
    }


def test_the_active_profile_is_calibrated_from_labels_enough_for_each_field(loaded):
    profile = CalibrationProfile.objects.get()
    gates = record_of(profile)["evaluation"]["gates"]

    assert profile.depth == "full"
    assert gates
    assert all(gate["passed"] for gate in gates)


def test_most_answers_have_confidences_with_intervals_and_the_new_prompt_has_none(loaded):
    profile = CalibrationProfile.objects.get()
    under = SnapshotAttribution.objects.filter(profile_id=profile.name)

    assert under.count() > SnapshotAttribution.objects.count() / 2
    assert set(under.values_list("snapshot__prompt_version", flat=True)) == {USUAL}
    assert Snapshot.objects.filter(external_id__startswith="year", prompt_version=NEW).exists()
    item = load_item(lead(), QueueItem.objects.filter(state=State.TO_DO).earliest("answered_at").pk)
    claimed = [row for row in item.attribution.fields if row.is_used]
    assert claimed
    assert all(row.estimate and row.confidence != row.score for row in claimed)


def test_each_week_of_the_year_has_answers(loaded):
    ends = read_ends(lead())

    cells = read_cells(lead(), ends)
    weeks = {cell.since for cell in cells if cell.counts[0]}
    assert {week.begin.date() for week in weeks_before(loaded)} <= weeks
    assert ends.until < loaded.date()


def test_the_drift_was_caught_and_acknowledged_and_is_one_of_the_answers_themselves(loaded):
    alarm = Alarm.objects.get()

    assert (alarm.figure, alarm.prompt_version) == (Watched.ADOPTION, USUAL)
    assert alarm.day < alarm.raised_at.date() <= alarm.acknowledgement.created_at.date()
    assert alarm.acknowledgement.reason
    assert Organisation.objects.get().open_alarms == 0
    drifting = [answer for batch in batches_before(loaded) for answer in batch.answers if not answer.record["citation_instruction"]]
    assert drifting
    assert not any("[[" in answer.record["response"] for answer in drifting)


def test_nothing_happens_before_what_it_is_about_or_after_now(loaded):
    assert not Snapshot.objects.filter(frozen_at__lt=F("answered_at")).exists()
    assert not Label.objects.filter(created_at__lte=F("snapshot__frozen_at")).exists()
    assert not Submission.objects.filter(submitted_at__lte=F("snapshot__frozen_at")).exists()
    assert not AuditEvent.objects.filter(occurred_at__gt=loaded).exists()
    assert CalibrationProfile.objects.get().proposed_at > Submission.objects.earliest("submitted_at").submitted_at


def test_the_labels_say_what_the_answers_draw_on_except_where_reviewers_differ(loaded):
    used = {answer.record["id"]: answer.used for batch in batches_before(loaded) for answer in batch.answers}
    labels = Label.objects.filter(snapshot__external_id__startswith="year")

    rows = labels.values_list("snapshot__external_id", "section", "path", "truth", "note")
    mistaken = [row for row in rows if (row[3] == "used") is not (f"{row[1]}.{row[2]}" in used[row[0]])]
    assert {note for *_, note in mistaken} == {"It speaks of something else here."}
    assert len(mistaken) == 2
    assert {row[3] for row in rows} == {"used", "not_used"}


def test_an_auditor_has_asked_for_a_signed_review(loaded):
    export = Export.objects.get()

    assert Membership.objects.get(user=export.asked_by).role == Role.AUDITOR
    assert export.form == "pdf"


@pytest.mark.parametrize("days", range(7))
def test_on_each_weekday_the_year_has_52_weeks_that_are_over(days):
    now = timezone.now() + timedelta(days=days)
    weeks = weeks_before(now)

    assert len(weeks) == WEEKS
    assert all(week.begin.weekday() == 0 for week in weeks)
    assert timedelta(weeks=1) <= now - weeks[-1].begin < timedelta(weeks=2)
    assert all(batch.at <= now for batch in batches_before(now))


def test_verify_has_nothing_to_say_about_it(loaded):
    with tenant.outside():
        call_command("verify")
