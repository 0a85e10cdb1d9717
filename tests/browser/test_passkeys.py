"""Passkeys in a real browser, with a device that Chromium plays."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import Chromium, close_context
from tests.browser.desk import sign_in
from tests.browser.site import Site
from tests.browser.watching import Complaints


@pytest.fixture
def page(browser: Chromium, site: Site) -> Iterator[Page]:
    """A page of the site by a name: an address of numbers alone can have no passkeys."""
    context = browser.new_context(base_url=site.address.replace("127.0.0.1", "localhost"))
    complaints = Complaints(context)
    page = context.new_page()
    device = context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    kept = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    device.send("WebAuthn.addVirtualAuthenticator", {"options": kept | {"automaticPresenceSimulation": True}})
    yield page
    complaints.close()
    close_context(context)
    complaints.check()


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.get_by_role("button", name="Sign out").last.click()
    page.wait_for_url("**/accounts/login/")


def test_one_is_added_signs_in_proves_and_is_removed(page: Page, site: Site):
    sign_in(page, site, "auditor")
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("Ward tablet")
    page.get_by_role("button", name="Add the passkey").click()
    page.wait_for_url("**/recovery-codes/")
    sign_out(page)

    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(lambda url: "/accounts/" not in url)
    page.goto("/accounts/2fa/")
    row = page.get_by_role("row", name=re.compile("Ward tablet"))
    expect(row).to_be_visible()
    row.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Confirm with a passkey").click()
    page.get_by_role("button", name="Remove the passkey").click()

    page.wait_for_url("**/accounts/2fa/")
    expect(page.get_by_text("You have none yet.")).to_be_visible()


def test_without_a_device_the_password_is_still_there(page: Page, site: Site):
    page.goto("/accounts/login/")
    page.evaluate("navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError')); 0")

    page.get_by_role("button", name="Sign in with a passkey").click()

    expect(page.get_by_role("alert")).to_contain_text("No passkey was used.")
    sign_in(page, site, "auditor")
