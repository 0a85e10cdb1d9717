"""Whoever types means letters, not keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import current_row

EVERY_KEY = "1230jkoenausgm/?"
"""Keys of the help that are written as one sign."""

COMBINED = """(keys) => keys.flatMap((key) =>
  ["ctrlKey", "metaKey", "altKey"].filter((modifier) => {
    const event = new KeyboardEvent("keydown", {key, [modifier]: true, bubbles: true, cancelable: true});
    return !document.activeElement.dispatchEvent(event);
  }).map((modifier) => `${modifier} ${key}`))"""


def note(page: Page) -> str:
    page.keyboard.press("n")
    return "tbody[data-current] input[name=note]"


def reason_to_skip(page: Page) -> str:
    page.keyboard.press("s")
    return "#skip input[name=reason]"


def flag(page: Page) -> str:
    page.get_by_label("Flag: Over-cited").click()
    page.locator(".findings textarea").click()
    return ".findings textarea"


@pytest.mark.parametrize("enter", [note, reason_to_skip, flag])
def test_typing_on_the_review_page_triggers_no_key(open_as, site, enter):
    path = site.freeze()
    page = open_as("reviewer", path)
    sent = []
    field = enter(page)
    page.on("request", lambda request: sent.append(request.url) if not {"static", "drafts"} & set(request.url.split("/")) else None)

    page.keyboard.type(EVERY_KEY)
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Backspace"):
        page.keyboard.press(key)

    expect(page.locator(field)).to_have_value(EVERY_KEY[:-1])
    expect(page.locator(field)).to_be_focused()
    assert sent == []


def test_typing_in_the_search_of_the_queue_triggers_no_key(open_as):
    page = open_as("reviewer", "/queue/")

    page.keyboard.press("/")
    page.keyboard.type("a/b")

    expect(page.locator("#words")).to_have_value("a/b")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue/?search=*")


def test_keys_together_with_a_modifier_are_left_to_the_browser(open_as, site):
    page = open_as("reviewer", site.freeze())
    keys = [*"1230jkoenausc/?f", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]

    assert page.evaluate(COMBINED, keys) == []
    assert page.locator("details[open]").count() == 0
    expect(current_row(page)).not_to_have_attribute("data-verdict", "correct")


def test_keys_together_with_a_modifier_are_left_to_the_browser_on_the_queue_too(open_as):
    page = open_as("reviewer", "/queue/")

    assert page.evaluate(COMBINED, ["/", "Enter", "c"]) == []


def test_copying_a_part_of_the_answer_works(open_as, site):
    page = open_as("reviewer", site.freeze(), permissions=["clipboard-read", "clipboard-write"])
    page.locator(".answer mark", has_text="elevated").dblclick()

    page.keyboard.press("Control+c")

    assert page.evaluate("navigator.clipboard.readText()").strip() == "elevated"


def test_enter_with_control_in_a_form_over_the_page_sends_that_form(open_as, site):
    page = open_as("reviewer", site.freeze())
    flag(page)

    page.keyboard.type("a false alarm")
    page.keyboard.press("Control+Enter")

    expect(page.locator(".flagged")).to_contain_text("a false alarm")
    expect(page.locator("#lease")).not_to_have_text("Submitted")
