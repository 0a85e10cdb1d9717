"""The sign-in package's addresses: which of them this house has, and for whom."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from tests.factories import sign_in
from tests.web.endpoints import ENDPOINTS, sign_in_addresses

FOR_ANYBODY = {
    "account_login",
    "account_logout",
    "account_inactive",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "mfa_authenticate",
    "invitation",
    "mfa_login_webauthn",
    "sign_on",
    "sign_on_begin",
    "sign_on_return",
}
FOR_ONESELF = {
    "own_sessions",
    "account_reauthenticate",
    "account_change_password",
    "mfa_index",
    "mfa_reauthenticate",
    "mfa_activate_totp",
    "mfa_add_webauthn",
    "mfa_remove_webauthn",
    "mfa_deactivate_totp",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_download_recovery_codes",
}

CLOSED = ["signup/", "email/", "confirm-email/", "password/set/", "login/code/confirm/", "3rdparty/", "sessions/", "signup/passkey/"]


def path_of(address) -> str:
    """The path; that of a message's link has a pattern of its own kind."""
    if address.name == "account_reset_password_from_key":
        return "/accounts/password/reset/key/1-set-password/"
    if address.name == "invitation":
        return f"/accounts/invitation/{uuid.uuid4()}/{'0' * 64}/"
    return address.path(provider_id=uuid.uuid4())


def test_every_address_of_the_package_is_one_that_this_house_wants():
    assert {address.name for address in sign_in_addresses()} == FOR_ANYBODY | FOR_ONESELF
    assert not (FOR_ANYBODY | FOR_ONESELF) & ENDPOINTS.keys()


@pytest.mark.parametrize("path", CLOSED)
def test_nobody_signs_up_or_changes_the_address_by_which_a_password_is_reset(client, alice, path):
    assert client.get(f"/accounts/{path}").status_code == 404
    assert sign_in(alice).post(f"/accounts/{path}", {"email": "mine@elsewhere.example", "action_add": ""}).status_code == 404


@pytest.mark.parametrize("address", sign_in_addresses(), ids=lambda address: address.name)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_is_for_oneself_is_for_nobody_else(db, address, method):
    response = Client().generic(method, path_of(address))

    if address.name in FOR_ONESELF:
        assert response.status_code in (302, 403), response.status_code
        assert response.status_code == 403 or response["Location"].startswith("/accounts/login/")
    else:
        assert response.status_code in (200, 302, 405) or (address.name == "invitation" and response.status_code == 404)


@pytest.mark.parametrize("address", sign_in_addresses(), ids=lambda address: address.name)
def test_every_form_asks_for_the_token_against_forged_requests(alice, address):
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice.user)

    assert client.post(path_of(address)).status_code == 403
