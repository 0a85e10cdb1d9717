from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.desk import current_row, hold


def test_a_turn_is_reviewed_by_keyboard_alone_from_signing_in_to_the_next_one(open_as, site):
    first, second = site.freeze_two()
    page = open_as(None, "/")
    keyboard = page.keyboard

    expect(page.get_by_label("E-mail address")).to_be_focused()
    keyboard.type("reviewer@harborlights.example")
    keyboard.press("Tab")
    keyboard.type(site.password)
    keyboard.press("Enter")
    page.wait_for_url("**/queue/")
    keyboard.press("Enter")
    page.wait_for_url(f"**{first}")
    keyboard.type("123n")
    keyboard.type("it says neither yes nor no")
    keyboard.press("Escape")
    keyboard.press("0")
    keyboard.press("Control+Enter")
    page.wait_for_url(f"**{second}")

    keyboard.press("ArrowLeft")
    page.wait_for_url(f"**{first}")
    verdicts = [row.get_attribute("data-verdict") for row in page.locator("tbody[data-used]").all()]
    assert verdicts == ["correct", "wrong", "misstated", "cannot_judge"]
    expect(page.locator("tbody[data-used] .note")).to_have_text("it says neither yes nor no")
    expect(page.locator(".notice:visible")).to_contain_text("Submitted by Marguerite Oyelaran")


def test_what_is_typed_faster_than_the_site_answers_is_done_in_the_order_typed(open_as, site):
    page = open_as("reviewer", site.freeze())
    release = hold(page, "**/label/")

    page.keyboard.type("1k123")
    release()
    expect(page.locator("#to-go")).to_have_text("1 to go")

    assert [row.get_attribute("data-verdict") for row in page.locator("tbody[data-used]").all()] == ["correct", "wrong", "misstated", None]
    expect(current_row(page)).not_to_have_attribute("data-verdict", "misstated")


@pytest.mark.parametrize("leave", ["ArrowRight", "/"])
def test_leaving_by_key_waits_for_the_labels_before_it(open_as, site, leave):
    first, _ = site.freeze_two()
    page = open_as("reviewer", first)
    release = hold(page, "**/label/")

    page.keyboard.type("12")
    page.keyboard.press(leave)
    release()
    page.wait_for_url(lambda url: first not in url)
    page.goto(first)

    assert [row.get_attribute("data-verdict") for row in page.locator("tbody[data-used]").all()][:2] == ["correct", "wrong"]


def test_calling_the_rest_correct_waits_for_the_label_before_it(open_as, site):
    page = open_as("reviewer", site.freeze())
    release = hold(page, "**/label/")

    page.keyboard.type("2a")
    page.keyboard.press("Enter")
    release()

    expect(page.locator("#to-go")).to_have_text("0 to go")
    expect(page.locator("tbody[data-used][data-verdict=wrong]")).to_have_count(1)


def test_submitting_waits_for_the_label_before_it(open_as, site):
    first, second = site.freeze_two(response="Your risk is elevated.")
    page = open_as("reviewer", first)
    release = hold(page, "**/label/")

    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    release()

    page.wait_for_url(f"**{second}")
