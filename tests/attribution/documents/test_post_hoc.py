"""References that are found after the fact."""

from __future__ import annotations

import pytest

from attribution.documents.post_hoc import find_references
from attribution.documents.wording import sentences_of
from tests.attribution.documents.fixtures_of_documents import Case, cases


@pytest.mark.parametrize("case", cases("post_hoc"), ids=lambda case: case.title)
def test_answers_of_the_fixture(case: Case) -> None:
    answer = case.one("answer").text
    found = find_references(answer, [each.text for each in case.all("passage")])
    by_sentence = [[str(each.passage + 1) for each in found if each.span == span] for span in sentences_of(answer)]
    assert [",".join(each) or "-" for each in by_sentence] == case.one("expect").text.split()


def test_a_reference_says_where_and_why() -> None:
    passage = "Opening hours follow. A first visit costs 90 pounds. Parking is free."
    (found,) = find_references("Hello! A first visit costs 90 pounds.", [passage])
    assert found.span == (7, 37)
    assert found.window is not None
    assert passage[slice(*found.window)] == "A first visit costs 90 pounds."
    assert found.trace.startswith("5 of 5 content words stand in the source")


def test_the_most_probable_passage_comes_first() -> None:
    passages = ["Visits are possible. A first one costs much, 90 pounds perhaps.", "A first visit costs 90 pounds."]
    found = find_references("A first visit costs 90 pounds.", passages)
    assert found[0].passage == 1
    assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)


def test_an_excerpt_is_no_source_of_what_it_does_not_say() -> None:
    excerpt = "lithium is taken in tablets and lithium is checked in the blood of those who take lithium " * 5 + "and then"
    assert not find_references("Lithium harms the thyroid and the kidneys of one patient in nine.", [excerpt], "What of lithium?")


def test_nothing_comes_of_nothing() -> None:
    assert find_references("", ["A first visit costs 90 pounds."]) == ()
    assert find_references("A first visit costs 90 pounds.", []) == ()
