"""Folding keeps every offset; words, their starts and their stems go together."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given

from attribution.text import JOINER, fold, index_words, lower, stem
from tests.attribution.strategies import answers

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]


def test_folding_keeps_the_length_of_every_character() -> None:
    assert [each for each in EVERY if len(fold(each)) != 1] == []


def test_lower_case_keeps_the_length_of_every_character() -> None:
    assert [each for each in EVERY if len(lower(each)) != 1] == []
    assert len(lower("İ" * 3 + "ABC")) == 6


def test_a_folded_character_is_a_small_letter_a_digit_a_space_or_a_joiner() -> None:
    folded = {fold(each) for each in EVERY}
    assert all(each in (" ", JOINER) or each.isalnum() for each in folded)
    assert not any("A" <= each <= "Z" for each in folded)


@given(answers)
def test_every_word_begins_where_it_is_said_to(text: str) -> None:
    folded = fold(text)
    words, starts, places = index_words(folded)
    assert len(folded) == len(text) == len(lower(text))
    assert len(words) == len(starts)
    assert sorted((place, word) for word, each in places.items() for place in each) == list(enumerate(words))
    for word, start, following in zip(words, starts, [*starts[1:], len(folded)], strict=False):
        assert word
        assert folded[start:following].replace(JOINER, "").rstrip(" ") == word


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Crème Brûlée", "creme brulee"),
        ("PHQ-9: 14/27", "phq 9  14 27"),
        ("naïve\u200b!", "naive\0 "),
        ("e\u0301", "e\0"),
        ("ﬁne", "ﬁne"),
        ("İstanbul", "istanbul"),
        ("a_b.c", "a b c"),
        ("\ud800x", " x"),
    ],
)
def test_folding_takes_case_accents_and_punctuation_away(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("service", "services"),
        ("allergy", "allergies"),
        ("box", "boxes"),
        ("process", "processes"),
        ("take", "taking"),
        ("plan", "planned"),
        ("plan", "planning"),
        ("tell", "telling"),
        ("accept", "accepted"),
        ("week", "weeks"),
        ("note", "noting"),
        ("serve", "serves"),
        ("worry", "worried"),
        ("agree", "agreeing"),
        ("headache", "headaches"),
        ("movie", "movies"),
    ],
)
def test_inflections_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("plan", "plane"), ("not", "note"), ("car", "care"), ("status", "state"), ("us", "use"), ("bed", "bee"), ("1990s", "1990")],
)
def test_other_words_keep_their_own_stem(one: str, other: str) -> None:
    assert stem(one) != stem(other)
