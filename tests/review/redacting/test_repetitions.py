"""Repetitions of what is to be redacted are found however many short texts they are of, each text being read a few times at most."""

from __future__ import annotations

import pytest

from reviewers.review.redaction.repetitions import SoughtTexts
from tests.attribution.test_linear import growth


@pytest.mark.parametrize(
    ("sought", "text", "stands_in"),
    [
        ("harpsichord", "a harpsichord again", True),
        ("Ada Quill", "that was Ada  QUILL, I think", True),
        ("Ada Quill", "Quill, Ada", False),
        ("one Ada Quill", "one two Ada Quill", False),
        ("so it was then", "and so it was then said", True),
        ("the", "the end of it", False),
    ],
)
def test_a_text_repeats_another_by_all_of_its_words_or_four_in_a_row(sought, text, stands_in):
    assert SoughtTexts([sought]).stands_in([text]) is stands_in


def test_many_short_texts_take_as_long_as_one():
    text = " ".join(f"x{number}" for number in range(500))

    def run(size: int) -> None:
        SoughtTexts(f"word{number} abcd" for number in range(size)).stands_in([text] * size)

    assert growth(run, 40) <= 2.3
