"""The page of a report that is being made: it asks by itself how far that is."""

from __future__ import annotations

import re

from playwright.sync_api import expect


def test_once_a_report_is_made_its_page_says_so_everywhere(open_as, site):
    page = open_as("auditor", "/exports/new/")
    page.get_by_label("Reason").fill("The yearly audit")
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_label("Password").or_(page.locator("#state")).first.wait_for()
    if page.get_by_label("Password").is_visible():
        page.get_by_label("Password").fill(site.password)
        page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("In progress")

    site.work()

    expect(page.get_by_role("link", name="Download")).to_be_visible(timeout=30_000)
    expect(page.locator("#state")).to_have_text("Ready")
    expect(page.locator("#known")).to_contain_text(re.compile(r"SHA-256 of the file\s*sha256:[0-9a-f]{64}"))
