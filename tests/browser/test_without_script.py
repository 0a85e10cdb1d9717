"""Everything a reviewer and a lead do, by plain forms and links."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import confirm_if_asked, row_of, sign_in
from tests.factories import CITED


@pytest.fixture
def open_plainly(open_as):
    def open_page(role: str | None, path: str) -> Page:
        return open_as(role, path, java_script_enabled=False)

    return open_page


def test_a_whole_turn_is_reviewed_without_script(open_plainly, site):
    first, second = site.freeze_two(model="plain")
    page = open_plainly(None, "/")
    sign_in(page, site, "reviewer")
    page.get_by_role("checkbox", name="plain 2").check()
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("button", name="Take the next").click()
    page.wait_for_url(f"**{first}")

    row_of(page, "risk_level").get_by_role("button", name="Correct").click()
    row_of(page, "risk_level").get_by_role("textbox", name="Note").fill("said at once")
    row_of(page, "risk_level").get_by_role("button", name="Save note").click()
    expect(row_of(page, "risk_level").locator(".note")).to_have_text("said at once")
    row_of(page, "fit_score").get_by_role("button", name="Wrong").click()
    page.get_by_role("button", name="Undo").click()
    expect(row_of(page, "fit_score")).not_to_have_attribute("data-verdict", "wrong")

    page.locator("#unfound summary").click()
    page.get_by_role("link", name="Show them").click()
    row_of(page, "fee_range").get_by_role("button", name="Wrong").click()
    expect(row_of(page, "fee_range")).to_have_attribute("data-verdict", "wrong")
    page.locator("#all-correct summary").click()
    page.get_by_role("button", name="Yes, all correct").click()
    expect(page.locator("#to-go")).to_have_text("0 to go")
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url(f"**{second}")


def test_submitting_too_early_says_what_lacks_without_script(open_plainly, site, expect_complaints):
    page = open_plainly("reviewer", site.freeze())
    expect_complaints(page, "409: POST")

    page.get_by_role("button", name="Submit and next").click()

    expect(page.locator("#notice")).to_have_text("4 found rows have no label yet.")
    expect(page.locator("#notice")).to_be_in_viewport()


def test_a_finding_is_flagged_and_an_item_skipped_without_script(open_plainly, site):
    path = site.freeze()
    page = open_plainly("reviewer", path)

    page.get_by_label("Flag: Over-cited").click()
    page.locator(".findings").get_by_label("What should a lead look at?").fill("a short answer, two markers are fine")
    page.get_by_role("button", name="Flag this finding").click()
    expect(page.locator(".flagged")).to_contain_text("two markers are fine")

    page.get_by_text("Skip s").click()
    page.get_by_label("Why?").fill("needs a clinician")
    page.get_by_role("button", name="Skip and take the next").click()
    page.goto(path)
    expect(page.locator(".notice:visible")).to_contain_text("needs a clinician")


def test_an_item_is_taken_and_let_go_without_script(open_plainly, site):
    page = open_plainly("reviewer", "/queue/")  # the list that is led back to
    page.goto(site.freeze())

    page.get_by_role("button", name="Assign it to me").click()
    expect(page.locator("#lease")).to_contain_text("Assigned to you, 15 min left")
    page.get_by_role("button", name="Release").click()

    page.wait_for_url("**/queue/")


def test_the_queue_is_searched_and_paged_without_script(open_plainly, site):
    site.freeze(response="A kaleidoscope of elevated risk.", conversation_id="searched-for")
    page = open_plainly("reviewer", "/queue/")

    page.get_by_role("link", name="Next page").click()
    page.get_by_role("link", name="First", exact=True).click()
    page.get_by_role("searchbox").fill("kaleidoscope")
    page.get_by_role("button", name="Search").click()

    expect(page.locator("caption")).to_contain_text("1 answer oldest first, with “kaleidoscope”")
    expect(page.get_by_role("link", name="searched-for")).to_be_visible()
    assert "kaleidoscope" not in page.url


def test_every_trace_is_open_without_script(open_plainly, site):
    page = open_plainly("reviewer", site.freeze())

    expect(page.locator("tr.trace:visible")).to_have_count(4)


def test_a_lead_switches_citations_off_and_on_without_script(open_plainly):
    page = open_plainly("lead", "/settings/")

    page.get_by_role("button", name="Turn off “Ask the assistant for citations”").click()
    expect(page.locator(".switch").first).to_contain_text("Off")
    page.get_by_role("button", name="Turn on “Ask the assistant for citations”").click()
    expect(page.locator(".switch").first).to_contain_text("On")


def test_an_administrator_makes_and_revokes_a_key_without_script(open_plainly, site):
    page = open_plainly("administrator", "/settings/")

    page.get_by_label("Name").fill("browser test")
    page.get_by_label("Ingest").check()
    page.get_by_role("button", name="Make the key").click()
    confirm_if_asked(page, site)
    expect(page.locator(".secret")).to_contain_text("fn_")
    row = page.locator("tr", has_text="browser test")
    row.locator("summary").click()
    row.get_by_role("button", name="Revoke the key", exact=True).click()

    expect(page.locator(".messages")).to_have_text("“browser test” no longer works.")


def test_sources_are_looked_at_and_reached_by_keyboard_without_script(open_plainly, site):
    page = open_plainly("reviewer", site.freeze(**CITED))
    footnote = page.locator("#fn-1 a")

    expect(page.get_by_role("tooltip")).to_have_count(0)
    footnote.focus()
    expect(page.get_by_role("tooltip")).to_contain_text("2 mg in the evening")

    page.keyboard.press("Enter")
    source = page.locator("#source-1")
    expect(source).to_be_in_viewport()
    source.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(source.locator("blockquote mark")).to_contain_text("2 mg")

    source.get_by_role("link", name="Footnote 1 in the answer").click()
    expect(footnote).to_be_in_viewport()


def test_escape_puts_away_what_a_footnote_shows(open_as, site):
    page = open_as("reviewer", site.freeze(**CITED))

    page.locator("#fn-1 a").hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_have_count(0)
