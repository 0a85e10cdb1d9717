"""A suspended profile gives scores and says so, until a lead lifts that or another profile takes its place."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Organisation
from reviewers.accounts.policies import Refused
from reviewers.calibration import shadow
from reviewers.calibration.lifecycle.actions import find_profile, retire
from reviewers.calibration.lifecycle.active_profiles import ask_recomputation, lift_suspension, suspend_by_hand
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import Suspension
from reviewers.review.labels import actions
from reviewers.review.models import Label, Verdict
from tests.calibration.labelled import make_answer, rows_of
from tests.calibration.standing import Standing, approve
from tests.events import events
from tests.factories import NOW, choose, sign_in
from tests.markup import read_markup

RISK = {"response": "Your risk is elevated.", "context": {"safety": {"risk_level": "elevated"}}}
CITED_RISK = RISK | {"response": "Your risk is elevated [[SF:risk_level]]."}


@pytest.fixture
def standing(organisation):
    return Standing(organisation)


@pytest.fixture
def old(standing, alice):
    """An answer that got confidences."""
    return make_answer(alice, model="calibrated", **RISK)


@pytest.fixture
def suspended(standing, old):
    standing.suspend()
    return standing


def page_of(client, item) -> object:
    return read_markup(client.get(f"/items/{item.pk}/"))


def badges(page) -> list[str]:
    return [badge.text for badge in page.one("article").find("span", class_="badge")]


def state(standing) -> ProfileState:
    return state_of(find_profile(standing.active.pk, standing.lead))


def test_stored_and_new_answers_show_scores_and_say_why(suspended, old, alice, bob):
    new, client = make_answer(alice, model="calibrated", **RISK), sign_in(bob)

    assert not any("estimate" in row for row in rows_of(new))
    for item in (old, new):
        page = page_of(client, item)
        assert "Profile suspended: scores" in badges(page)
        assert " on this rule" not in page.text
    assert any("estimate" in row for row in rows_of(old))


def test_a_label_says_that_its_reviewer_saw_a_score(suspended, old, alice):
    number = next(number for number, row in enumerate(rows_of(old)) if "estimate" in row)
    actions.save_label(choice=choose(old, number), verdict=Verdict.CORRECT, by=alice, now=NOW)

    shown = Label.objects.get().shown
    assert (shown["calibrated"], shown["confidence"]) == (False, shown["score"])


def test_why_a_provider_was_suggested_says_it_too(standing, alice, bob):
    item = make_answer(alice, model="calibrated", provider="Dr. Ada Quill", **CITED_RISK)
    standing.suspend()

    assert "What was measured may be too high" in sign_in(bob).get(f"/why/{item.pk}/").content.decode()


def test_the_pages_of_calibration_say_so_and_a_lead_lifts_it(suspended, old, bob):
    lead = sign_in(suspended.lead)
    address = f"/calibration/profiles/{suspended.active.pk}/"

    assert state(suspended) is ProfileState.SUSPENDED
    assert "Suspended" in read_markup(lead.get("/calibration/")).text
    assert "Audit labels were right less often than it says." in read_markup(lead.get(address)).text
    assert "is suspended" in read_markup(lead.get(f"/calibration/{suspended.active.combination_id}/")).text
    assert lead.post(f"{address}lift/", {"reason": ""}).status_code == 422
    assert lead.post(f"{address}lift/", {"reason": "two labels were mistaken"}).status_code == 302

    assert state(suspended) is ProfileState.ACTIVE
    assert "two labels were mistaken" in read_markup(lead.get(address)).text
    assert "Confidence from labels" in badges(page_of(sign_in(bob), old))
    assert lead.post(f"{address}lift/", {"reason": "again"}).status_code == 409
    told = [event["action"] for event in events() if event["action"].startswith(("profile.s", "susp"))]
    assert told == ["profile.suspended", "suspension.lifted"]
    assert "mistaken" not in str(events())


def test_a_lead_suspends_an_active_profile_by_hand_with_a_reason_and_another_lifts_it(standing, old, other_lead, bob):
    lead, address = sign_in(standing.lead), f"/calibration/profiles/{standing.active.pk}/"

    assert "To show scores for now, say why" in read_markup(lead.get(address)).text
    assert lead.post(f"{address}suspend/", {"reason": " "}).status_code == 422
    assert lead.post(f"{address}suspend/", {"reason": "half of today <looks> wrong"}).status_code == 302

    assert state(standing) is ProfileState.SUSPENDED
    suspension = Suspension.objects.get()
    assert (suspension.alarm, suspension.suspended_by_id) == (None, standing.lead.user_id)
    page = read_markup(sign_in(other_lead).get(address))
    assert "by Lena Lind" in page.text
    assert "half of today <looks> wrong" in page.text
    assert not any(form.attributes["action"].endswith("/suspend/") for form in page.find("form") if "action" in form.attributes)
    assert "Profile suspended: scores" in badges(page_of(sign_in(bob), old))
    assert lead.post(f"{address}suspend/", {"reason": "again"}).status_code == 409
    (told,) = events("profile.suspended")
    assert (told["actor"]["id"], told["details"]["alarm"]) == (str(standing.lead.user_id), None)
    assert "half of today" not in str(events())

    lift_suspension(profile_id=standing.active.pk, reason="it was another prompt", by=other_lead, now=NOW)
    assert state(standing) is ProfileState.ACTIVE


def test_only_what_is_active_is_suspended_by_hand_and_by_a_lead(standing, bob):
    with pytest.raises(Refused, match="This profile is proposed"):
        suspend_by_hand(profile_id=standing.proposed.pk, reason="no", by=standing.lead, now=NOW)

    assert sign_in(bob).post(f"/calibration/profiles/{standing.active.pk}/suspend/", {"reason": "no"}).status_code == 403
    assert not Suspension.objects.exists()


def test_another_profile_ends_it_and_answers_under_the_old_one_stay_scores(suspended, old, other_lead, alice, bob):
    shadow.compare_profile(profile_id=suspended.proposed.pk, organisation_id=suspended.organisation.pk, now=NOW)
    approve(suspended.proposed, other_lead)

    assert state(suspended) is ProfileState.RETIRED
    assert any("estimate" in row for row in rows_of(make_answer(alice, model="calibrated", **RISK)))
    assert "Profile suspended: scores" in badges(page_of(sign_in(bob), old))


def test_a_suspended_profile_is_not_used_and_may_be_retired(suspended):
    with pytest.raises(Refused, match="This profile is suspended"):
        ask_recomputation(profile_id=suspended.active.pk, by=suspended.lead, now=NOW)
    retire(profile_id=suspended.active.pk, reason="it was right to", by=suspended.lead, now=NOW)

    assert state(suspended) is ProfileState.RETIRED
    with pytest.raises(Refused, match="This profile is retired"):
        lift_suspension(profile_id=suspended.active.pk, reason="no", by=suspended.lead, now=NOW)


def test_it_is_suspended_once_at_a_time_and_again_after_it_was_lifted(suspended):
    suspended.suspend()
    assert Suspension.objects.count() == 1

    lift_suspension(profile_id=suspended.active.pk, reason="seen to", by=suspended.lead, now=NOW)
    suspended.suspend()
    assert Suspension.objects.count() == 2
    assert Organisation.objects.get().suspended_profiles == [suspended.active.name]
