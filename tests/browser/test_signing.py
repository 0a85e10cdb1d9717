"""A review is signed by keyboard alone; changed, it is void on the page that changes it; a lead approves it again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import row_of, sign_in
from tests.browser.reaching_answers import submitted
from tests.browser.test_administration import tab_to


@pytest.fixture
def path(open_as, site) -> str:
    """An answer that the reviewer has submitted."""
    return submitted(open_as, site)


def as_somebody(open_as, site, role: str) -> Page:
    """In a session of their own, in which nobody has proved anything yet."""
    page = open_as(None, "/accounts/login/")
    sign_in(page, site, role)
    return page


def sign(page: Page, site, meaning: str) -> None:
    """On the page that says what is signed, by keyboard alone."""
    tab_to(page, "Sign this review")
    page.keyboard.press("Enter")
    page.wait_for_url("**/signing/")
    while page.evaluate("document.activeElement.type") != "radio":
        page.keyboard.press("Tab")
    if meaning == "Approved":
        page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name=meaning)).to_be_checked()
    tab_to(page, "Password")
    page.keyboard.type(site.password)
    page.keyboard.press("Enter")
    page.wait_for_url("**#signatures")


def test_a_review_is_signed_changed_and_approved(open_as, site, path):
    reviewer = as_somebody(open_as, site, "reviewer")
    reviewer.goto(path)
    sign(reviewer, site, "Reviewed")
    signatures = reviewer.locator("#signatures li")
    expect(signatures).to_have_count(1)
    expect(signatures.first).to_contain_text("Signed as reviewed by Marguerite Oyelaran")

    row = row_of(reviewer, "risk_level")
    row.locator("[data-reason]").fill("looked again")
    row.get_by_role("button", name="Misstated").click()
    expect(signatures.first).to_have_attribute("data-standing", "void")
    expect(signatures.first).to_contain_text("Changed since signing: 1 label.")

    lead = as_somebody(open_as, site, "lead")
    lead.goto(path)
    sign(lead, site, "Approved")
    expect(lead.locator("#signatures li")).to_have_count(2)
    expect(lead.locator("#signatures li").last).to_have_attribute("data-standing", "holds")


def test_the_time_zone_is_the_one_of_the_browser(open_as, site, path):
    page = open_as(None, "/accounts/login/", timezone_id="Asia/Tokyo")
    sign_in(page, site, "lead")
    page.goto(f"{path}signing/")

    expect(page.get_by_label("Your time zone")).to_have_value("Asia/Tokyo")
