"""Repetitions of what is to be redacted are found however many short texts they are of, each text being read a few times at most."""

from __future__ import annotations

from typing import Any

import pytest

from reviewers.review.redaction.repetitions import SoughtTexts
from reviewers.snapshots import redactable_parts
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


ALIKE = "a" * 49 + "b" + "a" * 48
"""Words that a text of one letter has nearly all of: looking for them takes twenty times as long as for others."""


def test_passages_that_look_alike_are_looked_for_in_bounds():
    """A billion characters were looked through, at some twenty nanoseconds each."""
    texts = ["a" * 4_500 for _ in range(1_000)]
    turn = {"response": "a", "context": {}, "documents": [{"id": "d", "pages": texts}], "native": {"said": [ALIKE] * 200}}

    assert cpu_seconds(lambda: remove_parts(turn, {"documents.0"}), enough=MOST_SECONDS) <= MOST_SECONDS


@pytest.mark.parametrize(("most", "left"), [(1_000, "it is low"), (50, BARS)])
def test_words_that_are_cited_beside_a_text_are_looked_for_in_bounds(monkeypatch, most, left):
    """Each was looked for in the whole answer, also for a page under blind review, however many there were."""
    monkeypatch.setattr(redactable_parts, "_MOST_COMPARED", most)
    cited = [{"field": "risk_level", "text": "it is low"}] * 10
    turn = {"response": "I think it is low", "context": {"safety": {"risk_level": "low"}}, "field_citations": cited}

    assert remove_parts(turn, {"context.safety.risk_level"})["field_citations"] == [{"field": "risk_level", "text": left}] * 10
