"""An answer with many documents in a browser: what is not drawn comes when it is looked at, by keyboard and without script."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.review.test_many_sources import MANY

WRONG = MANY | {"response": "Whoever takes 7 tablets should ask first [1]."}


def test_folded_sources_and_a_late_passage_open_by_keyboard(open_as, site):
    page = open_as("reviewer", site.freeze(**MANY))
    fold, rows = page.locator("#uncited"), page.locator(".sources > li[tabindex]")
    expect(rows).to_have_count(80)

    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(rows).to_have_count(100)
    expect(rows.last).to_contain_text("Leaflet 100")

    late = page.locator("#source-60 details:not(.rest)")
    late.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(late.locator("mark")).to_have_text("Whoever takes 60 tablets a day should ask first.")


def test_a_footnote_far_down_says_what_its_source_says_when_it_is_in_focus(open_as, site):
    page = open_as("reviewer", site.freeze(**MANY))

    page.locator("#fn-60 > a").focus()

    expect(page.locator("#fn-60 .peek mark")).to_have_text("Whoever takes 60 tablets a day should ask first.")


def test_labels_are_saved_while_a_passage_comes(open_as, site):
    page = open_as("reviewer", site.freeze(**MANY))

    page.locator("#source-60 details:not(.rest) summary").click()
    page.keyboard.press("1")

    expect(page.locator("#source-60 .judged")).to_have_attribute("data-verdict", "supports")
    expect(page.locator("#source-60 details:not(.rest) mark")).to_be_visible()


def test_what_is_wrong_with_a_citation_is_flagged_by_keyboard(open_as, site):
    page = open_as("reviewer", site.freeze(**WRONG))
    finding = page.locator("#issue-1")

    finding.locator("summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("a false alarm: the table has it")
    page.keyboard.press("Control+Enter")

    expect(finding.locator(".flagged")).to_contain_text("a false alarm: the table has it")


def test_without_script_folds_lead_to_the_page_with_everything_on_it(open_as, site):
    page = open_as("reviewer", site.freeze(**MANY), java_script_enabled=False)

    page.locator("#uncited summary").click()
    page.get_by_role("link", name="Show them").click()
    expect(page.locator(".sources > li[tabindex]")).to_have_count(100)
    expect(page.locator("#uncited")).to_have_count(0)
    page.locator("#source-60 details:not(.rest) summary").click()
    expect(page.locator("#source-60 details:not(.rest) mark")).to_be_visible()
