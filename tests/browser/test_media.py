"""Calm where calm is asked for; readable in the system's own colours and on paper."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

STYLE = "(element, name) => getComputedStyle(element)[name]"


@pytest.mark.parametrize(("wish", "behaviour"), [("reduce", "auto"), ("no-preference", "smooth")])
def test_nothing_glides_for_whoever_wants_it_calm(open_as, wish, behaviour):
    page = open_as("reviewer", "/queue/", reduced_motion=wish)

    assert page.locator("html").evaluate(STYLE, "scrollBehavior") == behaviour


def test_the_script_does_not_glide_either(open_as, site):
    page = open_as("reviewer", site.freeze())
    page.evaluate("() => { window.ways = []; Element.prototype.scrollIntoView = (way) => window.ways.push(way.behavior); }")

    for key in ("j", "e", "o"):
        page.keyboard.press(key)

    assert set(page.evaluate("window.ways")) == {"instant"}


def test_states_are_drawn_and_not_only_tinted_in_forced_colours(open_as, site):
    page = open_as("reviewer", site.freeze(), forced_colors="active")
    page.keyboard.press("1")
    pressed = page.locator("[aria-pressed=true]")
    expect(pressed).to_have_count(1)

    for drawn in (pressed, page.locator("mark[data-focus=matched]").first, page.locator("tr[aria-current]")):
        assert drawn.evaluate(STYLE, "outlineStyle") == "solid"
    assert page.locator("mark[data-matched]:not([data-focus])").first.evaluate(STYLE, "outlineStyle") == "dotted"


def test_a_printed_review_is_the_answer_and_its_rows_without_the_tools(open_as, site):
    page = open_as("reviewer", site.freeze())
    page.emulate_media(media="print")

    for left_out in (".top", ".foot", ".noting", ".skip-link", ".findings .end", ".verdict"):
        assert [each.is_visible() for each in page.locator(left_out).all()].count(True) == 0, left_out
    for kept in (".answer", ".rows", ".meta", ".findings"):
        expect(page.locator(kept).first).to_be_visible()
    assert page.locator(".evidence").evaluate(STYLE, "overflow") == "visible"
    assert page.locator("html").evaluate(STYLE, "colorScheme") == "light"


def test_a_long_review_prints_on_more_than_one_page(open_as, site):
    page = open_as("reviewer", site.freeze(response="Your risk is elevated. " + "Words and more words. " * 900))

    assert page.pdf().count(b"/Type /Page\n") > 1
