"""Another prompt is another combination: its scores are said to be scores until somebody has labelled, proposed, and another approved."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import label_the_rest, row_of, sign_in_as

PROMPT = "match v99"
LEVELS = {f"level_{number}": f"Level {number}" for number in range(40)}
TURN: dict[str, Any] = {
    "model": "caremate-4",
    "prompt_version": PROMPT,
    "response": " ".join(f"{value} is reached." for value in LEVELS.values()),
    "context": {"safety": LEVELS},
}
APPROVER = "liv@harborlights.example"


def review(page: Page, path: str) -> None:
    """Call three rows wrong and everything else correct, and submit."""
    page.goto(path)
    page.wait_for_selector(".desk[data-ready]")
    page.keyboard.type("222")
    expect(page.locator("[data-verdict=wrong]")).to_have_count(3)
    label_the_rest(page, "0 to go")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)


def approve(page: Page, changed: int) -> None:
    page.get_by_label("To approve, type the number of affected answers").fill(str(changed))
    page.get_by_role("button", name="Approve").click()
    page.wait_for_load_state()


def confirm(page: Page, password: str) -> None:
    page.get_by_role("heading", name="Confirm that it is you").wait_for()
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_load_state()


def look_at_thresholds_and_plan(page: Page) -> None:
    """By keyboard from the profile to one cut-off, and on to a plan that is filled in."""
    page.get_by_role("link", name="Thresholds").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Look at one cut-off").fill("0.9")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="From 0.90 up")).to_be_visible()
    page.get_by_role("link", name="Labels needed").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Plan an audit of 45 answers").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Number of answers")).to_have_value("45")
    expect(page.get_by_label("Use labels for")).to_have_value("audit")


@pytest.fixture
def old(site) -> str:
    """An answer of the new prompt, frozen before there is a profile for it."""
    return site.freeze(**TURN, conversation_id="talk of old")


def test_a_new_prompt_is_uncalibrated_until_labels_a_proposal_and_another_leads_approval(open_as, site, old, expect_complaints):
    reviewer = open_as("reviewer", old)
    expect(reviewer.locator("article .badge", has_text="Not calibrated: raw scores")).to_be_visible()
    expect(reviewer.get_by_role("columnheader", name="Score")).to_be_visible()
    for number in range(3):
        review(reviewer, site.freeze(**TURN, conversation_id=f"talk {number}"))

    passphrase = site.add_member(APPROVER, "Liv Larsen", "lead")
    lead = open_as("lead", "/calibration/")
    line = lead.get_by_role("row").filter(has_text=PROMPT)
    expect(line).to_contain_text("Uncalibrated combination")
    expect(line).to_contain_text("Enough labels: propose a profile.")
    line.get_by_role("link", name=PROMPT).click()
    lead.get_by_role("button", name="Propose a profile").click()
    confirm(lead, site.password)
    expect(lead.get_by_text("Not compared with stored answers yet.")).to_be_visible()
    site.work()
    lead.reload()
    expect(lead.get_by_text("4 of 4 messages change")).to_be_visible()
    expect(lead.get_by_text("You proposed it. Somebody else has to approve it.")).to_be_visible()
    expect(lead.get_by_role("button", name="Approve")).to_have_count(0)
    expect(lead.get_by_role("button", name="Reject")).to_be_visible()

    proposal = lead.url
    look_at_thresholds_and_plan(lead)

    approver = open_as(None, "/accounts/login/")
    sign_in_as(approver, APPROVER, passphrase)
    approver.goto(proposal)
    expect_complaints(approver, "422: POST")
    approve(approver, 3)
    confirm(approver, passphrase)
    expect(approver.get_by_role("alert")).to_contain_text("3 is not how many messages change.")
    approve(approver, 4)
    expect(approver.locator("main .badge", has_text="Active")).to_be_visible()
    expect(approver.get_by_role("row", name="Approved")).to_contain_text("by Liv Larsen")

    reviewer.goto(site.freeze(**TURN, conversation_id="talk of new"))
    expect(reviewer.locator("article .badge", has_text="Confidence from labels")).to_be_visible()
    expect(reviewer.get_by_role("columnheader", name="Confidence")).to_be_visible()
    row = row_of(reviewer, "level_7")
    expect(row.locator(".conf .span")).to_have_count(1)
    expect(row).to_contain_text("120 labels on this rule; 111 of 120 right")
    reviewer.goto(old)
    expect(reviewer.locator("article .badge", has_text="Scores, from before calibration")).to_be_visible()
    expect(reviewer.locator(".conf .span")).to_have_count(0)
