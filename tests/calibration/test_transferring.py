"""After a change the profile of before is taken over, shifted by the first labels, and proposed like any other."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from reviewers.accounts.policies import Refused
from reviewers.calibration import shadow
from reviewers.calibration.labels.actions import document_of
from reviewers.calibration.lifecycle.actions import find_profile, propose_transfer
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import SeenCombination
from reviewers.calibration.shadow import record_of
from tests.calibration.labelled import compare, make_answer, risky, rows_of
from tests.calibration.standing import Standing, approve
from tests.factories import NOW, sign_in
from tests.markup import read_markup


@pytest.fixture
def standing(organisation):
    return Standing(organisation)


def test_fifty_labels_shift_the_profile_and_another_lead_approves_it(standing, other_lead, alice, tmp_path, capsys):
    ids = standing.make_transferable(answers=12)
    lead = sign_in(standing.lead)
    page = read_markup(lead.get(f"/calibration/{ids['combination_id']}/"))
    assert f"{standing.active.name}, of calibrated · prompt 1" in page.text

    location = lead.post(f"/calibration/{ids['combination_id']}/transfer/", {"profile": str(standing.active.pk)})["Location"]

    profile = find_profile(location.split("/")[-2], standing.lead)
    record, old = record_of(profile), record_of(standing.active)
    assert (record["kind"], profile.parent_id, profile.labels.label_count) == ("transfer", standing.active.pk, 60)
    assert record["calibrator"]["nodes"][0]["confidence"] < old["calibrator"]["nodes"][0]["confidence"]
    assert [gate["passed"] for gate in record["evaluation"]["gates"]] == [True] * 4
    assert "Taken over from cp_" in read_markup(lead.get(location)).text
    said = f"carried over from {standing.active.name}, of another combination, by a shift of "
    assert "from 60 labels here" in read_markup(lead.get(location)).text
    node = read_markup(lead.get(f"{location}nodes/0/"))
    assert node.text.count(said) == 2
    steps = [step.one("b").text for step in node.one("ol").find("li")]
    before, after = (each["calibrator"]["nodes"][0]["confidence"] for each in (old, record))
    assert steps[-2:] == [f"{before:.2f}", f"{after:.2f}"]
    compare(profile)
    approve(profile, other_lead)
    assert state_of(find_profile(profile.pk, standing.lead)) is ProfileState.ACTIVE
    assert state_of(find_profile(standing.active.pk, standing.lead)) is ProfileState.ACTIVE
    new = make_answer(alice, model="after a change", **risky(1))
    assert "estimate" in rows_of(new)[0]
    assert f"right, {said}−" in read_markup(sign_in(alice).get(f"/items/{new.pk}/")).text
    assert shadow.newest_comparison(profile).against is None

    exported = tmp_path / "labels.jsonl"
    exported.write_bytes(document_of(profile))
    call_command("calibrate", "fit", labels=exported)
    assert capsys.readouterr().out.splitlines()[0] == profile.name


def test_what_cannot_be_taken_over_is_refused(standing, alice):
    make_answer(alice, model="after a change")
    ids = {"combination_id": make_combination("after a change"), "profile_id": standing.active.pk}

    with pytest.raises(Refused, match=r"50 labels of this combination on rules that cp_.* knows are the fewest"):
        propose_transfer(**ids, by=standing.lead, now=NOW)
    with pytest.raises(Refused, match="is not active for another combination"):
        propose_transfer(**ids | {"profile_id": standing.proposed.pk}, by=standing.lead, now=NOW)
    with pytest.raises(Refused, match="This combination has a profile"):
        propose_transfer(**ids | {"combination_id": standing.active.combination_id}, by=standing.lead, now=NOW)
    response = sign_in(standing.lead).post(f"/calibration/{ids['combination_id']}/transfer/", {})
    assert response.status_code == 422


def make_combination(model: str):
    return SeenCombination.objects.get(model=model).pk
