"""Many labels are fitted by the worker, which says how far it is; few while somebody waits."""

from __future__ import annotations

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import end_membership
from reviewers.accounts.models import Role
from reviewers.calibration import shadow as comparing
from reviewers.calibration import shadow as shadowing
from reviewers.calibration.jobs import compare, end_lost_calibration, fit
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.models import BackgroundTask, CalibrationProfile, TaskKind
from reviewers.web.jobs import lock_of
from tests.calibration.imported import bring, lines, turn
from tests.calibration.standing import propose
from tests.events import events
from tests.factories import NOW, make_item, make_member, sign_in
from tests.markup import read_markup


@pytest.fixture
def many(organisation):
    """More labels than anybody waits for."""
    return bring(organisation, lines(*map(turn, range(44))))


def ask(lead, imported):
    address = f"/calibration/{imported.combination_id}/"
    response = sign_in(lead).post(f"{address}propose/", {"imported": str(imported.pk)})
    return response["Location"], BackgroundTask.objects.get(kind=TaskKind.FIT)


def test_many_labels_are_fitted_by_the_worker_and_the_page_says_so(lead, many):
    assert many.label_count > actions.MOST_AT_ONCE

    location, asked = ask(lead, many)

    page = read_markup(sign_in(lead).get(location))
    assert "A profile is being fitted" in page.text
    assert not CalibrationProfile.objects.exists()
    fit.func(str(asked.pk), str(asked.organisation_id))
    profile = CalibrationProfile.objects.get()
    assert (profile.proposed_by_id, profile.labels.label_count) == (lead.user_id, many.label_count)
    assert BackgroundTask.objects.get(pk=asked.pk).profile_id == profile.pk
    assert "being fitted" not in read_markup(sign_in(lead).get(location)).text
    told = [each["action"] for each in events() if each["action"].startswith("pro")]
    assert told == ["proposal.asked", "profile.proposed"]


def test_asked_twice_it_is_one_fit_and_done_twice_one_profile(lead, many):
    _, asked = ask(lead, many)
    assert ask(lead, many)[1].pk == asked.pk

    for _ in range(2):
        actions.fit_asked(task_id=asked.pk, now=NOW)

    assert CalibrationProfile.objects.count() == 1


def test_why_there_is_no_profile_stands_on_the_page(lead, many):
    for _ in range(2):
        _, asked = ask(lead, many) if not BackgroundTask.objects.exists() else (None, ask_again(lead, many))
        actions.fit_asked(task_id=asked.pk, now=NOW)

    page = read_markup(sign_in(lead).get(f"/calibration/{many.combination_id}/"))
    assert "proposed nothing. These labels make cp_" in page.text


def ask_again(lead, many) -> BackgroundTask:
    return actions.ask_proposal(combination_id=many.combination_id, by=lead, now=NOW, imports=[many.pk])


@pytest.fixture
def compared(monkeypatch, organisation, lead):
    monkeypatch.setattr(shadowing, "_AT_ONCE", 2)
    for _ in range(4):
        item = make_item(organisation, model="calibrated")
    return propose(item, lead)


def test_a_comparison_says_how_far_it_is(lead, compared):
    told: list[tuple[int, int]] = []
    seen = compared.combination

    found = shadowing.shadow(seen, shadowing.SCORES, shadowing.table_of(compared), 5, told=lambda *way: told.append(way))

    assert told == [(0, 4), (2, 4), (4, 4)]
    assert found.report.messages == 4
    assert shadowing.shadow(seen, shadowing.SCORES, shadowing.table_of(compared), 3).report.messages == 3
    comparing_of = BackgroundTask.objects.create(
        organisation_id=compared.organisation_id, kind="compare", combination=seen, profile=compared, asked_at=NOW, done=2, total=4
    )
    assert "2 of 4 answers" in read_markup(sign_in(lead).get(f"/calibration/profiles/{compared.pk}/")).text
    compare.func(str(compared.pk), str(compared.organisation_id), str(comparing_of.pk))
    done = BackgroundTask.objects.get(pk=comparing_of.pk)
    assert (done.done, done.total) == (4, 4)
    assert done.finished_at
    assert comparing.newest_comparison(compared).message_count == 4


def lose_jobs() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_jobs")


def test_the_page_of_a_fit_whose_job_is_gone_stops_waiting(lead, many):
    location, asked = ask(lead, many)
    end_lost_calibration.func(0)
    assert BackgroundTask.objects.get(pk=asked.pk).finished_at is None

    lose_jobs()
    end_lost_calibration.func(0)

    page = read_markup(sign_in(lead).get(location))
    assert "ended several times before it was done" in page.text
    assert "Propose a profile" in page.text


def jobs_of(kind: str) -> list[ProcrastinateJob]:
    return list(ProcrastinateJob.objects.filter(task_name=f"reviewers.calibration.jobs.{kind}"))


def test_what_somebody_asked_for_who_has_left_is_given_up_and_others_ask_again(organisation, lead, many):
    make_member(organisation, Role.ADMINISTRATOR)
    _, asked = ask(lead, many)
    end_membership(member=lead, at=NOW, by=SYSTEM)
    add_member(organisation=organisation, user=lead.user, role=Role.REVIEWER, at=NOW)

    fit.func(str(asked.pk), str(organisation.pk))

    assert "may not propose profiles here any more" in BackgroundTask.objects.get(pk=asked.pk).refused
    assert ask_again(make_member(organisation, Role.LEAD), many).pk != asked.pk


def test_a_fit_that_failed_or_whose_job_is_gone_keeps_nobody_from_another(lead, many, monkeypatch):
    _, asked = ask(lead, many)
    with monkeypatch.context() as patched:
        patched.setattr(actions, "propose", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            fit.func(str(asked.pk), str(asked.organisation_id))
    assert BackgroundTask.objects.get(pk=asked.pk).refused == "An error ended it."

    second = ask_again(lead, many)
    lose_jobs()
    third = ask_again(lead, many)
    assert len({asked.pk, second.pk, third.pk}) == 3
    assert "ended several times" in BackgroundTask.objects.get(pk=second.pk).refused


def test_a_comparison_that_waits_is_not_queued_again_and_the_long_jobs_of_an_organisation_take_turns(lead, compared):
    """The worker does few jobs at once: many comparisons of one organisation would keep it from the mail of all others."""
    client = sign_in(lead)
    for _ in range(3):
        client.post(f"/calibration/profiles/{compared.pk}/compare/")

    assert [job.lock for job in jobs_of("compare")] == [lock_of(lead.organisation_id)]
    assert len([each for each in events() if each["action"] == "comparison.asked"]) <= 1
