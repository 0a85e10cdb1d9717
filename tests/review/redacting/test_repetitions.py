"""Repetitions of what is to be redacted are found however many short texts they are of, each text being read a few times at most."""

from __future__ import annotations

from typing import Any

import pytest

from reviewers.review.redaction.repetitions import SoughtTexts
from reviewers.snapshots.redactable_parts import BARS, remove_parts
from tests.attribution.growth import cpu_seconds
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


MOST_SECONDS = 10.0


def quoting(size: int) -> dict[str, Any]:
    """A record with a document of many texts, and as many texts in the model's native response."""
    texts = [f"passage of a page {number:06}" for number in range(size)]
    return {
        "context": {},
        "response": "a",
        "documents": [{"id": "d", "pages": texts}],
        "native": {"said": [f"other {each}" for each in texts]},
    }


def test_passages_of_a_document_are_bars_in_what_the_model_stated():
    left = remove_parts(quoting(3), {"documents.0"})

    assert left["documents"] == [{"id": "d", "pages": BARS}]
    assert left["native"] == {"said": [f"other {BARS}"] * 3}


def test_a_document_of_very_many_texts_is_redacted_in_time_with_all_that_may_repeat_it():
    """Each text was looked for in each other one: of five megabytes that took ten minutes."""
    left: list[dict[str, Any]] = []

    seconds = cpu_seconds(lambda: left.append(remove_parts(quoting(60_000), {"documents.0"})), enough=MOST_SECONDS)

    assert left[0]["native"] == {"said": [BARS] * 60_000}
    assert seconds <= MOST_SECONDS
