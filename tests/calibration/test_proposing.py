"""Many labels are fitted by the worker, which says how far it is; few while somebody waits."""

from __future__ import annotations

import pytest

from reviewers.calibration import shadow as comparing
from reviewers.calibration import shadow as shadowing
from reviewers.calibration.jobs import compare, fit
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.models import CalibrationProfile, Undertaken, Undertaking
from tests.calibration.imported import bring, lines, turn
from tests.calibration.standing import propose
from tests.events import events
from tests.factories import NOW, make_item, sign_in
from tests.markup import read_markup


@pytest.fixture
def many(organisation):
    """More labels than anybody waits for."""
    return bring(organisation, lines(*map(turn, range(44))))


def ask(lead, imported):
    address = f"/calibration/{imported.combination_id}/"
    response = sign_in(lead).post(f"{address}propose/", {"imported": str(imported.pk)})
    return response["Location"], Undertaking.objects.get(kind=Undertaken.FIT)


def test_many_labels_are_fitted_by_the_worker_and_the_page_says_so(lead, many):
    assert many.label_count > actions.MOST_AT_ONCE

    location, asked = ask(lead, many)

    page = read_markup(sign_in(lead).get(location))
    assert "A profile is being fitted" in page.text
    assert not CalibrationProfile.objects.exists()
    fit.func(str(asked.pk), str(asked.organisation_id))
    profile = CalibrationProfile.objects.get()
    assert (profile.proposed_by_id, profile.labels.label_count) == (lead.user_id, many.label_count)
    assert Undertaking.objects.get(pk=asked.pk).profile_id == profile.pk
    assert "being fitted" not in read_markup(sign_in(lead).get(location)).text
    told = [each["action"] for each in events() if each["action"].startswith("pro")]
    assert told == ["proposal.asked", "profile.proposed"]


def test_asked_twice_it_is_one_fit_and_done_twice_one_profile(lead, many):
    _, asked = ask(lead, many)
    assert ask(lead, many)[1].pk == asked.pk

    for _ in range(2):
        actions.fit_asked(undertaking_id=asked.pk, now=NOW)

    assert CalibrationProfile.objects.count() == 1


def test_why_there_is_no_profile_stands_on_the_page(lead, many):
    for _ in range(2):
        _, asked = ask(lead, many) if not Undertaking.objects.exists() else (None, _again(lead, many))
        actions.fit_asked(undertaking_id=asked.pk, now=NOW)

    page = read_markup(sign_in(lead).get(f"/calibration/{many.combination_id}/"))
    assert "proposed nothing. These labels make cp_" in page.text


def _again(lead, many):
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
    comparing_of = Undertaking.objects.create(
        organisation_id=compared.organisation_id, kind="compare", combination=seen, profile=compared, asked_at=NOW, done=2, total=4
    )
    assert "2 of 4 answers" in read_markup(sign_in(lead).get(f"/calibration/profiles/{compared.pk}/")).text
    compare.func(str(compared.pk), str(compared.organisation_id), str(comparing_of.pk))
    done = Undertaking.objects.get(pk=comparing_of.pk)
    assert (done.done, done.total) == (4, 4)
    assert done.finished_at
    assert comparing.newest_comparison(compared).message_count == 4
