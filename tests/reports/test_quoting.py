"""A quote is the sentence around what is meant, as far as there is room for it."""

from __future__ import annotations

import pytest

from reviewers.reports.why.wording import Cut, Quote, cut, quote


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("One. Two words here. Three.", "words", Quote("Two ", "words", " here.")),
        ("Dr. Ada Quill is near. She is in.", "Quill", Quote("Dr. Ada ", "Quill", " is near.")),
        ("Is it near? It is.", "near?", Quote("Is it ", "near?", "")),
        ("a line\nanother one\nthird", "another", Quote("", "another", " one")),
        ("她住得很近。她有时间。", "她有", Quote("", "她有", "时间。")),
        ("no end", "no end", Quote("", "no end", "")),
        ("“Near.” She said so.", "She", Quote("", "She", " said so.")),
        ("spaces   and\ttabs", "and", Quote("spaces ", "and", " tabs")),
    ],
)
def test_the_sentence_around_it(text, said, expected):
    start = text.index(said)

    assert quote(text, (start, start + len(said))) == expected


def test_white_space_at_its_ends_is_not_meant():
    assert quote("One.  Two. ", (4, 11)) == Quote("", "Two.", "")


def test_of_a_sentence_without_end_the_middle_is_kept():
    text = "x" * 5_000 + "here" + "y" * 5_000

    found = quote(text, (5_000, 5_004))

    assert (found.before[0], found.said, found.after[-1]) == ("…", "here", "…")
    assert len(found.before) == len(found.after) == 261


def test_what_is_too_long_itself_is_cut():
    found = quote("z" * 900, (0, 900))

    assert (found.before, len(found.said), found.after) == ("", 401, "")


def test_an_empty_place_has_its_sentence_too():
    assert quote("One. Two.", (4, 4)).said == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", Cut("short")),
        ("one two three", Cut("one two ", "three")),
        ("x" * 12, Cut("x" * 10, "xx")),
        ("x" * 40, Cut("x" * 10, "x" * 20 + "…")),
    ],
)
def test_a_long_text_is_cut_at_a_word_and_its_rest_kept_up_to_a_bound(text, expected):
    assert cut(text, 10, most=30) == expected
