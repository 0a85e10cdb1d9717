"""Red, yellow, green, each with its reason."""

from __future__ import annotations

import pytest

from attribution.documents.validity import Colour, judge_validity


@pytest.mark.parametrize(
    ("citations", "sentences", "colour"),
    [
        (0, 4, Colour.RED),
        (0, 0, Colour.RED),
        (1, 1, Colour.YELLOW),
        (1, 9, Colour.YELLOW),
        (2, 7, Colour.YELLOW),
        (2, 6, Colour.GREEN),
        (3, 10, Colour.GREEN),
        (2, 0, Colour.GREEN),
    ],
)
def test_two_citations_and_three_in_ten_sentences_are_green(citations: int, sentences: int, colour: Colour) -> None:
    assert judge_validity(citations, sentences).colour is colour


def test_what_was_attached_afterwards_never_makes_green() -> None:
    assert judge_validity(0, 4, is_repaired=True).colour is Colour.YELLOW
    assert judge_validity(4, 4, is_repaired=True).colour is Colour.YELLOW


def test_the_reason_is_in_words() -> None:
    assert judge_validity(1, 1).reason == "1 citation in 1 sentence: one citation is few"
    assert judge_validity(2, 9).reason == "2 citations in 9 sentences: fewer than three in ten"
    assert judge_validity(0, 2, is_repaired=True).reason == "the answer cites nothing; sources were attached afterwards"


def test_nothing_is_counted_below_nothing() -> None:
    with pytest.raises(ValueError, match="from 0 up"):
        judge_validity(-1, 3)


def test_citations_that_mean_no_source_are_not_called_none() -> None:
    lost = judge_validity(0, 2, is_lost=True)

    assert (lost.colour, lost.reason) == (Colour.RED, "the answer cites nothing that was given to it")
    repaired = judge_validity(0, 2, is_lost=True, is_repaired=True)
    assert repaired.reason == "the answer cites nothing that was given to it; sources were attached afterwards"
