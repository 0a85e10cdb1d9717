"""Emphasis, code, lists and tables of an answer are drawn over its text, which stays as it is to the character."""

from __future__ import annotations

import pytest

from reviewers.review.page.markdown import styles_of
from tests.factories import make_item
from tests.review.desk import open_page

DRAWN = {
    "Take **two** a day.": [("**", "syntax"), ("two", "strong"), ("**", "syntax")],
    "This is *not* it.": [("*", "syntax"), ("not", "emphasis"), ("*", "syntax")],
    "Type `copay` there.": [("`", "syntax"), ("copay", "code"), ("`", "syntax")],
    "# Next": [("# ", "syntax")],
    "- one\n2. two": [("-", "bullet"), ("2.", "bullet")],
    '```json\n{"a": 1}\n**b**\n```': [("```json\n", "syntax"), ('{"a": 1}\n**b**\n', "block"), ("```", "syntax")],
    "| day | time |\n|---|---|\n| **Mon** | 9 |": [("| day | time |\n|---|---|\n| **Mon** | 9 |", "block")],
}


@pytest.mark.parametrize("text", DRAWN)
def test_what_is_marked_is_drawn(text):
    assert [(text[start:end], style) for start, end, style in styles_of(text)] == DRAWN[text]


@pytest.mark.parametrize(
    "text", ["5*3*2 tablets", "2 ** 3 ** 4", "a * b * c", "snake**case**word", "**open", "`open", "```\nopen", "-5 degrees", "#tag", "|"]
)
def test_signs_that_mark_nothing_are_left_alone(text):
    assert styles_of(text) == []


def test_very_long_text_and_very_many_marks_are_bounded():
    assert styles_of("**a** " * 20_000) == []
    assert len(styles_of("**a** " * 10_000)) == 2_000


def test_on_the_page_the_text_is_exact_and_a_match_within_emphasis_is_marked(organisation, alice):
    response = "Your risk is **elevated** today.\n\n- *one*\n- `<b>two</b>`"
    page = open_page(alice, make_item(organisation, response=response))

    answer = page.one("div", class_="answer")
    assert "\n\n".join(paragraph.raw_text for paragraph in answer.find("p")) == response
    assert [mark.raw_text for mark in answer.find("mark")] == ["elevated"]
    assert answer.one("mark").one("span", data_styles="strong").raw_text == "elevated"
    assert not answer.find("b")
