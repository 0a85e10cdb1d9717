"""The pages of calibration: their content, their viewers, and their few statements."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviewers.accounts.models import Role
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.calibration import shadow
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.models import CalibrationProfile
from reviewers.review.models import Verdict
from tests.calibration.labelled import combination_of, make_active, make_answer, make_labelled, make_proposed, review_as
from tests.calibration.standing import Standing, approve, propose
from tests.events import events
from tests.factories import NOW, PASSWORD, make_item, make_member, sign_in, without_proofs
from tests.markup import read_markup
from tests.review.plans.planning import run_blind
from tests.statements import statements_of

MOST = 12
MOST_OF_A_PROFILE = 15
"""Its page answers all that an auditor asks."""


@pytest.fixture
def desk(lead):
    return sign_in(lead)


def page_of(client, path: str, status: int = 200):
    response = client.get(path)
    assert response.status_code == status
    return read_markup(response)


def address(profile: CalibrationProfile, more: str = "") -> str:
    return f"/calibration/profiles/{profile.pk}/{more}"


def test_of_very_many_combinations_those_with_the_most_labels_are_listed(desk, organisation, monkeypatch):
    monkeypatch.setattr("reviewers.calibration.queries.MOST_ROWS", 1)
    for model in ("a", "b", "c"):
        make_item(organisation, model=model)

    with CaptureQueriesContext(connection) as made:
        page = page_of(desk, "/calibration/")

    assert len(page.find("table")[0].one("tbody").find("tr")) == 1
    assert "2 more, with fewer labels, are not listed." in page.text
    (whole,) = [each["sql"] for each in made if '"calibration_seencombination"."first_seen_at"' in each["sql"]]
    assert "IN (" in whole


def test_without_answers_the_overview_says_what_will_stand_there(desk):
    assert "Nothing has come in yet" in page_of(desk, "/calibration/").text


def test_each_combination_has_a_line_with_its_state_its_labels_and_the_next_step(desk, alice, organisation):
    make_labelled(alice)
    make_item(organisation, model="model-b", schema_version="7")

    first, second = page_of(desk, "/calibration/").find("table")[0].one("tbody").find("tr")

    assert [words in first.text for words in ("model-a · prompt 1", "120", "4 conv.", "propose a profile")] == [True] * 4
    assert [words in second.text for words in ("model-b", "schema 7", "Uncalibrated combination", "100 more labels")] == [True] * 4
    assert "0 of 100" in second.text
    assert [link["href"].endswith("/planner/") for link in second.find("a") if link.text == "Plan them"] == [True]


def test_the_pace_says_when_there_will_be_labels_enough(desk, alice):
    item = make_answer(alice)
    review_as(item, alice, judge=lambda _number, _path: Verdict.CORRECT)
    type(item).objects.update(submitted_at=timezone.now() - timedelta(days=1))

    text = page_of(desk, "/calibration/").text

    assert "70 more labels needed" in text


def test_the_page_of_a_combination_shows_methods_with_intervals_and_both_counts(desk, alice):
    seen = make_labelled(alice)

    page = page_of(desk, f"/calibration/{seen.pk}/?method=citation")

    methods, fields = (table for table in page.find("table") if "Wilson" in table.text)
    rows = {row.find("th")[0].text: row.text for row in methods.one("tbody").find("tr")}
    assert set(rows) == {"Citation", "Value"}
    assert "60" in rows["Citation"]
    assert "4 conv." in rows["Citation"]
    assert "Holds" in rows["Citation"] or "Too" in rows["Citation"]
    assert "Cannot tell yet" in fields.text
    assert page.find("button", string="Propose a profile") or "Propose a profile" in page.text


def test_proposing_leads_to_the_profile_which_waits_to_be_compared(desk, alice):
    seen = make_labelled(alice)

    response = desk.post(f"/calibration/{seen.pk}/propose/", follow=True)

    profile = CalibrationProfile.objects.get()
    assert response.redirect_chain[-1][0] == address(profile)
    text = read_markup(response).text
    assert "Not compared with stored answers yet" in text
    assert "You proposed it. Somebody else has to approve it." in text


@pytest.mark.parametrize("path", ["propose/", "transfer/"])
def test_proposing_asks_who_one_is_for_it_is_half_of_what_two_people_decide(lead, alice, path):
    seen, client = make_labelled(alice), without_proofs(lead)
    place = f"/calibration/{seen.pk}/{path}"

    asked = client.post(place)
    proved = client.post(place, {"proof": Purpose.PROPOSE.value, "password": PASSWORD})

    assert "Confirm that it is you" in asked.content.decode()
    assert "Confirm that it is you" not in proved.content.decode()
    assert CalibrationProfile.objects.filter(proposed_by=lead.user).exists() is (path == "propose/")


def test_too_few_labels_are_refused_on_the_page(desk, alice):
    seen = make_labelled(alice, 1)

    response = desk.post(f"/calibration/{seen.pk}/propose/")

    assert response.status_code == 409
    assert "30 labels, and 100 are the fewest" in read_markup(response).one("p", role="alert").text


def test_a_profile_says_everything_in_one_place(lead, other_lead, auditor, alice):
    profile = make_active(lead, other_lead, alice)

    page = page_of(sign_in(auditor), address(profile))

    for words in (
        "Learned from 120 labels of 4 conversations: rules only",
        "slope, should be 1",
        "squared error, debiased",
        "AUROC",
        "4 of 4 messages change",
        "Log loss",
        "by Leda Lund",
        "by Liv Larsen",
        "120 boost",
        "model model-a, prompt prompt 1",
    ):
        assert words in page.text, words
    diagram = page.one("svg", class_="chart")
    assert "labels in" in diagram.one("title", id="curve-title").text
    assert "lie where chance alone would put them" in diagram.one("desc").text
    assert not page.find("form", action=address(profile, "retire/"))


def test_a_node_explains_its_confidence(lead, alice):
    profile = make_proposed(lead, alice)

    text = page_of(sign_in(lead), address(profile, "nodes/0/")).text

    assert "60 labels on this rule; 60 of 60 right" in text
    assert "where the rule starts, before any label" in text
    page_of(sign_in(lead), address(profile, "nodes/99/"), 404)


def test_the_rows_that_change_are_listed_with_their_answers(lead, alice):
    profile = make_proposed(lead, alice)

    page = page_of(sign_in(lead), address(profile, "changes/?method=field_value"))

    links = [each["href"] for each in page.find("table")[0].find("a")]
    assert links
    assert all(link.startswith("/items/") for link in links)
    assert "Value" in page.one("h1").text


def test_of_answers_under_blind_review_no_number_is_told_to_who_may_review_them(lead, auditor, alice, organisation):
    make_labelled(alice)
    blind = make_answer(alice, 99)
    run_blind(lead)
    profile = actions.propose(combination_id=combination_of(blind).pk, by=lead, now=NOW)
    shadow.compare_profile(profile_id=profile.pk, organisation_id=organisation.pk, now=NOW)
    path = address(profile, "changes/?page=1")

    told = [f"/items/{blind.pk}/" in each.get(path).content.decode() for each in (sign_in(lead), sign_in(auditor))]

    assert told == [False, False]
    told = [sign_in(each).get(address(profile, "changes/")).context["page"] for each in (lead, auditor)]
    assert told[0].count == told[1].count
    assert [each.is_part for each in told] == [True, False]


def test_whoever_proposed_is_offered_no_approval_and_refused_one_sent_all_the_same(desk, lead, alice):
    profile = make_proposed(lead, alice)

    page = page_of(desk, address(profile))
    response = desk.post(address(profile, "approve/"), {"changed": "4"})

    offered = {button.text for button in page.one("main").find("button")}
    assert "Reject" in offered
    assert "Approve" not in offered
    assert response.status_code == 409
    assert read_markup(response).one("p", role="alert").text == "You proposed this. Somebody else has to approve it."
    assert not CalibrationProfile.objects.filter(decision__isnull=False).exists()


def test_a_wrong_number_and_a_missing_reason_are_told_and_nothing_changes(lead, other_lead, alice):
    profile = make_proposed(lead, alice)
    client = sign_in(other_lead)

    for form, path in (({"changed": "3"}, "approve/"), ({"changed": "four"}, "approve/"), ({"reason": " "}, "reject/")):
        response = client.post(address(profile, path), form)
        assert response.status_code == 422
        assert read_markup(response).one("p", role="alert").text
    assert not hasattr(CalibrationProfile.objects.get(), "decision")


def test_approving_asks_who_one_is(lead, other_lead, alice):
    profile = make_proposed(lead, alice)
    client = without_proofs(other_lead)

    asked = client.post(address(profile, "approve/"), {"changed": "4"})
    assert "Confirm that it is you" in asked.content.decode()
    done = client.post(address(profile, "approve/"), {"changed": "4", "proof": Purpose.APPROVE.value, "password": PASSWORD})

    assert done.status_code == 302
    assert CalibrationProfile.objects.get().decision.decided_by == other_lead.user


def test_exported_labels_are_lines_of_json_and_their_export_is_written_down(lead, alice):
    profile = make_proposed(lead, alice)

    response = sign_in(lead).get(address(profile, "labels/"))

    first, *lines = [json.loads(line) for line in response.content.splitlines()]
    assert first["schema"] == "footnote-labels/1"
    assert len(lines) == 120
    assert events("labels.exported")[-1]["details"] == {"profile": profile.name, "labels": 120}


def test_pages_take_few_statements_whatever_is_on_them(organisation, alice):
    standing = Standing(organisation)
    client = sign_in(standing.lead)
    paths = ["/calibration/", f"/calibration/{standing.active.combination_id}/", address(standing.proposed), address(standing.active)]
    paths += [address(standing.proposed, "changes/"), address(standing.proposed, "nodes/0/")]
    before = [len(statements_of(partial(client.get, path))) for path in paths]
    standing.label_enough()
    for number in range(3):
        make_item(organisation, model=f"model-{number}")
    another = make_member(organisation, Role.LEAD)
    approve(propose(standing.item, another, 130), standing.lead)

    after = [len(statements_of(partial(client.get, path))) for path in paths]

    assert after == before
    assert max(after[2:4]) <= MOST_OF_A_PROFILE, after
    assert max(after[:2] + after[4:]) <= MOST, after


def test_the_review_page_says_what_its_figures_are_and_explains_them(lead, other_lead, alice, bob):
    make_active(lead, other_lead, alice)
    client = sign_in(bob)
    new = page_of(client, f"/items/{make_answer(alice).pk}/")
    other = page_of(client, f"/items/{make_answer(alice, prompt_version='prompt 2').pk}/")

    def badges(page):
        return [badge.text for badge in page.one("article").find("span", class_="badge")]

    assert "Confidence from labels" in badges(new)
    assert "60 labels on this rule; 60 of 60 right" in new.text
    assert "Not calibrated: raw scores" in badges(other)
    assert "labels on" not in other.text


def test_a_blind_review_shows_nothing_of_confidence(lead, other_lead, alice, bob):
    make_active(lead, other_lead, alice)
    item = make_answer(alice, 99)
    run_blind(lead)

    page = page_of(sign_in(bob), f"/items/{item.pk}/")

    assert "labels on this rule" not in page.text
    assert "alibrated" not in page.text
    assert not page.find("rect", class_="span")
