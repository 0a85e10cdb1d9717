"""After every exchange with the site the focus is where work goes on, and what changed is said once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import current_row, focused, hold

WATCH = """() => {
    window.said = [];
    const watch = () => new MutationObserver(() => {
        const notice = document.getElementById("notice");
        for (const words of [document.getElementById("status").textContent, notice.hidden ? "" : notice.textContent])
            if (words.trim() && words !== window.said.at(-1)) window.said.push(words.trim());
    }).observe(document.querySelector(".foot"), {subtree: true, childList: true, characterData: true, attributes: true});
    watch();
}"""


@pytest.fixture
def page(open_as, site) -> Page:
    page = open_as("reviewer", site.freeze())
    page.evaluate(WATCH)
    return page


def said(page: Page) -> list[str]:
    return page.evaluate("window.said")


def test_after_a_label_the_focus_is_on_the_next_row_and_it_is_said_once(page):
    page.keyboard.press("1")

    expect(page.locator("#status")).to_have_text("Risk level: Correct. 3 to go.")
    expect(current_row(page)).to_contain_text("fit_score")
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")
    assert said(page) == ["Risk level: Correct. 3 to go."]


def test_after_a_label_given_by_mouse_the_focus_is_on_the_next_row(page):
    page.locator("tbody[data-used]").nth(1).get_by_role("button", name="Wrong").click()

    expect(page.locator("#status")).to_have_text("Match score: Wrong. 3 to go.")
    assert focused(page).startswith("tr#row-")
    expect(page.locator("tbody[data-used]").nth(2)).to_have_attribute("data-current", "")


def test_moving_on_before_the_answer_comes_is_not_undone_by_it(page):
    release = hold(page, "**/label/")

    page.keyboard.type("1j")
    release()

    expect(page.locator("#status")).to_have_text("Risk level: Correct. 3 to go.")
    expect(page.locator("tbody[data-used]").nth(2)).to_have_attribute("data-current", "")
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")


def test_after_undoing_the_focus_is_on_the_row_that_changed(page):
    page.keyboard.type("1u")

    expect(page.locator("#status")).to_have_text("Risk level: no label. 4 to go.")
    expect(current_row(page)).to_contain_text("risk_level")
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")
    assert said(page) == ["Risk level: Correct. 3 to go.", "Risk level: no label. 4 to go."]


def test_undoing_a_label_of_a_row_that_is_folded_away_shows_it(open_as, site):
    page = open_as("reviewer", site.freeze())
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()
    page.keyboard.press("2")
    expect(current_row(page)).to_have_attribute("data-verdict", "wrong")
    page.reload()

    page.keyboard.press("u")

    expect(page.locator("#unfound-rows tbody[data-current]")).to_contain_text("crisis_plan_on_file")
    expect(current_row(page)).not_to_have_attribute("data-verdict", "wrong")


def test_after_a_note_the_focus_is_on_its_row_and_it_is_said_once(page):
    page.keyboard.press("n")
    page.keyboard.type("odd")
    page.keyboard.press("Enter")

    expect(page.locator("#status")).to_have_text("Risk level: note saved. 4 to go.")
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")
    assert said(page) == ["Risk level: note saved. 4 to go."]


def test_a_note_is_sent_once_whichever_way_it_is_left(open_as, site):
    page = open_as("reviewer", site.freeze())
    sent = []
    page.on("request", lambda request: sent.append(request.post_data) if "/note/" in request.url else None)

    for words, leave in (("by enter", "Enter"), ("by escape", "Escape"), ("by the button", "")):
        page.keyboard.press("n")
        page.keyboard.press("Control+a")
        page.keyboard.type(words)
        page.keyboard.press(leave) if leave else current_row(page).get_by_role("button", name="Save note").click()
        expect(current_row(page).locator(".note")).to_have_text(words)

    page.keyboard.press("n")
    page.keyboard.press("Escape")
    assert len(sent) == 3


@pytest.mark.parametrize(("before", "after"), [("half a sen", "tence"), ("", "half a sentence")])
def test_a_note_that_is_being_typed_survives_the_label_of_its_row(page, before, after):
    release = hold(page, "**/label/")

    page.keyboard.type("1kn" + before)
    release()
    expect(current_row(page)).to_have_attribute("data-verdict", "correct")
    page.keyboard.type(after)

    note = current_row(page).get_by_role("textbox", name="Note")
    expect(note).to_have_value("half a sentence")
    expect(note).to_be_focused()


def test_after_a_refusal_the_focus_is_on_the_first_row_that_lacks_a_label(page, expect_complaints):
    expect_complaints(page, "409: POST .*/submit/")
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("Control+Enter")

    expect(page.locator("#notice")).to_have_text("3 found rows have no label yet.")
    expect(current_row(page)).to_contain_text("fit_score")
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")
    assert said(page) == ["Risk level: Correct. 3 to go.", "3 found rows have no label yet."]
    expect(page.locator("#notice")).to_have_attribute("role", "alert")


def test_a_refusal_is_taken_away_by_the_next_label(page, expect_complaints):
    expect_complaints(page, "409: POST .*/undo/")
    page.keyboard.press("u")
    expect(page.locator("#notice")).to_have_text("There is nothing to undo.")

    page.keyboard.press("1")

    expect(page.locator("#notice")).not_to_be_visible()


@pytest.mark.parametrize("key", ["s", "a", "?"])
def test_escape_closes_what_is_open_and_goes_back_to_the_row(page, key):
    page.keyboard.press(key)
    expect(page.locator("details.popup[open]")).to_have_count(1)
    page.keyboard.press("Escape")

    expect(page.locator("details.popup[open]")).to_have_count(0)
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")


def test_only_one_thing_is_open_over_the_page(page):
    for key in ("?", "a"):
        page.keyboard.press(key)
    page.keyboard.press("s")

    expect(page.locator("details.popup[open]")).to_have_count(1)


def test_folding_the_unfound_rows_with_the_mouse_keeps_a_row_in_focus(page):
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()
    page.locator("#unfound summary").click()
    page.keyboard.press("j")

    expect(current_row(page)).to_be_visible()
    assert focused(page).startswith("tr#row-")
