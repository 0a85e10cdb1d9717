"""A coordinator with a family on the phone: finds a client's suggestion in three actions and prints it on one sheet."""

from __future__ import annotations

import itertools
from operator import itemgetter

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hostile import HOSTILE, LONG_NAME
from tests.browser.reaching_answers import demonstrated, suggested
from tests.sampling import sampled

PAPER = ("A4", "Letter")
USUAL = ("02", "05", "14", "17", "19", "28", "30", "51")
"""Turns of the demonstration."""


def sheets(page: Page, paper: str) -> int:
    return page.pdf(format=paper).count(b"/Type /Page\n")


def listen_for_printing(page: Page) -> None:
    page.evaluate("() => { window.printed = 0; window.print = () => { window.printed += 1; }; }")


def test_a_suggestion_is_found_in_three_actions_and_printed(open_as):
    page = open_as("coordinator", "/")

    expect(page.get_by_label("Client, provider or conversation")).to_be_focused()
    page.keyboard.type("nr 3021")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Desmond Achterberg", exact=True).last.click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Desmond Achterberg")
    expect(page.locator(".used tbody tr")).not_to_have_count(0)
    listen_for_printing(page)
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed") == 1


@pytest.mark.parametrize(("paper", "number"), sampled(itertools.product(PAPER, USUAL), itemgetter(0)))
def test_a_usual_suggestion_is_one_sheet_of_paper(open_as, site, number, paper):
    page = open_as("coordinator", suggested(demonstrated(number))(open_as, site))

    assert sheets(page, paper) == 1


@pytest.mark.parametrize("paper", PAPER)
def test_a_long_one_goes_on_and_nothing_of_it_is_lost(open_as, site, paper):
    path = site.freeze(
        provider="Ada Quill",
        response=" ".join(f"Ada Quill reaches level {number} of it [[SF:level_{number}]]." for number in range(90)),
        context={"safety": {f"level_{number}": f"level {number}" for number in range(90)}},
    )
    page = open_as("coordinator", path.replace("/items/", "/why/"))

    assert page.locator(".used tbody tr").count() == 90
    assert sheets(page, paper) > 1


def test_on_paper_are_no_buttons_but_the_address_and_the_names_of_what_was_left_out(open_as, site):
    page = open_as("coordinator", suggested(demonstrated("05"))(open_as, site))
    page.emulate_media(media="print")

    for left_out in (".top", "[data-copy]", "[data-print]", "[data-address]", ".all"):
        expect(page.locator(left_out)).to_be_hidden()
    expect(page.locator("footer .print-only")).to_have_text(page.url)
    expect(page.locator("#unused ~ .print-only")).to_contain_text("PHQ-9 score")


def test_the_link_for_a_case_note_is_copied_with_a_button(open_as, site):
    page = open_as("coordinator", suggested(demonstrated("02"))(open_as, site))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    page.get_by_role("button", name="Copy").click()

    expect(page.locator("[data-told]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_where_copying_is_not_allowed_the_link_is_selected(open_as, site):
    page = open_as("coordinator", suggested(demonstrated("02"))(open_as, site))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")

    page.get_by_role("button", name="Copy").click()

    expect(page.locator("[data-told]")).to_have_text("Selected: copy it with Ctrl+C")
    assert page.evaluate("getSelection().toString()") == page.url


def test_all_of_it_works_without_script(open_as, site):
    demonstrated("04")(open_as, site)
    page = open_as("coordinator", "/why/", java_script_enabled=False)

    page.get_by_label("Client, provider or conversation").fill("achterberg")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Desmond Achterberg", exact=True).last.click()
    expect(page.get_by_label("Link for a case note")).to_have_value(page.url)
    expect(page.locator("[data-copy]")).to_be_hidden()
    page.locator(".all > summary").click()
    expect(page.locator(".all li").first).to_be_visible()
    page.get_by_role("link", name="Compare them side by side").click()
    expect(page.locator(".compared thead a")).to_have_count(2)


def test_a_hostile_record_prints_and_runs_nothing(open_as, site):
    page = open_as("coordinator", site.freeze(**HOSTILE, provider=LONG_NAME).replace("/items/", "/why/"))

    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>alert(1)</script>")
    assert sheets(page, "A4") >= 1
