"""Members by keyboard alone, as an administrator who is asked who they are; and a reason before a record, as an auditor."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import sign_in
from tests.browser.site import Site


@pytest.fixture
def administrator(open_as, site) -> Page:
    """With a session of their own, in which nobody has proved anything yet."""
    page = open_as(None, "/accounts/login/")
    sign_in(page, site, "administrator")
    return page


NAME = "(({ ariaLabel, labels, innerText }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText)(document.activeElement)"


def tab_to(page: Page, name: str) -> None:
    """Go on from element to element until the one of this name has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(NAME) == name:
            return
    raise AssertionError(f"{name} is not reached by keyboard")


def prove(page: Page, site: Site) -> None:
    """Each act asks anew; the page that asks has the focus where one types, and then the form goes on as it was sent."""
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    page.keyboard.type(site.password)
    page.keyboard.press("Enter")


def test_somebody_is_invited_given_another_role_and_leaves_by_keyboard_alone(administrator, site):
    page = administrator
    page.goto("/settings/")
    tab_to(page, "Members and roles")
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings/members/")

    tab_to(page, "E-mail address")
    page.keyboard.type("keya@harborlights.example")
    page.keyboard.press("Enter")
    prove(page, site)
    expect(page.locator(".messages")).to_contain_text("An invitation is on its way to keya@harborlights.example.")
    site.accept(site.work(), "Keya Board")
    page.reload()

    tab_to(page, "Role of Keya Board")
    page.keyboard.press("L")  # the headless shell tells capitals from small letters here
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    prove(page, site)
    expect(page.locator(".messages")).to_have_text("Keya Board is now lead.")

    tab_to(page, "End the membership of Keya Board")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    prove(page, site)
    expect(page.locator(".messages")).to_have_text("Keya Board is no member any more.")
    expect(page.locator("table.stack").filter(has_text="Was")).to_contain_text("Keya Board")


def test_what_was_sent_is_done_after_the_proof_and_a_wrong_one_keeps_it(administrator, site, expect_complaints):
    page = administrator
    page.goto("/settings/retention/")
    expect_complaints(page, "422: POST .*/settings/retention/set/")
    page.get_by_label("Labels, notes, flags and submissions, kept for").fill("11")
    page.keyboard.press("Enter")

    page.get_by_label("Password").fill("not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("That was not right")
    page.get_by_label("Password").fill(site.password)
    page.keyboard.press("Enter")

    expect(page.locator(".messages")).to_have_text("Labels, notes, flags and submissions: 11 years from now on.")
    expect(page.get_by_label("Labels, notes, flags and submissions, kept for")).to_have_value("11")


def test_where_it_is_wanted_an_auditor_says_why_first(administrator, open_as, site):
    path = site.freeze()
    switch = administrator.locator(".switch", has_text="Ask why a record is opened").get_by_role("button")
    administrator.goto("/settings/")
    switch.click()
    try:
        page = open_as("auditor", path)
        expect(page.get_by_role("heading")).to_have_text("Why do you open this record?")
        page.get_by_label("In a few words").fill("the yearly look")
        page.keyboard.press("Enter")
        expect(page.locator(".answer")).to_be_visible()
        page.goto("/access/")
        expect(page.locator("tbody tr").filter(has_text="the yearly look")).to_have_count(1)
    finally:
        administrator.goto("/settings/")
        switch.click()
