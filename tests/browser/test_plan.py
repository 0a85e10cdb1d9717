"""A lead makes a plan, two reviewers work on it blind in browsers of their own, and what they say of it stands side by side afterwards."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.desk import current_row

MODEL = "planned in a browser"
ANSWER = "Your risk is elevated [[SF:risk_level]] at the moment. Dr. Ada Quill takes new clients."
NOTE = "only the first reviewer says so"


def make_plan(page: Page) -> str:
    """By the form, for the list that is shown; returns the plan's address."""
    page.get_by_role("link", name="Plan a review of these").click()
    page.get_by_label("Name").fill("Two of them, blind")
    page.get_by_label("Draw").select_option(label="All of them")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="This draws 1 of 1 answer")).to_be_visible()
    page.get_by_role("button", name="Save as a draft").click()
    page.get_by_role("button", name="Start the plan").click()
    expect(page.get_by_text("Frozen when")).to_be_visible()
    return page.url


def label_all(page: Page, key: str) -> None:
    """Every row by the keyboard, from the first to the last."""
    for left in range(page.locator("tbody[data-used]").count() - 1, -1, -1):
        page.keyboard.press(key)
        expect(page.locator("#to-go")).to_have_text(f"{left} to go")


def test_two_reviewers_in_two_browsers_know_nothing_of_each_other_until_both_have_submitted(open_as, site):
    path = site.freeze(model=MODEL, response=ANSWER)
    plan = make_plan(open_as("lead", f"/queue/?model={MODEL.replace(' ', '+')}"))
    first, second = open_as("reviewer", plan), open_as("second-reviewer", plan)
    for page in (first, second):
        page.get_by_role("button", name="Take the next of this plan").click()
        page.wait_for_url(f"**{path}")
        expect(page.locator("#lease")).to_contain_text("Assigned to you")
        expect(page.locator(".badge", has_text="Blind")).to_be_visible()
        expect(page.locator("mark, .track, .conf, .answer sup")).to_have_count(0)

    label_all(first, "1")
    first.keyboard.press("k")
    first.keyboard.press("n")
    first.keyboard.type(NOTE)
    first.keyboard.press("Escape")
    expect(current_row(first).locator(".note")).to_have_text(NOTE)
    first.keyboard.press("Control+Enter")
    first.wait_for_url("**nothing=1**")
    second.reload()
    expect(second.get_by_text("1 of 2 reviews is in")).to_be_visible()
    expect(second.locator("tbody[data-verdict]")).to_have_count(0)
    assert NOTE not in second.content()

    second.keyboard.press("a")
    expect(second.locator("#status")).to_have_text("In a blind review every row is judged on its own.")
    expect(second.locator("dl.keys")).not_to_contain_text("all remaining")
    label_all(second, "2")
    second.keyboard.press("Control+Enter")
    second.wait_for_url("**nothing=1**")
    for page, own, other in ((first, "Wrong", "Correct"), (second, "Correct", "Wrong")):
        page.goto(path)
        expect(page.get_by_text("Their labels conflict, and a lead decides.")).to_be_visible()
        expect(current_row(page)).to_contain_text(f": {own}")
        expect(current_row(page).locator(".said")).to_have_text(other)
    assert NOTE in second.content()
    second.goto(plan)
    expect(second.locator(".figures", has_text="Conflicted")).to_contain_text("Conflicted1")


def test_without_script_a_blind_review_is_done_as_well(open_as, site):
    path = site.freeze(model=f"{MODEL} without script", response=ANSWER)
    plan = make_plan(open_as("lead", f"/queue/?model={MODEL.replace(' ', '+')}+without+script"))
    page = open_as("second-reviewer", plan, java_script_enabled=False)
    page.get_by_role("button", name="Take the next of this plan").click()
    page.wait_for_url(f"**{path}")
    for row in range(page.locator("tbody[data-used]").count()):
        page.locator("tbody[data-used]").nth(row).get_by_role("button", name="Correct").click()
        expect(page.locator("tbody[data-verdict]")).to_have_count(row + 1)
    expect(page.locator("#to-go")).to_have_text("0 to go")
    page.get_by_role("button", name="Submit and next").click()

    page.goto(path)
    expect(page.locator("#lease")).to_have_text("Submitted")
    expect(page.locator(".track")).not_to_have_count(0)
