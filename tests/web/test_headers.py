"""Headers of every response: no script but our own, stored by nobody, framed by nobody; and the two cookies."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tests.accounts.signing_in import sign_in_with
from tests.factories import sign_in
from tests.web.endpoints import sign_in_addresses
from tests.web.safe import POLICY, check_headers


def test_the_policy_lets_nothing_unsafe_in():
    assert not re.search(r"unsafe|\*|https?:|blob:", " ".join(POLICY.values()))


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


def test_the_session_cookie_goes_with_the_browser(client, alice):
    sign_in_with(client, alice.user.email)

    assert client.cookies["sessionid"]["max-age"] == ""
    assert client.session.get_expiry_age() <= 12 * 60 * 60
