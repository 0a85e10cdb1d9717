"""From two blind reviews to a signed decision; then a column is changed behind the site's back, and verifying names it."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import Chromium
from tests.browser.conftest import PATIENCE
from tests.browser.desk import sign_in
from tests.browser.site import Demonstration, Site, running_site
from tests.browser.test_plan import ANSWER, MODEL, label_all, make_plan

CHANGE = """
ALTER TABLE review_label DISABLE TRIGGER USER;
UPDATE review_label SET verdict = 'misstated' WHERE id = '{label}';
ALTER TABLE review_label ENABLE TRIGGER USER
"""


@pytest.fixture(scope="module")
def own(demonstration: Demonstration, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site that nobody else has written to past the ledger."""
    with running_site(demonstration, tmp_path_factory.mktemp("adjudication")) as site:
        yield site


def open_as(browser: Chromium, site: Site, role: str, path: str) -> Page:
    context = browser.new_context(base_url=site.address, reduced_motion="reduce", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    sign_in(page, site, role)
    page.goto(path)
    return page


def review(page: Page, path: str, key: str) -> None:
    page.get_by_role("button", name="Take the next of this plan").click()
    page.wait_for_url(f"**{path}")
    label_all(page, key)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**nothing=1**")


def sign(page: Page, site: Site, meaning: str) -> None:
    page.get_by_role("link", name="Sign this review").click()
    page.get_by_role("radio", name=meaning).check()
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("button", name="Sign", exact=True).click()
    page.wait_for_url("**#signatures")


def verify(site: Site) -> tuple[int, str]:
    done = site.manage("verify")
    return done.returncode, (done.stdout + done.stderr).decode()


def test_two_blind_reviews_a_conflict_a_decision_a_signature_and_a_ledger_that_knows(browser, own):
    path = own.freeze(model=MODEL, response=ANSWER)
    lead = open_as(browser, own, "lead", f"/queue/?model={MODEL.replace(' ', '+')}")
    plan = make_plan(lead)
    first, second = open_as(browser, own, "reviewer", plan), open_as(browser, own, "second-reviewer", plan)
    review(first, path, "1")
    review(second, path, "2")

    lead.goto(plan)
    lead.locator(".figures", has_text="Conflicted").get_by_role("link").click()
    lead.get_by_role("link", name="Decide the conflicts").click()
    voices = lead.locator(".voices tbody tr")
    expect(voices).to_have_count(2)
    count = lead.locator(".conflicts li").count()
    assert count >= 2
    for left in range(count, 0, -1):
        expect(lead.get_by_text(f"{left} conflict")).to_be_visible()
        expect(voices.locator(".said")).to_have_text(["Correct", "Wrong"])
        lead.keyboard.press("2")
        lead.keyboard.type("nothing in the answer speaks of it")
        lead.keyboard.press("Control+Enter")
        lead.wait_for_url(f"**{path}" if left == 1 else "**/conflicts/**")
    expect(lead.get_by_text(f"A lead has decided {count} conflicts.")).to_be_visible()
    expect(lead.locator("tbody[data-current] .decided")).to_contain_text("Decided: Wrong")

    sign(lead, own, "Adjudicated")
    first.goto(path)
    sign(first, own, "Reviewed")
    expect(first.locator("#signatures [data-standing=holds]")).to_have_count(2)
    status, told = verify(own)
    assert status == 0, told

    with psycopg.connect(own.database) as connection:
        first_label = "SELECT id FROM review_label WHERE snapshot_id = %s ORDER BY id LIMIT 1"
        (label,) = connection.execute(first_label, [path.split("/")[2]]).fetchone()
        connection.execute(CHANGE.format(label=label))
    status, told = verify(own)
    assert status != 0
    assert f"review_label {label}, column verdict: is not what was written" in told
