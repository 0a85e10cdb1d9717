"""The two switches for answers that cite nothing: who may turn them, what may be chosen, and what is written down."""

from __future__ import annotations

import pytest

from reviewers.accounts.actions import switch_citation_search
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation, Role, SearchWay
from reviewers.accounts.policies import NotConfigured
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, make_member, sign_in
from tests.markup import read_markup

REPAIR, SEARCH, UNIT = "/settings/repair/", "/settings/citation-search/", "/settings/search-unit/"


def stand(member) -> tuple[bool, str]:
    organisation = Organisation.objects.get(pk=member.organisation_id)
    return organisation.repairs_answers, organisation.citation_search


def radios(client) -> dict[str, tuple[bool, bool]]:
    """The ways on the page: whether each is chosen and can be."""
    found = read_markup(client.get("/settings/")).one("form", action=SEARCH).find("input", type="radio")
    return {each["value"]: (each.get("checked") is not None, each.get("disabled") is None) for each in found}


def test_both_are_off_at_first(lead):
    assert stand(lead) == (False, "off")


def test_each_turn_is_written_down_with_what_was_before_and_after(lead):
    client = sign_in(lead)
    for path, form in [
        (REPAIR, {"on": "1"}),
        (SEARCH, {"to": "words"}),
        (SEARCH, {"to": "off"}),
        (UNIT, {"to": "clause"}),
        (REPAIR, {"on": "0"}),
    ]:
        assert client.post(path, form).status_code == 302

    assert [event["details"] for event in events("switch.changed")] == [
        {"switch": "repairs_answers", "from": False, "to": True},
        {"switch": "citation_search", "from": "off", "to": "words"},
        {"switch": "citation_search", "from": "words", "to": "off"},
        {"switch": "search_unit", "from": "sentence", "to": "clause"},
        {"switch": "repairs_answers", "from": True, "to": False},
    ]
    assert {event["actor"]["id"] for event in events("switch.changed")} == {str(lead.user_id)}


@pytest.mark.parametrize(("path", "form"), [(REPAIR, {"on": "1"}), (SEARCH, {"to": "words"})])
def test_turning_one_to_where_it_stands_changes_nothing(lead, path, form):
    client = sign_in(lead)
    for _ in range(2):
        assert client.post(path, form).status_code == 302

    assert len(events("switch.changed")) == 1


@pytest.mark.parametrize("role", Role)
def test_only_a_lead_turns_them(organisation, role):
    member = make_member(organisation, role)
    client = sign_in(member)
    statuses = [client.post(REPAIR, {"on": "1"}).status_code, client.post(SEARCH, {"to": "words"}).status_code]

    assert statuses == ([302, 302] if role == Role.LEAD else [403, 403])
    assert stand(member) == ((True, "words") if role == Role.LEAD else (False, "off"))


@pytest.mark.parametrize("role", [Role.LEAD, Role.AUDITOR, Role.ADMINISTRATOR])
def test_who_may_read_the_settings_sees_how_they_stand_and_the_forms_only_if_they_are_theirs(organisation, role):
    Organisation.objects.filter(pk=organisation.pk).update(citation_search="words")
    page = sign_in(make_member(organisation, role)).get("/settings/").content.decode()

    assert '<span class="badge" data-tone="good">By words</span>' in page
    assert "Each sentence is compared with the sources, on this site." in page
    assert {path: f'action="{path}"' in page for path in (REPAIR, SEARCH, UNIT)} == dict.fromkeys((REPAIR, SEARCH, UNIT), role == Role.LEAD)


@pytest.mark.parametrize("form", [{}, {"to": ""}, {"to": "on"}, {"to": "model"}, {"to": "\x00"}])
def test_a_form_that_says_no_way_that_can_be_gone_changes_nothing(lead, form):
    response = sign_in(lead).post(SEARCH, form)

    assert response.status_code == 422
    assert stand(lead) == (False, "off")
    assert events("switch.changed") == []


def test_a_model_can_be_chosen_only_where_an_endpoint_is_set_up_and_the_page_names_its_host(lead, settings):
    client = sign_in(lead)
    settings.MODEL_URL = ""
    without = radios(client)
    settings.MODEL_URL = "https://somebody:secret@models.example.org:8443/v1"
    page = client.get("/settings/").content.decode()

    assert without == {"off": (True, True), "words": (False, True), "model": (False, False)}
    assert radios(client)["model"] == (False, True)
    assert "are sent to models.example.org, which" in page
    assert "secret" not in page
    assert client.post(SEARCH, {"to": "model"}).status_code == 302
    assert stand(lead) == (False, "model")


def test_nor_can_a_program_choose_it_where_there_is_none(organisation, settings):
    settings.MODEL_URL = ""
    with pytest.raises(NotConfigured, match="No model endpoint"):
        switch_citation_search(organisation=organisation, to=SearchWay.MODEL, at=NOW, by=SYSTEM)


def test_another_organisation_is_not_touched(lead, charlie):
    client = sign_in(lead)
    client.post(REPAIR, {"on": "1"})
    client.post(SEARCH, {"to": "words"})

    with tenant.within(charlie.organisation_id):
        assert stand(charlie) == (False, "off")
