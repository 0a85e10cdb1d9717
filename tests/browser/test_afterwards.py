"""Citations that are looked for while a page is open: it says by itself when that is done, and moves nothing before it is asked to."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.desk import hold, row_of
from tests.factories import UNCITED


def test_a_page_that_waits_says_by_itself_that_sources_were_found_and_shows_them_when_asked(site, open_as):
    page = open_as("reviewer", site.freeze(**UNCITED))
    line = page.locator("#citation-search")
    expect(line).to_contain_text("Sources are being looked for by words, in the background.")
    number = row_of(page, "risk_level").locator(".fn").text_content()

    site.work()
    expect(line).to_have_attribute("data-state", "found")
    expect(page.locator("#status")).to_have_text("Sources: found afterwards.")
    assert page.locator(".answer sup").count() == 1
    page.get_by_role("link", name="Show them in the answer").click()

    expect(page.locator(".answer sup[data-afterwards]")).to_have_text(["2"], use_inner_text=True)
    assert row_of(page, "risk_level").locator(".fn").text_content() == number
    expect(page.locator("#citation-search")).to_contain_text("The answer itself does not cite them")


def test_asking_in_vain_says_nothing_about_saving(site, open_as, expect_complaints):
    page = open_as("reviewer", site.freeze(**UNCITED))
    expect_complaints(page, "ERR_FAILED", "htmx:(afterRequest|sendError)")
    release = hold(page, "**/citation-search/")
    release("abort")

    expect(page.locator("#notice")).to_be_hidden()
    page.keyboard.press("1")
    expect(row_of(page, "risk_level")).to_have_attribute("data-verdict", "correct")


def test_without_script_the_page_is_loaded_again(site, open_as):
    page = open_as("reviewer", site.freeze(**UNCITED), java_script_enabled=False)
    expect(page.locator("#citation-search")).to_contain_text("Reload the page to see.")
    site.work()
    page.get_by_role("link", name="Reload the page").click()

    link = page.locator(".answer sup[data-afterwards] a")
    expect(link).to_have_attribute("aria-label", "Footnote 2: source Asking first, found afterwards")


def test_a_lead_looks_again(site, open_as):
    page = open_as("lead", "/queue/?state=to_do")
    path = site.freeze(**UNCITED)
    site.fail_search(path)
    page.goto(path)
    expect(page.locator("#citation-search")).to_contain_text("that failed: the key was refused (401).")
    page.get_by_role("button", name="Look again").click()

    expect(page.locator("#citation-search")).to_have_attribute("data-state", "pending")
