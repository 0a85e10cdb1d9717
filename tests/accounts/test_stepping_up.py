"""Asking once more who one is: a session alone is not enough for what is asked for here."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.models import Hurdle, Proof, ServiceKey
from reviewers.accounts.sign_in import throttle
from reviewers.accounts.sign_in.reauthentication import WORDS, Purpose
from tests.accounts.signing_in import clock_stands, code_of, give_recovery_codes, give_second_factor
from tests.events import events
from tests.factories import PASSWORD, prove

ASKS = "/accounts/reauthenticate/"
MAKE_KEY = "/settings/keys/"
KEY = {"name": "runtime & co", "scopes": ["ingest", "read"]}
WRONG = "not the passphrase at all"


@pytest.fixture
def client(administrator) -> Client:
    """A session, and nothing but the session."""
    client = Client()
    client.force_login(administrator.user)
    return client


def is_asked(response) -> bool:
    """Return True if the response is the page that asks for a proof instead of the requested one."""
    return response.status_code == 200 and "Confirm that it is you" in response.content.decode()


def with_proof(**more: str) -> dict[str, object]:
    return KEY | {"proof": "manage", "password": PASSWORD} | more


def test_a_session_alone_makes_no_key(client):
    assert is_asked(client.post(MAKE_KEY, KEY))
    assert ServiceKey.objects.count() == 0


def test_the_page_says_what_for_and_keeps_what_was_sent(client):
    page = client.post(MAKE_KEY, KEY).content.decode()

    assert f"about to <strong>{WORDS[Purpose.MANAGE]}</strong>" in page
    assert '<input type="hidden" name="name" value="runtime &amp; co">' in page
    assert page.count('name="scopes"') == 2
    assert f'action="{MAKE_KEY}"' in page


def test_whoever_would_rather_not_goes_back_to_the_page_they_came_from(client):
    page = client.post(MAKE_KEY, KEY, headers={"referer": "http://testserver/settings/?page=2"}).content.decode()
    again = client.post(MAKE_KEY, with_proof(password=WRONG, back="/settings/?page=2")).content.decode()

    assert all('<a class="button" href="/settings/?page=2">Not now</a>' in each for each in (page, again))


@pytest.mark.parametrize("referer", ["https://elsewhere.example/settings/", "http://testserver.elsewhere.example/", "javascript:alert(1)"])
def test_a_page_of_another_site_is_not_gone_back_to(client, referer):
    assert '<a class="button" href="/">Not now</a>' in client.post(MAKE_KEY, KEY, headers={"referer": referer}).content.decode()


def test_with_the_password_the_request_goes_on_as_it_was_sent(client):
    response = client.post(MAKE_KEY, with_proof())

    key = ServiceKey.objects.get()
    assert (response.status_code, key.name, key.scopes) == (200, "runtime & co", ["ingest", "read"])


def test_a_wrong_password_does_nothing_and_keeps_what_was_sent(client, administrator):
    response = client.post(MAKE_KEY, with_proof(password=WRONG))

    assert (response.status_code, ServiceKey.objects.count()) == (422, 0)
    assert 'value="runtime &amp; co"' in response.content.decode()
    assert WRONG not in response.content.decode()
    (event,) = events("proof.refused")
    assert event["actor"] == {"kind": "system", "id": None}
    assert event["details"] == {"purpose": "manage", "second_factor": False}
    assert event["object"]["id"] == str(administrator.user_id)


def test_whoever_has_a_second_factor_needs_both(client, administrator):
    secret = give_second_factor(administrator)
    with clock_stands():
        code = code_of(secret)
        refused = [
            client.post(MAKE_KEY, with_proof()),
            client.post(MAKE_KEY, with_proof(code="abcdef")),
            client.post(MAKE_KEY, with_proof(password=WRONG, code=code)),
            client.post(MAKE_KEY, with_proof(password="", code=code)),
        ]
        made = client.post(MAKE_KEY, with_proof(code=code))

    assert [response.status_code for response in refused] == [422] * 4
    assert (made.status_code, ServiceKey.objects.count()) == (200, 1)
    assert events("proof.given")[-1]["details"] == {"purpose": "manage", "second_factor": True, "proof": str(Proof.objects.get().pk)}


def test_a_recovery_code_stands_in_for_the_factor_once(client, administrator):
    give_second_factor(administrator)
    code, *_ = give_recovery_codes(administrator)

    statuses = [client.post(f"{ASKS}?for=export", {"proof": "export", "password": PASSWORD, "code": code}).status_code for _ in range(2)]

    assert statuses == [302, 422]


def test_one_proof_makes_one_key(client):
    client.post(MAKE_KEY, with_proof())

    assert is_asked(client.post(MAKE_KEY, KEY))
    proof = Proof.objects.get()
    assert (ServiceKey.objects.count(), proof.used_for) == (1, f"POST {MAKE_KEY}")
    assert events("proof.given")[-1]["details"]["proof"] == str(proof.pk)


def test_what_was_refused_gives_the_proof_back(client):
    refused = client.post(MAKE_KEY, with_proof(name=""))
    made = client.post(MAKE_KEY, KEY)

    assert (refused.status_code, made.status_code, ServiceKey.objects.count()) == (422, 200, 1)


def test_the_proof_holds_for_a_few_minutes_and_no_longer(client, administrator, settings):
    prove(client, administrator, Purpose.MANAGE, age=settings.PROOF_LASTS)
    too_late = client.post(MAKE_KEY, KEY)
    prove(client, administrator, Purpose.MANAGE, age=settings.PROOF_LASTS - timedelta(seconds=30))

    assert (is_asked(too_late), is_asked(client.post(MAKE_KEY, KEY))) == (True, False)
    assert ServiceKey.objects.count() == 1


def test_the_proof_is_that_of_one_session(client, administrator):
    client.post(MAKE_KEY, with_proof())
    other = Client()
    other.force_login(administrator.user)

    assert is_asked(other.post(MAKE_KEY, KEY))


@pytest.mark.parametrize("purpose", [purpose for purpose in Purpose if purpose != Purpose.MANAGE])
def test_the_proof_is_for_one_purpose(client, administrator, purpose):
    prove(client, administrator, purpose)

    assert is_asked(client.post(MAKE_KEY, KEY))
    assert is_asked(client.post(MAKE_KEY, with_proof(proof=purpose.value)))
    assert ServiceKey.objects.count() == 0


def test_what_was_opened_is_led_back_to(client):
    shown = client.get(f"{ASKS}?for=export&next=/settings/%3Fa%3D1%23keys")
    done = client.post(f"{ASKS}?for=export", {"proof": "export", "next": "/settings/?a=1#keys", "password": PASSWORD})

    assert WORDS[Purpose.EXPORT] in shown.content.decode()
    assert done["Location"] == "/settings/?a=1#keys"
    assert Proof.objects.get().purpose == "export"


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example/", "javascript:alert(1)"])
@pytest.mark.parametrize("purpose", ["export", "account"])
def test_it_never_leads_to_another_site(client, target, purpose):
    response = client.post(ASKS, {"proof": purpose, "next": target, "password": PASSWORD})

    assert response["Location"] == "/"


def test_after_a_few_wrong_tries_not_even_the_right_password_helps_for_a_while(client):
    for _ in range(throttle.FREE_FAILURES + 1):
        client.post(MAKE_KEY, with_proof(password=WRONG))

    closed = client.post(MAKE_KEY, with_proof())
    Hurdle.objects.update(closed_until=timezone.now())

    assert "too many wrong tries" in closed.content.decode()
    assert (closed.status_code, client.post(MAKE_KEY, with_proof()).status_code) == (422, 200)


def test_wrong_tries_in_a_stolen_session_do_not_stop_the_person_elsewhere(client, administrator):
    for _ in range(throttle.FREE_FAILURES + 1):
        client.post(MAKE_KEY, with_proof(password=WRONG))
    own = Client()
    own.force_login(administrator.user)

    own.post(MAKE_KEY, with_proof())

    assert ServiceKey.objects.count() == 1


def test_each_further_failure_makes_the_next_try_wait_twice_as_long():
    waits = [throttle.wait_after(failures) for failures in range(1, 30)]

    assert waits[:5] == [timedelta(minutes=minutes) for minutes in (1, 2, 4, 8, 16)]
    assert set(waits[5:]) == {throttle.LONGEST_WAIT}


def test_failures_of_another_day_are_forgotten(db):
    now = timezone.now()
    for _ in range(throttle.FREE_FAILURES + 3):
        throttle.count_failure("x", now)
    later = now + throttle.FORGOTTEN_AFTER + timedelta(seconds=1)
    throttle.count_failure("x", later)

    assert not throttle.is_blocked("x", later)
    assert throttle.delete_old_failures(later) == 0
    assert throttle.delete_old_failures(later + throttle.FORGOTTEN_AFTER + timedelta(seconds=1)) == 1


def test_an_htmx_request_leads_the_window_to_the_page_that_asks(client):
    response = client.post(MAKE_KEY, KEY, headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/settings/"})

    assert response["HX-Redirect"] == f"{ASKS}?next=%2Fsettings%2F&for=manage"
