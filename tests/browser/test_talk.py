"""Flags, comments and the inbox by keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.factories import ANSWER


def test_a_row_is_flagged_by_keyboard_and_ctrl_enter_does_not_submit_the_review(open_as, site):
    page = open_as("reviewer", site.freeze(response=ANSWER))

    page.keyboard.press("g")
    expect(page.locator("#flag-place")).to_have_value("row-0")
    page.keyboard.type("is this the right level?")
    page.keyboard.press("Control+Enter")

    expect(page.locator("section.flags .flagged")).to_contain_text("is this the right level?")
    expect(page.locator("#submit")).to_contain_text("Submit and next")


def test_selected_words_are_flagged_without_the_numbers_of_footnotes(open_as, site):
    page = open_as("reviewer", site.freeze(response=ANSWER))
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer p'))")

    page.keyboard.press("g")
    page.keyboard.type("all of it")
    page.keyboard.press("Control+Enter")

    expect(page.locator("section.flags li")).to_contain_text("“")


def test_a_comment_reaches_the_inbox_of_whom_it_mentions(open_as, site):
    page = open_as("reviewer", site.freeze(response=ANSWER))
    page.keyboard.press("m")
    page.keyboard.type("what do you think, @Tobias?")
    page.keyboard.press("Control+Enter")
    expect(page.locator("section.comments")).to_contain_text("what do you think")

    inbox = open_as("lead", "/inbox/")
    mention = inbox.get_by_role("link", name="You are mentioned").first
    expect(mention).to_be_visible()
    inbox.keyboard.press("j")
    expect(inbox.locator(".inbox a").first).to_be_focused()
    mention.click()

    expect(inbox.locator("section.comments")).to_contain_text("what do you think")


def test_selected_words_are_said_not_to_be_in_the_record_and_taken_back(open_as, site):
    page = open_as("reviewer", site.freeze(response="You sleep well. You sleep long. You sleep at night."))
    page.evaluate(
        """() => {
          const text = document.querySelector(".answer p").firstChild;
          const at = text.textContent.lastIndexOf("You sleep");
          getSelection().setBaseAndExtent(text, at, text, at + 9);
        }"""
    )

    page.keyboard.press("x")
    expect(page.locator("#claim-words")).to_have_value("You sleep")
    expect(page.locator("#claim-occurrence")).to_have_value("3")
    page.keyboard.type("nothing on sleep")
    page.keyboard.press("Enter")

    expect(page.locator("section.unsupported li")).to_contain_text("nothing on sleep")
    expect(page.locator(".answer mark[data-span~=reported]")).to_have_text("You sleep")
    page.get_by_role("button", name="Take it back").click()
    expect(page.locator(".answer mark[data-span~=reported]")).to_have_count(0)
