"""The citation switch: it holds for the next answer, and everybody can see who turned it and how it stood."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from reviewers.accounts.models import Organisation, Role
from reviewers.snapshots.models import Snapshot
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import make_key, make_member, make_record, sign_in

CITATIONS = "/settings/citations/"


@pytest.fixture
def program(organisation) -> Client:
    """The agent runtime."""
    return Client(headers={"Authorization": f"Bearer {make_key(organisation)}"})


def is_on(program: Client) -> bool:
    return program.get("/api/v1/instruction").json()["on"]


def test_it_holds_for_the_very_next_question_of_a_program(lead, program):
    client = sign_in(lead)
    seen = [is_on(program)]
    for value in ("1", "0", "1"):
        client.post(CITATIONS, {"on": value})
        seen.append(is_on(program))

    assert seen == [False, True, False, True]


def test_while_it_is_off_there_is_no_text_to_follow(lead, program):
    off = program.get("/api/v1/instruction").json()
    sign_in(lead).post(CITATIONS, {"on": "1"})
    on = program.get("/api/v1/instruction").json()

    assert (off["text"], off["digest"]) == (None, None)
    assert "[[" in on["text"]
    assert on["digest"].startswith("sha256:")


def test_a_snapshot_says_how_it_stood_when_the_answer_was_frozen(lead, program):
    client = sign_in(lead)
    for value in ("1", "0"):
        client.post(CITATIONS, {"on": value})
        program.post("/api/v1/snapshots", json.dumps(make_record()), content_type="application/json")

    assert list(Snapshot.objects.order_by("id").values_list("instruction_switch", flat=True)) == [True, False]


def test_each_turn_is_written_down_with_what_was_before_and_after(lead):
    client = sign_in(lead)
    for value in ("1", "0"):
        client.post(CITATIONS, {"on": value})

    turned = events("switch.changed")
    assert [event["details"] for event in turned] == [
        {"switch": "asks_for_citations", "from": False, "to": True},
        {"switch": "asks_for_citations", "from": True, "to": False},
    ]
    assert {json.dumps(event["actor"], sort_keys=True) for event in turned} == {json.dumps({"id": str(lead.user_id), "kind": "user"})}
    assert {event["object"]["id"] for event in turned} == {str(lead.organisation_id)}


def test_turning_it_to_where_it_stands_changes_nothing(lead):
    client = sign_in(lead)
    for _ in range(2):
        assert client.post(CITATIONS, {"on": "1"}).status_code == 302

    assert len(events("switch.changed")) == 1


def test_from_two_open_pages_it_is_set_and_not_flipped(lead):
    """The button says what it does; pressed on a stale page it does no other thing."""
    one, other = sign_in(lead), sign_in(lead)
    one.get("/settings/")
    other.get("/settings/")

    one.post(CITATIONS, {"on": "1"})
    other.post(CITATIONS, {"on": "1"})

    assert Organisation.objects.get(pk=lead.organisation_id).asks_for_citations is True


@pytest.mark.parametrize("role", Role)
def test_only_a_lead_turns_it(organisation, role):
    response = sign_in(make_member(organisation, role)).post(CITATIONS, {"on": "1"})

    organisation.refresh_from_db()
    assert organisation.asks_for_citations is (role == Role.LEAD)
    assert response.status_code == (302 if role == Role.LEAD else 403)
    assert len(events("switch.changed")) == (1 if role == Role.LEAD else 0)


@pytest.mark.parametrize("role", [Role.LEAD, Role.AUDITOR, Role.ADMINISTRATOR])
def test_who_may_read_the_settings_sees_how_it_stands_and_the_button_only_if_it_is_theirs(organisation, role):
    Organisation.objects.filter(pk=organisation.pk).update(asks_for_citations=True)

    page = sign_in(make_member(organisation, role)).get("/settings/").content.decode()

    assert '<span class="badge" data-tone="good">On</span>' in page
    assert (f'action="{CITATIONS}"' in page) is (role == Role.LEAD)


@pytest.mark.parametrize("form", [{}, {"on": ""}, {"on": "yes"}, {"on": "2"}, {"on": "\x00"}])
def test_a_form_that_says_neither_on_nor_off_changes_nothing(lead, form):
    response = sign_in(lead).post(CITATIONS, form)

    assert response.status_code == 422
    assert events("switch.changed") == []


def test_another_organisation_is_not_touched(lead, charlie):
    sign_in(lead).post(CITATIONS, {"on": "1"})

    with tenant.within(charlie.organisation_id):
        assert Organisation.objects.get(pk=charlie.organisation_id).asks_for_citations is False
