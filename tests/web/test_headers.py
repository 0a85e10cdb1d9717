"""What every answer carries: no script but our own, kept by nobody, framed by nobody; and the two cookies there are."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.accounts.signing_in import sign_in_with
from tests.factories import sign_in
from tests.ledger.deeds import prepare
from tests.web.endpoints import ENDPOINTS, sign_in_addresses

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
ALWAYS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
INLINE = re.compile(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE)


def policy_of(response) -> dict[str, str]:
    directives = response["Content-Security-Policy"].split(";")
    return dict(directive.strip().split(" ", 1) for directive in directives)


def check_headers(response) -> None:
    assert policy_of(response) == POLICY
    assert {name: response.get(name) for name in ALWAYS} == ALWAYS
    assert "no-store" in response["Cache-Control"]
    assert {"Cookie", "HX-Request"} <= {name.strip() for name in response["Vary"].split(",")}
    assert {"Server", "X-Powered-By"} & set(response.headers) == set()
    if response["Content-Type"].startswith("text/html"):
        assert not INLINE.search(response.content.decode())


def test_the_policy_lets_nothing_unsafe_in():
    assert not re.search(r"unsafe|\*|https?:|blob:", " ".join(POLICY.values()))


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_address_answers_with_them(db, name, headers):
    check_headers(prepare(name).send(**headers))


@pytest.mark.parametrize("name", ENDPOINTS)
def test_nobody_is_turned_away_without_them(db, name):
    deed = prepare(name)
    deed.client = Client()

    check_headers(deed.send())


@pytest.mark.parametrize("address", sign_in_addresses(), ids=lambda address: address.name)
def test_the_sign_in_pages_answer_with_them(alice, address):
    path = "/accounts/password/reset/key/1-x-y/" if "key/" in address.route and "done" not in address.route else address.path()

    for client in (Client(), sign_in(alice)):
        check_headers(client.get(path))


@pytest.mark.parametrize("path", ["/nowhere/", "/api/v1/nowhere", "/queue/next/", "/accounts/", "/items/x/"])
def test_refusals_carry_them_too(alice, path):
    check_headers(sign_in(alice).get(path))


def test_a_file_of_ours_is_no_page_and_taken_for_nothing_else(client, settings):
    settings.WHITENOISE_USE_FINDERS = True
    response = client.get("/static/css/base.css")

    assert (response.status_code, response["Content-Type"].partition(";")[0]) == (200, "text/css")
    assert response["X-Content-Type-Options"] == "nosniff"
    response.close()


def test_there_are_three_cookies_and_no_script_can_read_them(client, alice):
    client.get("/accounts/login/")
    sign_in_with(client, alice.user.email)
    client.get("/queue/")

    cookies = {
        name: (bool(morsel["httponly"]), morsel["samesite"], morsel["path"], morsel["domain"]) for name, morsel in client.cookies.items()
    }
    assert cookies == dict.fromkeys(["csrftoken", "known", "sessionid"], (True, "Lax", "/", ""))


@pytest.mark.parametrize("name", ENDPOINTS)
def test_no_address_sets_another_cookie(db, name):
    assert prepare(name).send().cookies.keys() <= {"csrftoken", "sessionid"}


def test_the_session_cookie_goes_with_the_browser(client, alice):
    sign_in_with(client, alice.user.email)

    assert client.cookies["sessionid"]["max-age"] == ""
    assert client.session.get_expiry_age() <= 12 * 60 * 60
