"""Filters of the queue apply at once and are taken off one by one; the list of keys opens on every page with keys."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.desk import focused


def test_a_filter_applies_at_once_and_keeps_the_focus(open_as, site):
    site.freeze(model="filtered at once")
    page = open_as("reviewer", "/queue/")
    box = page.get_by_role("checkbox", name="filtered at once")

    box.focus()
    page.keyboard.press("Space")

    page.wait_for_url("**model=filtered*")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name="Model: filtered at once")).to_be_visible()
    assert focused(page).startswith("input#model-filtered")
    expect(page.get_by_role("button", name="Apply")).to_be_hidden()
    page.go_back()
    expect(page.get_by_role("link", name="Model: filtered at once")).to_have_count(0)


def test_unticking_to_do_shows_all_answers(open_as):
    page = open_as("reviewer", "/queue/")

    page.get_by_role("checkbox", name="To do").uncheck()

    expect(page.get_by_label("Filters that are on")).to_contain_text("No filter: all answers")
    expect(page.get_by_role("checkbox", name="To do")).not_to_be_checked()
    page.get_by_role("link", name="Back to what is to do").click()
    expect(page.get_by_role("checkbox", name="To do")).to_be_checked()


def test_without_script_a_button_applies_the_filters(open_as, site):
    site.freeze(model="applied by a button")
    page = open_as("reviewer", "/queue/", java_script_enabled=False)

    page.get_by_role("checkbox", name="applied by a button").check()
    page.get_by_role("button", name="Apply").click()

    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Model: applied by a button").click()
    expect(page.get_by_role("checkbox", name="applied by a button")).not_to_be_checked()


def test_the_keys_of_the_list_still_work_after_a_filter_was_applied(open_as, site):
    site.freeze(model="keys of the list")
    page = open_as("reviewer", "/queue/")
    page.get_by_role("checkbox", name="keys of the list").check()
    page.wait_for_url("**model=keys**")

    page.keyboard.press("?")
    expect(page.locator(".keys")).to_contain_text("take the next answer")
    page.keyboard.press("Escape")
    expect(page.locator(".keys")).to_be_hidden()
    page.keyboard.press("/")
    assert focused(page) == "input#words"
    page.keyboard.type("?")
    expect(page.locator(".keys")).to_be_hidden()
