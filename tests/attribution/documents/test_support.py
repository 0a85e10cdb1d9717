"""Support of claims by passages, judged by words alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.documents.support import judge_support
from tests.attribution.documents.fixtures_of_documents import Case, rows_of_cases

PASSAGE = "Lithium levels are checked every three months. Ibuprofen raises the level. Tremor and thirst are common."
EXCERPT = (
    "the level of lithium in the blood is checked after each change of dose, and the doctor explains what lithium does " * 8
) + "and then"


@pytest.mark.parametrize(("case", "row"), rows_of_cases("support", "claims"), ids=lambda each: each[1] if isinstance(each, list) else "")
def test_claims_of_the_fixture(case: Case, row: list[str]) -> None:
    expected, claim = row
    support = judge_support(claim, [case.text], case.one("question").text)
    assert support.is_supported is (expected == "yes"), (support.probability, support.trace)


def test_the_best_sentences_are_shown() -> None:
    support = judge_support("Ibuprofen raises the level [2].", ["Nothing of it.", PASSAGE])
    assert support.passage == 1
    assert support.window is not None
    assert PASSAGE[slice(*support.window)] == "Ibuprofen raises the level."
    assert support.trace == "3 of 3 content words stand in the source, 100% of their weight together"


def test_the_opposite_is_said_plainly() -> None:
    support = judge_support(
        "Ibuprofen does not raise the level of lithium in the blood.", ["Ibuprofen does raise the level of lithium in the blood."]
    )
    assert support.opposite == "it says nearly this, but the source does not have ‘not’ there"
    assert support.probability < 0.05


def test_signs_that_are_too_few_for_an_opposite_leave_a_doubt() -> None:
    source = "Adults start with 2 mg in the evening, an hour before going to bed. Whoever drives should wait a day."
    support = judge_support("Adults stop with two tablets in the evening.", [source])
    assert (support.is_supported, support.opposite) == (False, "")
    assert support.doubt == "the claim says ‘stop’, the source ‘start’"
    assert support.trace.endswith(f"; but {support.doubt}")
    assert judge_support("Adults start with 2 mg in the evening.", [source]).doubt == ""


def test_missing_words_are_named() -> None:
    support = judge_support("Valproate raises the level of ammonia.", [PASSAGE])
    assert support.missing == ("valproate", "ammonia")
    assert support.trace.endswith("not there: ‘valproate’, ‘ammonia’")


def test_a_source_that_breaks_off_is_judged_by_what_it_is_about() -> None:
    support = judge_support("Lithium is checked by the doctor in the blood each spring.", [EXCERPT], "When is lithium checked?")
    assert support.is_excerpt
    assert support.is_supported
    assert support.trace.endswith("; the source breaks off")
    assert not judge_support("Lithium is checked by the doctor in the blood each spring.", [EXCERPT + "."]).is_excerpt


@pytest.mark.parametrize(
    ("claim", "passages"), [("", [PASSAGE]), ("It is so.", [PASSAGE]), ("Lithium is safe.", []), ("Lithium is safe.", ["", "…"])]
)
def test_nothing_supports_nothing(claim: str, passages: list[str]) -> None:
    support = judge_support(claim, passages)
    assert support.probability == 0
    assert support.window is None


def test_an_excerpt_that_says_it_is_enough() -> None:
    excerpt = "Bring the letter of your doctor. " * 10 + "Tremor and thirst are common. Parking is free and the"
    support = judge_support("Tremor and thirst are common.", [excerpt])
    assert support.is_excerpt
    assert support.is_supported


def test_no_word_found_is_no_support() -> None:
    assert judge_support("Bananas ripen.", [EXCERPT]).probability == 0


@given(st.text(max_size=80), st.lists(st.text(max_size=120), max_size=3), st.text(max_size=40))
def test_any_texts_give_a_probability_and_a_window_in_the_passage(claim: str, passages: list[str], question: str) -> None:
    support = judge_support(claim, passages, question)
    assert 0 <= support.probability <= 1
    assert support.trace
    if support.window:
        assert 0 <= support.window[0] < support.window[1] <= len(passages[support.passage])


@pytest.mark.parametrize("size", range(4, 40))
def test_of_windows_that_are_as_good_as_each_other_the_first_is_named(size: int) -> None:
    """Their words weigh the same in sum, in whichever order they are added: else it would differ from run to run."""
    lengths = [3 + number * 7 % 5 for number in range(size)]
    first, second = (
        [f"{letter}{chr(98 + number % 24)}{'oz' * length}"[:length] for number, length in enumerate(lengths)] for letter in "bk"
    )
    passage = f"{' '.join(first)}. {'x ' * 9}. {'y ' * 9}. {'z ' * 9}. {' '.join(reversed(second))}."
    claim = " ".join([*second[: size // 2], *first, *second[size // 2 :]])
    assert judge_support(claim, [passage]).window == (0, len(" ".join(first)) + 1)
