"""Every key of the help list does what the list says. The list is read from the page: a key without a check here fails."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import current_row, focused, row_of
from tests.browser.site import Site
from tests.sampling import sampled

TWO_ROWS = {"response": "Your risk is elevated. Dr. Ada Quill takes new clients.", "context": {"safety": {"risk_level": "elevated"}}}

_talks = itertools.count(1)


def freeze_second(site: Site) -> str:
    """A record after a long turn of the same conversation, which no other record has; returns the path of its page."""
    talk = f"talk {next(_talks)}"
    site.freeze(response="A long answer. " * 60, answered_at="2026-03-03T10:00:00Z", conversation_id=talk)
    return site.freeze(conversation_id=talk)


def gives(key: str, verdict: str) -> Callable[[Page], None]:
    def check(page: Page) -> None:
        page.keyboard.press(key)
        expect(page.locator("tbody[data-used]").first).to_have_attribute("data-verdict", verdict)

    return check


def moves(key: str, *, begin: int, end: int) -> Callable[[Page], None]:
    def check(page: Page) -> None:
        page.locator("tbody[data-used]").nth(begin).locator(".field").click()
        page.keyboard.press(key)
        expect(page.locator("tbody[data-used]").nth(end)).to_have_attribute("data-current", "")
        assert focused(page) == "tr#" + (current_row(page).get_attribute("id") or "")

    return check


def leads(key: str, *, back: str) -> Callable[[Page], None]:
    def check(page: Page) -> None:
        begun = page.url
        page.keyboard.press(key)
        page.wait_for_url(lambda url: url != begun and "/items/" in url)
        page.keyboard.press(back)
        page.wait_for_url(begun)

    return check


def jump_to_evidence(page: Page) -> None:
    page.keyboard.press("e")
    number = current_row(page).get_attribute("data-row")
    expect(page.locator("mark:focus")).to_have_attribute("data-rows", number or "")


def open_unfound(page: Page) -> None:
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_contain_text("crisis_plan_on_file")
    assert focused(page).startswith("tr#row-")
    page.keyboard.press("1")
    expect(current_row(page)).to_have_attribute("data-verdict", "correct")
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows")).not_to_be_visible()
    expect(page.locator("tbody[data-used][data-current]")).to_be_visible()
    assert focused(page).startswith("tr#row-")


def open_earlier(page: Page) -> None:
    turns = page.locator("#earlier details")
    page.keyboard.press("c")
    expect(turns.locator(".answer").last).to_be_visible()
    assert focused(page).startswith("summary")
    page.keyboard.press("c")
    expect(turns.locator(".answer").last).not_to_be_visible()
    assert focused(page).startswith("tr#row-")
    page.keyboard.press("1")
    expect(page.locator("tbody[data-used]").first).to_have_attribute("data-verdict", "correct")


def write_note(page: Page) -> None:
    page.keyboard.press("n")
    page.keyboard.type("odd")
    page.keyboard.press("Enter")
    expect(current_row(page).locator(".note")).to_have_text("odd")
    assert focused(page).startswith("tr#row-")


def leave_note(page: Page) -> None:
    page.keyboard.press("n")
    page.keyboard.type("odd")
    page.keyboard.press("Escape")
    assert focused(page).startswith("tr#row-")
    expect(current_row(page).locator(".note")).to_have_text("odd")


def flag_row(page: Page) -> None:
    page.keyboard.press("g")
    expect(page.locator("#flag-place")).to_have_value("row-0")
    expect(page.locator("#flag textarea")).to_be_focused()


def say_unsupported(page: Page) -> None:
    page.keyboard.press("x")
    expect(page.locator("#claim-words")).to_be_focused()


def write_comment(page: Page) -> None:
    page.keyboard.press("m")
    expect(page.locator("#comment textarea")).to_be_focused()


def all_correct(page: Page) -> None:
    page.keyboard.press("2")
    page.keyboard.press("a")
    expect(page.locator("#all-correct form")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#to-go")).to_have_text("0 to go")
    assert sorted(row.get_attribute("data-verdict") or "" for row in page.locator("tbody[data-used]").all()) == [*["correct"] * 3, "wrong"]


def undo(page: Page) -> None:
    page.keyboard.type("12u")
    expect(row_of(page, "fit_score")).not_to_have_attribute("data-verdict", "wrong")
    page.keyboard.press("u")
    expect(page.locator("[data-verdict]")).to_have_count(0)
    expect(current_row(page)).to_contain_text("risk_level")


def submit(page: Page) -> None:
    begun = page.url
    page.keyboard.type("1111")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != begun)
    page.goto(begun)
    expect(page.locator("#lease")).to_have_text("Submitted")


def skip(page: Page) -> None:
    begun = page.url
    page.keyboard.press("s")
    page.keyboard.type("not my language")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != begun)
    page.goto(begun)
    expect(page.locator(".notice:visible")).to_contain_text("Skipped by Marguerite Oyelaran: not my language")


def search(page: Page) -> None:
    page.keyboard.press("/")
    page.wait_for_url(re.compile(r"/queue/(\?[^#]*)?#words$"))  # the filters that another test has kept may stand before it
    assert focused(page) == "input#words"


def show_help(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator(".keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator(".keys")).not_to_be_visible()


CHECKS: dict[str, Callable[[Page], None]] = {
    "1": gives("1", "correct"),
    "2": gives("2", "wrong"),
    "3": gives("3", "misstated"),
    "0": gives("0", "cannot_judge"),
    "↑": moves("ArrowUp", begin=2, end=1),
    "↓": moves("ArrowDown", begin=0, end=1),
    "k": moves("k", begin=2, end=1),
    "j": moves("j", begin=0, end=1),
    "←": leads("ArrowLeft", back="ArrowRight"),
    "→": leads("ArrowRight", back="ArrowLeft"),
    "e": jump_to_evidence,
    "c": open_earlier,
    "o": open_unfound,
    "n": write_note,
    "Esc": leave_note,
    "g": flag_row,
    "m": write_comment,
    "x": say_unsupported,
    "a": all_correct,
    "u": undo,
    "Ctrl+Enter": submit,
    "s": skip,
    "/": search,
    "?": show_help,
}


@pytest.mark.parametrize("key", sampled(CHECKS, more=6))
def test_a_key_does_what_the_help_says(open_as, site, key):
    CHECKS[key](open_as("reviewer", freeze_second(site)))


def test_every_key_of_the_help_has_a_check(open_as, site):
    page = open_as("reviewer", site.freeze())

    assert sorted(page.locator(".keys kbd").all_text_contents()) == sorted(CHECKS)


def test_every_key_of_the_help_has_a_button_or_a_link_that_shows_it(open_as, site):
    page = open_as("reviewer", freeze_second(site))
    shown = " ".join(page.locator("kbd:visible").all_text_contents())

    by_themselves = {"↑", "↓", "j", "k", "Esc"}
    assert [key for key in CHECKS if key not in by_themselves and not all(part in shown for part in key.split("+"))] == []


def test_a_key_held_down_does_not_label_again_and_again(open_as, site):
    page = open_as("reviewer", site.freeze())
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    for _ in range(4):
        page.keyboard.down("1")
    page.keyboard.up("1")

    expect(page.locator("tbody[data-used]").first).to_have_attribute("data-verdict", "correct")
    assert len(sent) == 1


def test_keys_that_do_nothing_here_say_so(open_as, site):
    page = open_as("auditor", site.freeze())

    page.keyboard.press("1")
    expect(page.locator("#status")).to_have_text("You cannot label this item now.")
    page.keyboard.press("n")
    expect(page.locator("#status")).to_have_text("You cannot write a note on this item now.")


def test_keys_for_a_row_where_none_is_found_say_where_rows_are(open_as, site):
    page = open_as("reviewer", site.freeze(response="Hello."))

    for key in "1n":
        page.keyboard.press(key)
        expect(page.locator("#status")).to_have_text("There is no row here. Press o to open the fields that were not found.")
        page.evaluate("document.getElementById('status').textContent = ''")
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()


def test_without_earlier_turns_their_key_says_so(open_as, site):
    page = open_as("reviewer", site.freeze(conversation_id="a talk of one turn"))

    page.keyboard.press("c")
    expect(page.locator("#status")).to_have_text("There are no earlier turns of this conversation here.")


def test_keys_for_what_cannot_be_done_any_more_say_so(open_as, site):
    path = site.freeze(response="Hello.")
    page = open_as("reviewer", path)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)
    page.goto(path)

    for key in "uas":
        page.keyboard.press(key)
        expect(page.locator("#status")).to_have_text("That cannot be done on this item now.")
        page.evaluate("document.getElementById('status').textContent = ''")


def test_no_row_moves_when_one_is_labelled(open_as, site):
    page = open_as("reviewer", site.freeze())
    heights = "rows => rows.map((row) => row.getBoundingClientRect().height)"
    before = page.locator("tbody[data-used] > tr:first-child").evaluate_all(heights)

    page.keyboard.press("0")
    expect(page.locator("tbody[data-used]").first.locator(".said")).to_have_text("Can’t judge")
    page.keyboard.press("k")

    assert page.locator("tbody[data-used] > tr:first-child").evaluate_all(heights) == before


def test_a_row_without_a_place_in_the_answer_says_so(open_as, site):
    page = open_as("reviewer", site.freeze())

    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()
    page.keyboard.press("e")

    expect(page.locator("#status")).to_have_text("This row has no place in the answer.")


def test_the_queue_takes_the_next_item_with_enter_and_searches_with_a_slash(open_as, site):
    first, _ = site.freeze_two()
    page = open_as("reviewer", "/queue/")

    page.keyboard.press("/")
    assert focused(page) == "input#words"
    page.locator("h1").click()
    page.keyboard.press("Enter")

    page.wait_for_url(f"**{first}")
