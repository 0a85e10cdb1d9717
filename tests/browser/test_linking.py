"""A row, its spans and its footnote belong together: pointing at one shows the others."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import current_row, focused, row_of

BACKGROUND = "element => getComputedStyle(element).backgroundColor"


@pytest.fixture
def page(open_as, site) -> Page:
    page = open_as("reviewer", site.freeze())
    expect(current_row(page)).to_contain_text("risk_level")
    return page


def span(page: Page, leaf: str):
    number = row_of(page, leaf).get_attribute("data-row")
    return page.locator(f'.answer mark[data-matched~="{number}"]').first


def footnote(page: Page, number: int):
    return page.locator(f"#fn-{number} a")


def test_the_row_in_focus_lights_up_its_spans_and_its_footnote(page):
    dark, light = span(page, "risk_level").evaluate(BACKGROUND), span(page, "fit_score").evaluate(BACKGROUND)
    assert dark != light
    expect(footnote(page, 1)).to_have_attribute("aria-current", "true")

    page.keyboard.press("j")

    assert (span(page, "risk_level").evaluate(BACKGROUND), span(page, "fit_score").evaluate(BACKGROUND)) == (light, dark)
    expect(footnote(page, 1)).not_to_have_attribute("aria-current", "true")
    expect(footnote(page, 2)).to_have_attribute("aria-current", "true")


def test_only_the_row_in_focus_shows_its_trace(page):
    expect(page.locator("tr.trace:visible")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.locator("tr.trace:visible")).to_contain_text("85%")


def test_one_row_is_in_the_order_of_tabs_and_said_to_be_current(page):
    for _ in range(3):
        page.keyboard.press("j")
        for wired in ("tbody[data-row] tr[tabindex='0']", "tbody[data-row] tr[aria-current=true]"):
            expect(page.locator(wired)).to_have_count(1)
            assert page.locator("tbody[data-row]").locator(wired.split()[-1]).count() == 1
    assert focused(page) == "tr#" + (current_row(page).get_attribute("id") or "")


@pytest.mark.parametrize("way", ["hover", "focus"])
def test_a_footnote_pointed_at_lights_up_its_row_and_its_spans(page, way):
    getattr(footnote(page, 2), way)()

    expect(row_of(page, "fit_score")).to_have_attribute("data-lit", "")
    expect(span(page, "fit_score")).to_have_attribute("data-lit", "")
    expect(row_of(page, "provider_name")).not_to_have_attribute("data-lit", "")


def test_a_span_pointed_at_lights_up_its_row_and_no_longer_when_left(page):
    span(page, "provider_name").hover()
    expect(row_of(page, "provider_name")).to_have_attribute("data-lit", "")

    page.locator("h1").hover()

    expect(page.locator("[data-lit]")).to_have_count(0)


def test_a_row_pointed_at_lights_up_its_spans_without_taking_the_focus_from_another(page):
    row_of(page, "provider_name").hover()

    expect(span(page, "provider_name")).to_have_attribute("data-lit", "")
    expect(current_row(page)).to_contain_text("risk_level")
    expect(span(page, "risk_level")).to_have_attribute("data-focus", "matched")


@pytest.mark.parametrize("press", [lambda page: footnote(page, 2).click(), lambda page: span(page, "fit_score").click()])
def test_a_footnote_or_a_span_pressed_brings_its_row_into_focus(page, press):
    press(page)

    expect(current_row(page)).to_contain_text("fit_score")
    assert focused(page) == "tr#" + (current_row(page).get_attribute("id") or "")


def test_a_footnote_is_pressed_by_keyboard_too(page):
    footnote(page, 2).focus()
    page.keyboard.press("Enter")

    expect(current_row(page)).to_contain_text("fit_score")


def test_the_number_of_a_row_leads_to_its_place_in_the_answer(page):
    row_of(page, "fit_score").locator("a.fn").click()

    expect(page.locator("mark:focus")).to_be_in_viewport()
    expect(current_row(page)).to_contain_text("fit_score")
    expect(page.locator("mark:focus")).to_have_attribute("data-rows", current_row(page).get_attribute("data-row") or "")


def test_a_finding_leads_to_its_row(open_as, site):
    response = "Your fit score is 64% [[TF:fit_score]]."
    page = open_as(
        "reviewer", site.freeze(response=response, context={"safety": {"risk_level": "low"}, "therapeutic_fit": {"fit_score": 0.85}})
    )

    page.locator("#finding-1").get_by_role("link", name="Show").click()

    expect(current_row(page)).to_contain_text("answer says 64%")


def test_every_footnote_and_every_row_lead_to_a_place_on_the_page(page):
    links = page.locator(".answer a[href^='#'], .evidence a[href^='#'], .findings a[href^='#']")
    broken = links.evaluate_all("links => links.filter(link => !document.querySelector(link.hash)).map(link => link.hash)")

    assert links.count() > 0
    assert broken == []


def test_a_footnote_says_which_field_it_cites(page):
    assert footnote(page, 1).get_attribute("aria-label") == "Footnote 1: safety, risk_level"
    assert row_of(page, "risk_level").locator("a.fn").get_attribute("aria-label") == "Footnote 1 in the answer"


def test_a_long_answer_brings_the_place_and_the_row_into_view(open_as, site):
    filler = "Nothing of the record stands in these words. " * 120
    page = open_as("reviewer", site.freeze(response=f"Your risk is elevated. {filler} Dr. Ada Quill takes new clients."))
    expect(span(page, "provider_name")).not_to_be_in_viewport()

    page.keyboard.press("j")

    expect(current_row(page)).to_contain_text("provider_name")
    expect(span(page, "provider_name")).to_be_in_viewport()
