"""A reviewer in trouble sees a plain sentence, and nothing that was typed is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import current_row, focused, hold, intercept, sign_in


def note_field(page: Page):
    return current_row(page).get_by_role("textbox", name="Note")


def type_note(page: Page, words: str = "worth keeping") -> None:
    page.keyboard.press("n")
    page.keyboard.type(words)
    page.keyboard.press("Enter")


@pytest.mark.parametrize("failure", ["connectionrefused", 500])
def test_a_site_that_fails_says_so_and_the_next_try_works(open_as, site, expect_complaints, failure):
    page = open_as("reviewer", site.freeze())
    if failure == 500:
        expect_complaints(page, "500: POST .*/note/", "htmx:responseError|Response Status Error")
        intercept(page, "**/note/", lambda route: route.fulfill(status=500, body="<h1>Something failed</h1>"))
        words = "Something failed on our side, and that was not saved. What you typed is still here; try again."
    else:
        expect_complaints(page, "failed: POST .*/note/", "error: htmx:afterRequest", "error: htmx:sendError")
        intercept(page, "**/note/", lambda route: route.abort(failure))
        words = "The site cannot be reached, so that was not saved. What you typed is still here; try again."

    type_note(page)
    expect(page.locator("#notice")).to_have_text(words)
    expect(page.locator("#notice")).to_be_in_viewport()
    expect(note_field(page)).to_have_value("worth keeping")
    assert focused(page) != "body"

    page.unroute("**/note/")
    page.keyboard.press("Enter")
    expect(current_row(page).locator(".note")).to_have_text("worth keeping")
    expect(page.locator("#notice")).not_to_be_visible()


def test_what_waits_behind_a_failure_is_not_sent(open_as, site, expect_complaints):
    path = site.freeze(response="Your risk is elevated.")
    page = open_as("reviewer", path)
    expect_complaints(page, "failed: POST .*/label/", "error: htmx:afterRequest", "error: htmx:sendError")
    release = hold(page, "**/label/")

    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    release("abort")

    expect(page.locator("#notice")).to_contain_text("cannot be reached")
    expect(page.locator("#lease")).not_to_have_text("Submitted")
    assert path in page.url


def test_a_session_that_ended_leads_to_signing_in_and_back(open_as, site):
    path = site.freeze()
    page = open_as("reviewer", path)
    page.context.clear_cookies(name="sessionid")

    page.keyboard.press("1")

    page.wait_for_url(f"**/accounts/login/?next={path}")


def test_a_note_outlives_the_session_it_was_typed_in(open_as, site, expect_complaints):
    page = open_as("reviewer", site.freeze())
    page.context.clear_cookies(name="sessionid")

    type_note(page)
    expect(page.locator("#notice")).to_have_text(
        "Your session has ended, so that was not saved. What you typed is still here: sign in again in another tab, then try again."
    )
    with page.expect_popup() as opened:
        page.get_by_role("link", name="sign in again").click()
    sign_in(opened.value, site, "reviewer")
    expect_complaints(page, "403: POST .*/note/", "403: POST .*/drafts/keep/", "Response Status Error")
    note_field(page).press("Enter")

    expect(current_row(page).locator(".note")).to_have_text("worth keeping")


def test_an_item_that_somebody_else_took_meanwhile_says_who_has_it(open_as, site, expect_complaints):
    path = site.freeze()
    page = open_as("reviewer", path)
    open_as("lead", path).get_by_role("button", name="Assign it to me").click()
    expect_complaints(page, "409: POST .*/label/", "409: POST .*/note/")

    page.keyboard.press("1")
    expect(page.locator("#notice")).to_have_text("Tobias Lindqvist-Rao is reviewing this answer. You can read it meanwhile.")
    assert focused(page) != "body"
    with page.expect_response("**/note/"):
        type_note(page)

    expect(note_field(page)).to_have_value("worth keeping")
    expect(page.locator("[data-verdict]")).to_have_count(0)


def test_an_unsaved_note_asks_before_the_page_is_left(open_as, site, expect_complaints):
    page = open_as("reviewer", site.freeze())
    expect_complaints(page, "failed: POST .*/note/", "error: htmx:afterRequest", "error: htmx:sendError")
    intercept(page, "**/note/", lambda route: route.abort("connectionrefused"))
    type_note(page)
    expect(page.locator("#notice")).to_be_visible()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))

    page.get_by_role("link", name="Queue").click()

    expect(note_field(page)).to_have_value("worth keeping")
    assert asked == ["beforeunload"]


def test_the_unfound_rows_are_a_link_where_they_could_not_be_fetched(open_as, site, expect_complaints):
    page = open_as("reviewer", site.freeze())
    expect_complaints(page, "failed: GET .*/unfound/", "error: htmx:afterRequest", "error: htmx:sendError")
    intercept(page, "**/unfound/", lambda route: route.abort("connectionrefused"))
    page.keyboard.press("o")
    expect(page.locator("#notice")).to_contain_text("cannot be reached")

    page.get_by_role("link", name="Show them").click()

    expect(page.locator("#unfound-rows")).to_contain_text("crisis_plan_on_file")
