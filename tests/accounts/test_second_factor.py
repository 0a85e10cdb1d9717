"""The second factor: asked for by the organisation, set up by each member, needed from then on."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from reviewers.accounts.actions import switch_second_factor
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role
from tests.accounts.signing_in import (
    clock_stands,
    code_of,
    factors_of,
    give_recovery_codes,
    give_second_factor,
    is_signed_in,
    sign_in_with,
)
from tests.events import actions_of, events
from tests.factories import NOW, PASSWORD, make_item, make_key, make_member, sign_in, without_proofs
from tests.sampling import sampled
from tests.state import state_of_tables
from tests.statements import statements_of
from tests.web.endpoints import ENDPOINTS, Address, guarded_addresses
from tests.web.forms import valid_form

SET_UP = "/accounts/2fa/totp/activate/"
TAKE_AWAY = "/accounts/2fa/totp/deactivate/"
ASKED = "/accounts/2fa/authenticate/"
CODES = "/accounts/2fa/recovery-codes/"


@pytest.fixture
def strict(organisation):
    """Alice's organisation asks for a second factor."""
    switch_second_factor(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    return organisation


def open_page(client: Client, path: str = SET_UP, code: str = ""):
    """A page for which the password is asked once more, and a code of whoever has a second factor."""
    page = client.get(path, follow=True)
    if not page.redirect_chain:
        return page
    way, _ = page.redirect_chain[-1]
    assert way.startswith("/accounts/reauthenticate/?next="), way
    return client.post(way, {"password": PASSWORD} | ({"code": code} if code else {}), follow=True)


def set_up(client: Client) -> str:
    """Set a second factor up on the page for it, as an app would by its picture; returns the secret."""
    secret = open_page(client).context["form"].secret
    with clock_stands():
        done = client.post(SET_UP, {"code": code_of(secret)})
    assert done.status_code == 302, done.content.decode()
    return secret


def ask(client: Client, address: Address, item):
    (method,) = ENDPOINTS[address.name][1]
    path = address.path(item_id=item.pk, key_id=item.pk, member_id=item.pk, organisation_id=item.pk)
    return client.get(path) if method == "GET" else client.post(path, valid_form(address.name, item))


def test_an_administrator_switches_it_on_and_it_is_written_down(administrator, organisation):
    sign_in(administrator).post("/settings/second-factor/", {"on": "1"})

    organisation.refresh_from_db()
    assert organisation.requires_second_factor
    (event,) = events("switch.changed")
    assert event["details"] == {"switch": "requires_second_factor", "from": False, "to": True}
    assert event["actor"] == {"kind": "user", "id": str(administrator.user_id)}


@pytest.mark.parametrize("on", ["1", "0"])
def test_switching_it_takes_a_fresh_proof(administrator, organisation, on):
    """Where it is off, two people without a second factor decide together: nobody switches it at somebody's open browser."""
    type(organisation).objects.filter(pk=organisation.pk).update(requires_second_factor=on == "0")
    give_second_factor(administrator)

    asked = without_proofs(administrator).post("/settings/second-factor/", {"on": on})

    organisation.refresh_from_db()
    assert "Confirm" in asked.content.decode()
    assert organisation.requires_second_factor == (on == "0")


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.LEAD, Role.COORDINATOR, Role.AUDITOR])
def test_nobody_else_switches_it(organisation, role):
    response = sign_in(make_member(organisation, role)).post("/settings/second-factor/", {"on": "1"})

    organisation.refresh_from_db()
    assert (response.status_code, organisation.requires_second_factor) == (403, False)


def test_the_administrator_who_switches_it_on_is_asked_first_of_all(administrator):
    client = sign_in(administrator)

    after = client.post("/settings/second-factor/", {"on": "1"}, follow=True)

    assert after.redirect_chain[:2] == [("/settings/", 302), (SET_UP, 302)]


@pytest.mark.parametrize("role", sampled(Role, more=2))
def test_a_member_without_one_is_led_to_set_it_up_and_can_do_nothing_else(strict, item, role):
    client = sign_in(make_member(strict, role))
    before = state_of_tables()

    answers = {address.name: ask(client, address, item) for address in guarded_addresses()}

    assert {
        name: answer.status_code
        for name, answer in answers.items()
        if (answer.status_code, answer.get("Location"), answer.content) != (302, SET_UP, b"")
    } == {}
    assert state_of_tables() == before


def test_a_part_of_a_page_leads_the_whole_window_there(strict, alice, item):
    response = sign_in(alice).get(f"/items/{item.pk}/unfound/", headers={"HX-Request": "true"})

    assert (response.status_code, response.content, response["HX-Redirect"]) == (200, b"", SET_UP)


def test_it_holds_for_the_next_request_of_sessions_that_are_open(organisation, alice, item):
    client = sign_in(alice)
    before = client.get(f"/items/{item.pk}/").status_code
    switch_second_factor(organisation=organisation, on=True, at=NOW, by=SYSTEM)

    assert (before, client.get(f"/items/{item.pk}/").status_code) == (200, 302)
    switch_second_factor(organisation=organisation, on=False, at=NOW, by=SYSTEM)
    assert client.get(f"/items/{item.pk}/").status_code == 200


def test_other_organisations_are_not_asked(strict, charlie):
    assert sign_in(charlie).get("/queue/").status_code == 200


def test_programs_are_not_asked(strict):
    client = Client(headers={"Authorization": f"Bearer {make_key(strict)}"})

    assert client.get("/api/v1/instruction").status_code == 200


def test_the_way_out_stays_open(strict, alice):
    client = sign_in(alice)

    assert client.get("/accounts/logout/").status_code == 200
    assert client.post("/accounts/logout/").status_code == 302
    assert not is_signed_in(client)


def test_setting_one_up_opens_the_work(client, strict, alice):
    sign_in_with(client, alice.user.email)
    turned_away = client.get("/queue/")["Location"]
    set_up(client)

    assert turned_away == SET_UP
    assert client.get("/queue/").status_code == 200
    assert factors_of(alice.user) == ["recovery_codes", "totp"]


def test_setting_one_up_asks_for_the_password_once_more(strict, alice):
    client = sign_in(alice)

    sent = client.get(SET_UP)

    assert sent["Location"].startswith("/accounts/reauthenticate/?next=")
    assert client.post(sent["Location"], {"password": "not the passphrase"}).status_code == 422
    assert client.post(sent["Location"], {"password": PASSWORD})["Location"] == SET_UP
    assert client.get(SET_UP).status_code == 200


def test_an_address_that_nobody_ever_confirmed_is_no_hindrance(client, strict, alice):
    """Nobody signs up here: an administrator has given the address, and no message asks to confirm it."""
    EmailAddress.objects.create(user=alice.user, email=alice.user.email, primary=True, verified=False)
    sign_in_with(client, alice.user.email)
    set_up(client)

    assert client.get("/queue/").status_code == 200


def test_its_page_shows_the_secret_as_picture_and_as_text_and_lets_no_script_in(client, strict, alice):
    sign_in_with(client, alice.user.email)

    page = open_page(client)

    text = page.content.decode()
    assert page.context["form"].secret in text
    assert 'src="data:image/svg+xml;base64,' in text
    assert re.findall(r"<script[^>]*>", text) == ['<script src="/static/js/staying.js" type="module">']
    assert not re.search(r"\sstyle=", text)


@pytest.mark.parametrize("code", ["", "000000", "12345", "1234567", "abcdef", "\x00", "９９９９９９"])
def test_a_wrong_code_sets_nothing_up(client, strict, alice, code):
    sign_in_with(client, alice.user.email)
    page = open_page(client)
    if code == code_of(page.context["form"].secret):
        pytest.skip("one in a million")

    response = client.post(SET_UP, {"code": code})

    assert response.status_code == 200
    assert factors_of(alice.user) == []


def test_setting_one_up_is_written_down_without_its_secret(client, alice):
    sign_in_with(client, alice.user.email)
    secret = set_up(client)

    added = events("second_factor.added")
    assert [event["details"] for event in added] == [{"factor": "totp"}, {"factor": "recovery_codes"}]
    assert {(event["actor"]["id"], event["object"]["id"]) for event in added} == {(str(alice.user_id),) * 2}
    assert secret not in str(added)


def test_from_then_on_the_password_alone_lets_nobody_in(client, alice):
    give_second_factor(alice)

    response = sign_in_with(client, alice.user.email)

    assert response["Location"] == ASKED
    assert not is_signed_in(client)
    assert client.get("/queue/").status_code == 302
    assert actions_of(events("session.started")) == []


def test_password_and_code_let_one_in(client, alice):
    secret = give_second_factor(alice)
    sign_in_with(client, alice.user.email, next="/queue/?state=skipped")

    with clock_stands():
        response = client.post(ASKED, {"code": code_of(secret)})

    assert response["Location"] == "/queue/?state=skipped"
    assert is_signed_in(client)
    assert len(events("session.started")) == 1


def test_a_code_works_once(client, alice):
    secret = give_second_factor(alice)
    other = Client()
    sign_in_with(client, alice.user.email)
    sign_in_with(other, alice.user.email)

    with clock_stands():
        client.post(ASKED, {"code": code_of(secret)})
        again = other.post(ASKED, {"code": code_of(secret)})

    assert (is_signed_in(client), is_signed_in(other), again.status_code) == (True, False, 200)


@pytest.mark.parametrize("periods", [-2, 2])
def test_a_code_of_another_time_does_not_work(client, alice, periods):
    secret = give_second_factor(alice)
    sign_in_with(client, alice.user.email)

    with clock_stands():
        client.post(ASKED, {"code": code_of(secret, periods)})

    assert not is_signed_in(client)


def test_a_wrong_code_lets_nobody_in_and_is_written_down(client, alice):
    give_second_factor(alice)
    sign_in_with(client, alice.user.email)

    response = client.post(ASKED, {"code": "abcdef"})

    assert response.status_code == 200
    assert not is_signed_in(client)
    assert [(event["actor"]["kind"], event["object"]["id"]) for event in events("session.refused")] == [("system", str(alice.user_id))]


def test_the_code_is_asked_of_nobody_who_has_not_given_a_password(client, alice):
    give_second_factor(alice)

    assert client.get(ASKED)["Location"] == "/accounts/login/"
    assert client.post(ASKED, {"code": "123456"})["Location"] == "/accounts/login/"


def test_a_recovery_code_lets_one_in_once(client, alice):
    give_second_factor(alice)
    code, *_ = give_recovery_codes(alice)
    other = Client()
    sign_in_with(client, alice.user.email)
    client.post(ASKED, {"code": code})
    sign_in_with(other, alice.user.email)
    other.post(ASKED, {"code": code})

    assert (is_signed_in(client), is_signed_in(other)) == (True, False)


def test_recovery_codes_are_shown_to_their_owner_only_and_only_after_password_and_code(client, alice, bob):
    secret = give_second_factor(alice)
    codes = give_recovery_codes(alice)

    assert sign_in(bob).get(CODES).status_code == 404
    sign_in_with(client, alice.user.email)
    client.post(ASKED, {"code": codes[0]})
    assert client.get(CODES)["Location"].startswith("/accounts/reauthenticate/")
    with clock_stands():
        shown = open_page(client, CODES, code_of(secret)).content.decode()
    assert codes[1] in shown
    assert codes[0] not in shown


def test_new_recovery_codes_replace_the_old_ones_and_are_written_down(client, alice):
    sign_in_with(client, alice.user.email)
    set_up(client)
    old = client.get(CODES).context["unused_codes"]

    client.post(f"{CODES}generate/")

    new = client.get(CODES).context["unused_codes"]
    assert (len(new), set(old) & set(new)) == (10, set())
    assert actions_of(events())[-2:] == ["second_factor.removed", "second_factor.added"]
    assert events()[-1]["details"] == {"factor": "recovery_codes"}


def test_taking_it_away_closes_the_work_in_all_sessions_at_once(client, strict, alice):
    sign_in_with(client, alice.user.email)
    set_up(client)
    other = sign_in(alice)
    before = [each.get("/queue/").status_code for each in (client, other)]

    client.post(TAKE_AWAY)

    assert factors_of(alice.user) == []
    assert before == [200, 200]
    assert client.get("/queue/")["Location"] == SET_UP
    assert other.get("/queue/")["Location"].startswith("/accounts/login/")
    assert {event["details"]["factor"] for event in events("second_factor.removed")} == {"totp", "recovery_codes"}


def test_recovery_codes_alone_are_no_second_factor(strict, alice):
    give_recovery_codes(alice)

    assert sign_in(alice).get("/queue/")["Location"] == SET_UP


def test_whoever_has_one_is_not_held_up(strict, alice):
    give_second_factor(alice)

    assert sign_in(alice).get("/queue/").status_code == 200


def test_it_costs_no_query_of_its_own(strict, alice):
    give_second_factor(alice)
    make_item(strict)
    client = sign_in(alice)
    client.get("/")

    assert len(statements_of(lambda: client.get("/"))) <= 3


def test_a_deployment_requires_it_of_everybody(settings, alice):
    settings.SECOND_FACTOR_REQUIRED = True
    client = sign_in(alice)

    assert [client.get(path)["Location"] for path in ("/", "/queue/", "/organisations/")] == [SET_UP] * 3
    give_second_factor(alice)
    assert client.get("/queue/").status_code == 200


def test_another_factor_ends_all_other_sessions_at_once_and_keeps_this_one(alice, bob):
    here, elsewhere, somebody_else = sign_in(alice), sign_in(alice), sign_in(bob)

    set_up(here)

    assert [client.get("/queue/").status_code for client in (here, elsewhere, somebody_else)] == [200, 302, 200]
    (ended,) = events("session.ended")
    assert ended["details"] == {"reason": "factor_changed"}


def test_taking_the_factor_away_ends_all_other_sessions_too(alice):
    secret = give_second_factor(alice)
    here, elsewhere = sign_in(alice), sign_in(alice)
    with clock_stands():
        open_page(here, TAKE_AWAY, code_of(secret))
        here.post(TAKE_AWAY)

    assert [client.get("/queue/").status_code for client in (here, elsewhere)] == [200, 302]
