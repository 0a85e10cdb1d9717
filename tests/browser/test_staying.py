"""The end of a session, as one sees it: said before it comes, put off by a key, and afterwards back to the same row and the same words.

The site of this file ends sessions after seconds rather than minutes, so these tests wait for some.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import close_context
from tests.browser.desk import current_row, sign_in
from tests.browser.site import Demonstration, Site, running_site

WORDS = "this is about half of what I"
ENDS_SOON = "Your session ends in about"


@pytest.fixture(scope="module")
def hasty(demonstration: Demonstration, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with short sessions, though not so short that a busy machine takes longer to open a page."""
    folder = tmp_path_factory.mktemp("hasty")
    with running_site(demonstration, folder, FOOTNOTE_IDLE_SECONDS="30", FOOTNOTE_WARNING_SECONDS="22") as site:
        yield site


@pytest.fixture
def page(browser, hasty: Site) -> Iterator[Page]:
    """A reviewer who has just signed in."""
    context = browser.new_context(base_url=hasty.address, reduced_motion="reduce")
    page = context.new_page()
    sign_in(page, hasty, "reviewer")
    yield page
    close_context(context)


@pytest.mark.exhaustive
def test_the_end_is_said_before_it_comes_and_takes_the_focus_from_nobody(page, hasty):
    page.goto(hasty.freeze())
    page.keyboard.press("n")

    expect(page.locator("#staying [role=status]")).to_contain_text(ENDS_SOON)
    expect(page.locator("tbody[data-current] input[name=note]")).to_be_focused()
    expect(page.get_by_role("button", name="Stay signed in")).to_be_visible()


@pytest.mark.exhaustive
def test_a_key_puts_it_off(page, hasty):
    page.goto("/queue/")
    said = page.locator("#staying [role=status]")
    expect(said).to_contain_text(ENDS_SOON)

    with page.expect_response("**/session/stay/") as answer:
        page.keyboard.press("F8")

    assert answer.value.json()["left"] >= 23
    expect(said).to_be_empty()
    expect(page.get_by_role("button", name="Stay signed in")).to_be_hidden()


def test_after_it_one_is_back_at_the_row_and_the_words_are_there(page, hasty):
    path = hasty.freeze()
    page.goto(path)
    for key in "jjn":
        page.keyboard.press(key)
    row = current_row(page).get_attribute("id")
    page.keyboard.type(WORDS)

    page.wait_for_url("**/accounts/login/?next=*&ended=idle", timeout=60_000)
    expect(page.get_by_role("status")).to_contain_text("Your session has ended")
    assert WORDS not in page.content()
    page.fill("#id_login", "reviewer@harborlights.example")
    page.fill("#id_password", hasty.password)
    page.keyboard.press("Enter")

    page.wait_for_url(f"**{path}#{row}")
    assert current_row(page).get_attribute("id") == row
    expect(current_row(page).locator("input[name=note]")).to_have_value(WORDS)
    assert WORDS not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")


def test_words_that_were_saved_do_not_come_back(open_as, site):
    page = open_as("reviewer", site.freeze())
    page.keyboard.press("n")
    with page.expect_response("**/drafts/keep/"):
        page.keyboard.type(WORDS)
    with page.expect_response("**/drafts/keep/"):
        page.keyboard.press("Enter")
    expect(page.locator(".note")).to_have_text(WORDS)

    with page.expect_response("**/drafts/?page=*") as answer:
        page.reload()
    assert answer.value.json() == {}
