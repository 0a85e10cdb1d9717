"""However an answer is cut on its way, what is shown is the clean text, and little of it is late."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from attribution import Stripper, strip
from tests.attribution.cases import all_cases, cases
from tests.attribution.strategies import answers

LONGEST_HELD = 73


def shown(deltas: list[str]) -> str:
    stripper = Stripper()
    return "".join([*(stripper.feed(delta) for delta in deltas), stripper.finish()])


def cut(text: str, places: list[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise([0, *sorted(place % (len(text) + 1) for place in places), len(text)])]


def test_an_answer_cut_in_two_anywhere_is_shown_whole() -> None:
    texts = [case.answer[:160] for case in cases("markers", "near_markers", "quoted_markers")]
    cuts = [(text[:place], text[place:]) for text in texts for place in range(len(text) + 1)]
    assert [(before, after) for before, after in cuts if shown([before, after]) != strip(before + after)] == []


@given(answers, st.lists(st.integers(min_value=0), max_size=12))
def test_an_answer_cut_in_many_is_shown_whole(text: str, places: list[int]) -> None:
    assert shown(cut(text, places)) == strip(text)


def test_an_answer_that_comes_by_the_character_is_shown_whole() -> None:
    assert [str(case) for case in all_cases() if shown(list(case.answer)) != strip(case.answer)] == []


@given(answers)
def test_at_most_one_possible_marker_and_its_space_are_held_back(text: str) -> None:
    stripper = Stripper()
    so_far = ""
    for end, character in enumerate(text, start=1):
        so_far += stripper.feed(character)
        whole = strip(text[:end])
        assert whole.startswith(so_far)
        assert len(whole) - len(so_far) <= LONGEST_HELD


def test_plain_text_is_never_held_back() -> None:
    stripper = Stripper()
    assert [stripper.feed(delta) for delta in ("Your", " risk", " is [not] low.")] == ["Your", " risk", " is [not] low."]


def test_the_longest_possible_marker_is_held_back_until_it_is_none() -> None:
    stripper = Stripper()
    begun = " [[SF:" + "a" * 66
    assert stripper.feed(begun) == ""
    assert stripper.feed("]") == ""
    assert stripper.feed("x") == begun + "]x"


def test_a_stripper_can_be_used_again_after_the_end() -> None:
    stripper = Stripper()
    assert stripper.feed("a [[SF:") + stripper.finish() == "a [[SF:"
    assert stripper.feed("b [[SF:flags]]") + stripper.finish() == "b"
