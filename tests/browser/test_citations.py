"""Citations of documents on the review page: judged by keyboard behind the rows, lit up in the answer, without script too."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.desk import focused, hold, label_the_rest
from tests.factories import CITED

CITED_WITHOUT_FIELDS = {
    "response": "Adults start with 3 mg in the evening [1]. Ask first [2].",
    "documents": CITED["documents"],
    "context": {},
}


def verdicts(page: Page) -> list[str | None]:
    return [citation.get_attribute("data-verdict") for citation in page.locator(".judged").all()]


def test_an_answer_with_documents_is_reviewed_by_keyboard_alone_to_submission(open_as, site):
    first, second = site.freeze_two(**CITED)
    page = open_as("reviewer", first)
    keyboard = page.keyboard

    keyboard.type("1n")
    keyboard.type("the source says 2 mg")
    keyboard.press("Escape")
    keyboard.type("21")
    expect(page.locator("#to-go")).to_have_text("0 to go")
    keyboard.press("Control+Enter")
    page.wait_for_url(f"**{second}")

    keyboard.press("ArrowLeft")
    page.wait_for_url(f"**{first}")
    expect(page.locator(".notice:visible")).to_contain_text("Submitted by Marguerite Oyelaran")
    assert verdicts(page) == ["does_not_say", "supports"]
    expect(page.locator(".judged .note")).to_have_text("the source says 2 mg")


def test_a_label_of_a_citation_moves_on_to_the_next_one(open_as, site):
    page = open_as("reviewer", site.freeze(**CITED_WITHOUT_FIELDS))
    assert focused(page) == "div#citation-0"

    for key, said in (("1", "Supports"), ("2", "Does not say"), ("3", "Contradicts"), ("0", "Can’t judge")):
        page.keyboard.press(key)
        expect(page.locator("#status")).to_have_text(f"Citation 1, of Melatonin for adults: {said}. 1 to go.")
        assert focused(page) == "div#citation-1"
        page.keyboard.press("k")
        assert focused(page) == "div#citation-0"
    page.get_by_role("button", name="Supports", exact=True).first.click()
    expect(page.locator("#status")).to_have_text("Citation 1, of Melatonin for adults: Supports. 1 to go.")
    assert focused(page) == "div#citation-1"


def test_backspace_does_nothing_to_a_citation(open_as, site):
    page = open_as("reviewer", site.freeze(**CITED_WITHOUT_FIELDS))

    page.keyboard.press("Backspace")
    page.keyboard.press("j")
    page.keyboard.press("3")

    expect(page.locator("#citation-1 .judged")).to_have_attribute("data-verdict", "contradicts")
    assert verdicts(page) == [None, "contradicts"]


def test_a_citation_lights_up_its_words_and_footnote_and_leads_there(open_as, site):
    page = open_as("reviewer", site.freeze(**CITED_WITHOUT_FIELDS))

    page.keyboard.press("j")

    assert page.locator(".answer mark[data-focus]").all_text_contents() == ["Ask first"]
    assert page.locator(".answer sup a[data-focus]").text_content() == "2"
    page.keyboard.press("e")
    assert page.evaluate("document.activeElement.textContent") == "Ask first"
    page.keyboard.press("1")
    expect(page.locator("#citation-1 .judged")).to_have_attribute("data-verdict", "supports")


def test_pressing_words_that_stand_for_a_source_goes_to_their_citation(open_as, site):
    page = open_as("reviewer", site.freeze(**CITED_WITHOUT_FIELDS))

    page.locator(".answer [data-cited='1']").click()

    assert focused(page) == "div#citation-1"
    expect(page.locator("#citation-1")).to_have_attribute("data-current", "")


def test_undoing_goes_to_what_was_taken_back_whichever_kind_it_is(open_as, site):
    page = open_as("reviewer", site.freeze(**CITED))
    release = hold(page, "**/label*/")
    page.keyboard.type("12")
    release()
    expect(page.locator("#to-go")).to_have_text("1 to go")

    page.keyboard.press("u")
    expect(page.locator("#to-go")).to_have_text("2 to go")
    assert focused(page) == "div#citation-0"
    assert verdicts(page) == [None, None]
    page.keyboard.press("u")
    expect(page.locator("#to-go")).to_have_text("3 to go")
    assert focused(page).startswith("tr#row-")


def test_submitting_too_early_goes_to_the_first_citation_without_a_label(open_as, site, expect_complaints):
    page = open_as("reviewer", site.freeze(**CITED))
    expect_complaints(page, "409")
    label_the_rest(page, "1 to go")
    page.keyboard.press("k")
    page.keyboard.press("k")

    page.keyboard.press("Control+Enter")

    expect(page.locator("#notice")).to_have_text("1 citation has no label yet.")
    assert focused(page) == "div#citation-0"


def test_a_citation_that_is_not_drawn_is_fetched_when_it_is_missing(open_as, site, expect_complaints):
    page = open_as("reviewer", site.freeze(response="Coffee wakes [3]. " * 21, documents=CITED["documents"], context={}))
    expect_complaints(page, "409")
    for number in range(20):
        page.keyboard.press("1")
        expect(page.locator("#to-go")).to_have_text(f"{20 - number} to go")

    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/?citations=all")

    assert focused(page) == "div#citation-20"


@pytest.mark.parametrize("pressed", ["Supports", "Does not say", "Contradicts", "Can’t judge"])
def test_without_script_a_citation_is_labelled_by_a_form_that_comes_back_to_it(open_as, site, pressed):
    page = open_as("reviewer", site.freeze(**CITED), java_script_enabled=False)

    page.locator("#citation-1").get_by_role("button", name=pressed, exact=True).click()

    page.wait_for_url("**/#citation-1")
    expect(page.locator("#citation-1 [aria-pressed=true]")).to_have_text(pressed)
    page.locator("#citation-1 input[name=note]").fill("seen")
    page.locator("#citation-1").get_by_role("button", name="Save note").click()
    expect(page.locator("#citation-1 .note")).to_have_text("seen")
