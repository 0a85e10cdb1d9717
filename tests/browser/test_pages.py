"""Every page: no rule of axe is broken and none scrolls sideways; nor dark, narrow or with large letters.

Some pages are looked at with each commit; ``make test-all`` looks at all of them in all states, and at each dark, narrow and enlarged.
"""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.pages import PLACES
from tests.sampling import sampled

AXE = Axe().axe_script
RULES = {"resultTypes": ["violations"], "preload": False, "selectors": False}
COLOURS = RULES | {"runOnly": ["color-contrast", "link-in-text-block"]}
STRUCTURE = RULES | {"rules": {"color-contrast": {"enabled": False}}}

SIDEWAYS = """() => [document.scrollingElement, ...document.querySelectorAll(".turn, .evidence")]
    .filter((pane) => pane.scrollWidth > pane.clientWidth)
    .flatMap((pane) => {
        const end = pane.getBoundingClientRect().left + pane.clientWidth + 1;
        const wide = [...pane.querySelectorAll("*")].filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > end);
        return wide.slice(0, 5).map((each) => each.outerHTML.slice(0, 100));
    })"""


def enlarge_letters(page: Page) -> None:
    """As the browser's own setting does: twice the size, for media queries too."""
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})


def broken_rules(page: Page, options: dict[str, object]) -> list[str]:
    """Axe has to be there (``AXE``). What it finds in order stays in the browser: it is megabytes."""
    found = page.evaluate("options => axe.run(options).then((done) => done.violations)", options)
    return [f"{each['id']}: {node['html'][:120]} {node['failureSummary'][:200]}" for each in found for node in each["nodes"][:2]]


@pytest.mark.parametrize("name", sampled(PLACES, more=5))
def test_a_page_breaks_no_rule_of_accessibility_and_never_scrolls_sideways(open_as, site, expect_complaints, name):
    place = PLACES[name]
    page = open_as(place.role, place.reach(open_as, site))
    expect_complaints(page, *place.expected)
    place.arrange(page)
    page.evaluate(AXE)

    found = {"light": broken_rules(page, RULES), "wide": page.evaluate(SIDEWAYS)}

    assert {state: problems for state, problems in found.items() if problems} == {}


@pytest.mark.parametrize("name", sampled(PLACES, more=3))
def test_nor_does_it_dark_narrow_or_with_large_letters(open_as, site, expect_complaints, name):
    place = PLACES[name]
    page = open_as(place.role, place.reach(open_as, site), color_scheme="dark")
    expect_complaints(page, *place.expected)
    place.arrange(page)
    page.evaluate(AXE)

    found = {"dark": broken_rules(page, COLOURS)}
    page.set_viewport_size({"width": 390, "height": 844})
    found |= {"narrow": broken_rules(page, STRUCTURE), "390": page.evaluate(SIDEWAYS)}
    page.set_viewport_size({"width": 320, "height": 640})
    found["320"] = page.evaluate(SIDEWAYS)
    page.set_viewport_size({"width": 1280, "height": 800})
    enlarge_letters(page)
    found["letters twice as large"] = page.evaluate(SIDEWAYS)

    assert {state: problems for state, problems in found.items() if problems} == {}


@pytest.mark.parametrize("size", [{"width": 390, "height": 844}, {"width": 320, "height": 640}])
def test_the_buttons_at_the_foot_leave_room_for_the_answer(open_as, site, size):
    page = open_as("reviewer", site.freeze(), viewport=size)

    assert page.locator(".foot").bounding_box()["height"] < size["height"] / 3


def test_what_is_pressed_is_large_enough_for_a_finger(open_as, site):
    page = open_as("reviewer", site.freeze(), viewport={"width": 390, "height": 844}, has_touch=True)
    boxes = [each.bounding_box() for each in page.locator(".verdict button, .foot .end > form > button, .foot summary:visible").all()]

    assert [box for box in boxes if box["height"] < 44 or box["width"] < 44] == []


def test_letters_follow_the_size_that_the_browser_is_set_to(open_as, site):
    page = open_as("reviewer", site.freeze())
    before = page.locator(".answer").evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
    enlarge_letters(page)

    assert page.locator(".answer").evaluate("element => parseFloat(getComputedStyle(element).fontSize)") == 2 * before


@pytest.mark.parametrize(("path", "name"), [("/settings/", "Revoke"), ("/settings/members/", "End")])
def test_what_drops_out_of_a_row_stays_in_a_narrow_window(open_as, path, name):
    page = open_as("administrator", path, viewport={"width": 390, "height": 844})
    page.locator(".popup.drop > summary", has_text=name).first.click()

    box = page.locator(".popup.drop[open] > form").bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= 390
