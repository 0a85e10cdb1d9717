"""After a label the next row without one takes the focus, in view, unless the reviewer has turned that off."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import current_row, focused, hold, intercept, label_the_rest, row_of

IN_VIEW = """() => {
    const row = document.querySelector("tbody[data-current] tr").getBoundingClientRect();
    const foot = document.querySelector(".foot").getBoundingClientRect();
    return row.top >= 0 && row.bottom <= Math.min(innerHeight, foot.top) + 1;
}"""

LONG = {
    "response": " ".join(f"Step {word} is near{word}." for word in map(str, range(40))),
    "context": {"steps": {f"step_{word}": f"near{word}" for word in map(str, range(40))}},
}


def turn_off(page: Page) -> None:
    page.locator(".meanings summary").click()
    with page.expect_response("**/review-settings/moving-on/"):
        page.get_by_label("After a label, go on to the next row without one").uncheck()


def test_one_key_a_row_labels_them_all(open_as, site):
    page = open_as("reviewer", site.freeze())

    page.keyboard.type("1231")

    expect(page.locator("#to-go")).to_have_text("0 to go")
    given = [row.get_attribute("data-verdict") for row in page.locator("tbody[data-used]").all()]
    assert given == ["correct", "wrong", "misstated", "correct"]


def test_the_focus_moves_before_the_answer_comes_and_stays_when_it_does(open_as, site):
    page = open_as("reviewer", site.freeze())
    release = hold(page, "**/label/")

    page.keyboard.press("1")
    expect(current_row(page)).to_contain_text("fit_score")
    release()

    expect(page.locator("#status")).to_have_text("Risk level: Correct. 3 to go.")
    expect(current_row(page)).to_contain_text("fit_score")
    assert focused(page) == "tr#row-" + (current_row(page).get_attribute("data-row") or "")


def test_rows_with_a_label_are_passed_over_and_those_above_come_last(open_as, site):
    page = open_as("reviewer", site.freeze())
    rows = page.locator("tbody[data-used]")
    rows.nth(2).locator(".field").click()
    page.keyboard.press("1")
    expect(rows.nth(3)).to_have_attribute("data-current", "")
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.keyboard.press("1")

    expect(rows.nth(3)).to_have_attribute("data-current", "")
    page.keyboard.press("1")
    expect(rows.nth(0)).to_have_attribute("data-current", "")


def test_a_label_by_mouse_moves_on_too(open_as, site):
    page = open_as("reviewer", site.freeze())

    page.locator("tbody[data-used]").nth(1).get_by_role("button", name="Wrong").click()

    expect(page.locator("tbody[data-used]").nth(1)).to_have_attribute("data-verdict", "wrong")
    expect(page.locator("tbody[data-used]").nth(2)).to_have_attribute("data-current", "")


def test_undoing_leads_back_to_the_row(open_as, site):
    page = open_as("reviewer", site.freeze())

    page.keyboard.type("12u")

    expect(page.locator("#to-go")).to_have_text("3 to go")
    expect(current_row(page)).to_contain_text("fit_score")


def test_turned_off_the_focus_stays_and_that_is_remembered(open_as, site):
    page = open_as("reviewer", site.freeze())
    turn_off(page)
    page.reload()

    page.keyboard.press("1")

    expect(row_of(page, "risk_level")).to_have_attribute("data-verdict", "correct")
    expect(current_row(page)).to_contain_text("risk_level")
    expect(page.locator("#moves-on")).not_to_be_checked()


def test_a_row_that_was_not_saved_gets_the_focus_back(open_as, site, expect_complaints):
    page = open_as("reviewer", site.freeze())
    expect_complaints(page, "500: POST .*/label/", "Response Status Error Code 500")
    intercept(page, "**/label/", lambda route: route.fulfill(status=500))

    page.keyboard.type("111")

    expect(page.locator("#notice")).to_contain_text("was not saved")
    expect(current_row(page)).to_contain_text("risk_level")
    expect(page.locator("[data-verdict]")).to_have_count(0)


def test_fields_that_were_not_found_are_not_gone_through(open_as, site):
    page = open_as("reviewer", site.freeze())
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()

    page.keyboard.press("1")

    expect(page.locator("#unfound-rows tbody[data-current]")).to_have_attribute("data-verdict", "correct")


@pytest.mark.parametrize("width", [1280, 720, 390])
def test_every_row_that_takes_the_focus_is_in_view(open_as, site, width):
    page = open_as("reviewer", site.freeze(**LONG), viewport={"width": width, "height": 600})
    page.locator("tbody[data-used]").first.locator(".field").click()

    for left in range(12, 0, -1):
        assert page.evaluate(IN_VIEW), left
        page.keyboard.press("1")
    expect(page.locator("tbody[data-verdict]")).to_have_count(12)
    assert page.evaluate(IN_VIEW)


def test_the_foot_stays_as_high_as_it_is_at_the_first_label_after_a_submission(open_as, site):
    first, second = site.freeze_two()
    page = open_as("reviewer", first, viewport={"width": 1440, "height": 900})
    label_the_rest(page, "0 to go")
    page.wait_for_selector(".desk[data-ready]")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{second}")
    page.wait_for_selector(".desk[data-ready]")
    expect(page.locator(".foot .done")).to_be_visible()
    height = page.locator(".foot").evaluate("foot => foot.offsetHeight")

    page.keyboard.press("1")

    expect(page.locator("#status")).to_contain_text("to go")
    assert page.locator(".foot").evaluate("foot => foot.offsetHeight") == height


def test_a_key_labels_no_row_that_is_out_of_view(open_as, site):
    page = open_as("reviewer", site.freeze(**LONG))
    page.locator(".evidence").evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")

    page.keyboard.press("2")
    expect(page.locator("#status")).to_contain_text("out of view")
    assert page.evaluate(IN_VIEW)
    expect(page.locator("[data-verdict]")).to_have_count(0)

    page.keyboard.press("2")
    expect(page.locator("[data-verdict=wrong]").first).to_be_visible()


def test_after_undoing_all_correct_the_row_in_focus_is_in_view(open_as, site):
    page = open_as("reviewer", site.freeze(**LONG))
    page.keyboard.type("1" * 15)
    expect(page.locator("tbody[data-verdict]")).to_have_count(15)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#to-go")).to_have_text("0 to go")
    page.wait_for_selector(".desk[data-ready]")

    page.keyboard.press("u")

    expect(page.locator("tbody[data-verdict]")).to_have_count(15)
    page.wait_for_selector(".desk[data-ready]")
    assert page.evaluate(IN_VIEW)
