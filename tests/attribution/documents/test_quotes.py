"""Quotes are verified for their words: any changed one is refused, what no reader would call another word is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import IssueCode, attribute_documents
from attribution.documents.differences import QuoteRule
from attribution.documents.quotes import check_quote, check_span
from attribution.documents.transcript import Transcript
from tests.attribution.documents.fixtures_of_documents import Case, rows, rows_of_cases

PASSAGE = "Lithium levels are checked every 3 months. Ibuprofen is not recommended. Bring a list of your medicines to Alder House."
WORDS = PASSAGE.split()


@pytest.mark.parametrize(("case", "row"), rows_of_cases("quotes", "quotes"), ids=lambda each: each[1] if isinstance(each, list) else "")
def test_quotes_of_the_fixture(case: Case, row: list[str]) -> None:
    expected, quote = row
    check = check_quote(quote, case.text)
    assert (check.rule, check.trace) == (QuoteRule(expected), check.trace)
    assert check.is_verified is (expected in {"exact", "cut", "slip", "ellipsis"})


@given(st.integers(0, len(WORDS) - 1), st.integers(1, len(WORDS)))
def test_every_run_of_words_is_verified_where_it_stands(first: int, count: int) -> None:
    quote = " ".join(WORDS[first : first + count])
    check = check_quote(quote, PASSAGE)
    assert check.rule is (QuoteRule.ALTERED_NEGATION if WORDS[first - 1] == "not" else QuoteRule.EXACT)
    assert check.window is not None
    assert PASSAGE[slice(*check.window)].rsplit(maxsplit=1)[-1].strip(".") == quote.split()[-1].strip(".")


@given(st.integers(0, len(WORDS) - 1), st.sampled_from(["never", "4", "Birch", "monthly", "checks"]))
def test_a_word_put_in_place_of_another_is_refused(place: int, other: str) -> None:
    quote = " ".join([*WORDS[:place], other, *WORDS[place + 1 :]])
    check = check_quote(quote, PASSAGE)
    assert not check.is_verified
    assert check.rule.startswith("altered")


@given(st.integers(1, len(WORDS) - 2))
def test_a_word_left_out_is_refused(place: int) -> None:
    assert not check_quote(" ".join([*WORDS[:place], *WORDS[place + 1 :]]), PASSAGE).is_verified


@given(st.text(max_size=60), st.text(max_size=120))
def test_any_texts_give_a_result_whose_window_lies_in_the_passage(quote: str, passage: str) -> None:
    check = check_quote(quote, passage)
    assert 0 <= check.similarity <= 1
    assert check.trace
    if check.window:
        assert 0 <= check.window[0] < check.window[1] <= len(passage)


@given(st.text(max_size=120))
def test_a_text_stands_in_itself(text: str) -> None:
    assert check_quote(text, text).is_verified is bool(Transcript(text).tokens) or "…" in text or "..." in text


def test_the_change_is_named() -> None:
    assert check_quote("Lithium levels are checked every 6 months", PASSAGE).trace == "the source has ‘3’ where the quote has ‘6’"
    assert check_quote("Ibuprofen is recommended", PASSAGE).trace == "the quote leaves out ‘not’"
    assert check_quote("Ibuprofen is certainly not recommended", PASSAGE).trace == "the source does not have ‘certainly’ there"
    assert check_quote("recommended", PASSAGE).trace == "the quote leaves out ‘not’, which stands before it at 60–71"


@pytest.mark.parametrize(
    ("span", "quote", "is_verified"),
    [
        ((0, 7), None, True),
        ((0, 7), "lithium", True),
        ((0, 7), "Sodium", False),
        ((0, 500), None, False),
        ((-1, 4), None, False),
        ((4, 4), None, False),
    ],
)
def test_a_span_lies_inside_and_has_the_quote(span: tuple[int, int], quote: str | None, is_verified: bool) -> None:  # noqa: FBT001
    assert check_span(span, PASSAGE, quote).is_verified is is_verified


@pytest.mark.parametrize("row", rows("left_out_denials"), ids=lambda row: row[0])
def test_a_quote_that_leaves_out_what_denies_it_is_refused(row: list[str]) -> None:
    passage = row[0].replace("⏎", "\n")
    check = check_quote(row[1], passage)
    assert not check.is_verified
    assert check.rule is not QuoteRule.ABSENT or "…" in row[1]
    issues = attribute_documents(
        response="So it is.", documents=[{"source_id": "a", "content": passage}], citations=[{"sourceId": "a", "quote": row[1]}]
    ).issues
    assert IssueCode.QUOTE_NOT_FOUND in [issue.code for issue in issues]


@pytest.mark.parametrize("row", rows("kept_denials"), ids=lambda row: row[0])
def test_a_quote_beside_a_denial_that_is_not_about_it_is_verified(row: list[str]) -> None:
    assert check_quote(row[1], row[0]).is_verified
