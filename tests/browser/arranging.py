"""Arrange a page before it is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.hostile import LONG_NAME, LONG_WORD


def choosing_nothing(page: Page) -> None:
    page.get_by_label("Why").fill("no part is chosen")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_role("alert")).to_be_visible()


def half_labelled(page: Page) -> None:
    for number, key in enumerate("1230", start=1):
        page.keyboard.press(key)
        expect(page.locator("[data-verdict]")).to_have_count(number)
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()


def refused(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    expect(page.locator("#notice")).to_be_visible()


def pressing(key: str) -> Callable[[Page], None]:
    return lambda page: page.keyboard.press(key)


def previewing(page: Page) -> None:
    page.get_by_label("Name").fill("What the night shift asks")
    page.get_by_label("Draw").select_option(label="All of them")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="This draws").wait_for()


def flagging(page: Page) -> None:
    page.get_by_label("Flag: Over-cited").click()


def flagging_a_row(page: Page) -> None:
    page.keyboard.press("g")


def claiming(page: Page) -> None:
    """Words with a long note that are said not to be in the record."""
    words = " ".join(page.locator(".answer p").first.inner_text().split()[:3])
    page.locator("#claim > summary").click()
    page.locator("#claim-words").fill(words)
    page.locator("#claim-note").fill("An unbreakable" + "note" * 60)
    page.get_by_role("button", name="Not in the record").click()
    page.get_by_role("button", name="Take it back").wait_for()


def talking(page: Page) -> None:
    """A flag on words that was resolved, and a long comment."""
    page.locator("#flag > summary").click()
    page.locator("#flag-place").select_option("row-0")
    page.locator("#flag textarea").fill("Look at this. " * 20)
    page.get_by_role("button", name="Flag it").click()
    page.get_by_text("Resolve the flag of").click()
    page.get_by_label("What came of it?").fill("Unbreakable" * 20)
    page.get_by_role("button", name="Resolve it").click()
    page.locator("#comment > summary").click()
    page.get_by_label("Comment", exact=True).fill("An unbreakable" + "comment" * 30)
    page.get_by_role("button", name="Comment", exact=True).click()


def looking_for_nobody(page: Page) -> None:
    page.get_by_label("Client, provider or conversation").fill("zebra")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Nothing found").wait_for()


def with_all_entries(page: Page) -> None:
    page.locator(".all > summary").click()


def looking_at_a_source(page: Page) -> None:
    page.locator(".answer sup[data-source] a").nth(1).focus()
    expect(page.get_by_role("tooltip")).to_be_visible()


def with_passages(page: Page) -> None:
    for summary in page.locator(".sources summary").all():
        summary.click()


def with_new_key(page: Page) -> None:
    page.get_by_label("Name").fill("runtime of the night shift")
    page.get_by_label("Read").check()
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator(".secret")).to_be_visible()


def with_faulty_key(page: Page) -> None:
    page.get_by_label("Name").fill("no scope")
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator(".errorlist")).to_be_visible()


def with_new_endpoint(page: Page) -> None:
    _add_endpoint(page, f"https://desk.example.org/{LONG_WORD[:300]}")
    expect(page.locator(".secret")).to_be_visible()


def with_faulty_endpoint(page: Page) -> None:
    _add_endpoint(page, "https://10.0.0.1/hook")
    expect(page.locator(".errorlist")).to_be_visible()


def _add_endpoint(page: Page, address: str) -> None:
    page.get_by_label("Address").fill(address)
    for kind in page.get_by_role("checkbox").all():
        kind.check()
    page.get_by_role("button", name="Add the endpoint").click()


def with_faulty_schema(page: Page) -> None:
    page.get_by_text("Paste it instead").click()
    page.get_by_label("Schema", exact=True).fill(
        json.dumps({"sections": [{"name": LONG_NAME, "prefix": LONG_WORD, "fields": {LONG_WORD: 1}}]})
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_be_visible()


def with_faulty_table(page: Page) -> None:
    page.get_by_label("Rules, one a line").fill(f"{LONG_WORD}\n{LONG_WORD}, {LONG_WORD}, {LONG_WORD}\n<b>, 9, {LONG_NAME}\n")
    page.get_by_role("button", name="Save as a version").click()
    expect(page.get_by_role("alert")).to_be_visible()


def wrong_password(page: Page) -> None:
    page.fill("#id_login", "nobody@example.org")
    page.fill("#id_password", "not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def ending_a_membership(page: Page) -> None:
    page.get_by_label("End the membership of Imani Castellucci").click()


def signing_a_member_out(page: Page) -> None:
    page.get_by_label("Sign Imani Castellucci out").click()


def unproved(page: Page) -> None:
    page.get_by_label("Password").fill("not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def nonsense(page: Page) -> None:
    page.evaluate("""() => {
        const form = document.querySelector("[role=search]");
        for (let i = 0; i < 1100; i++) form.append(Object.assign(document.createElement("input"), {name: "n" + i, type: "hidden"}));
        form.submit();
    }""")
    page.get_by_role("heading", name="That request makes no sense").wait_for()


def judging_citations(page: Page) -> None:
    """One supported; one not, with a note that is written before its label, which moves on."""
    page.locator("#citation-0").get_by_role("button", name="Supports", exact=True).click()
    expect(page.locator("#citation-0 .judged")).to_have_attribute("data-verdict", "supports")
    expect(page.locator("#citation-1")).to_have_attribute("data-current", "")
    page.keyboard.press("n")
    page.keyboard.type("the source says six hours")
    page.keyboard.press("Escape")
    expect(page.locator("#citation-1 .note")).to_have_text("the source says six hours")
    page.locator("#citation-1").get_by_role("button", name="Does not say").click()
    expect(page.locator("#citation-1 .judged")).to_have_attribute("data-verdict", "does_not_say")


def with_everything_open(page: Page) -> None:
    for summary in page.locator("main summary").all():
        summary.click()


def changing_a_view(page: Page) -> None:
    page.get_by_label("Change or remove the view").click()
    expect(page.get_by_role("button", name="Save the change")).to_be_visible()


def failing(page: Page) -> None:
    """Its page is fixed text: shown in place of what a request would have to break for it."""
    body = (Path(__file__).parents[2] / "templates" / "errors" / "500.html").read_text(encoding="utf-8")
    explanation = body.partition("{% block explanation %}")[2].partition("{% endblock %}")[0]
    page.locator(".lede").evaluate("(element, words) => { element.textContent = words; }", explanation)


def undecided(page: Page) -> None:
    """A decision that lacks its verdict."""
    page.locator("#decide").evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.get_by_role("alert")).to_be_visible()


def reopening(page: Page) -> None:
    page.get_by_text("Reopen for review").click()
