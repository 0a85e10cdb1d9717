"""Clauses that are cited apart, after the fact."""

from __future__ import annotations

import pytest

from attribution import CitationPolicy, SearchUnit, attribute_documents
from attribution.documents.post_hoc import clauses_of, find_references
from tests.attribution.documents.fixtures_of_documents import Case, cases

TWO = "A first visit costs 90 pounds at Alder House, and parking behind the building is free."
COSTS = "A first visit costs 90 pounds at Alder House."
PARKING = "Parking behind the building is free."


@pytest.mark.parametrize("case", cases("clauses"), ids=lambda case: case.title)
def test_answers_of_the_fixture(case: Case) -> None:
    answer = case.one("answer").text

    assert [answer[slice(*span)] for clauses in clauses_of(answer) for span in clauses] == case.one("expect").text.splitlines()


def cited(answer: str, passages: list[str], unit: SearchUnit) -> list[tuple[str, int]]:
    return [(answer[slice(*each.span)], each.passage) for each in find_references(answer, passages, unit=unit)]


def test_each_clause_has_the_source_that_states_it() -> None:
    assert cited(TWO, [COSTS, PARKING], SearchUnit.CLAUSE) == [
        ("A first visit costs 90 pounds at Alder House", 0),
        ("parking behind the building is free.", 1),
    ]
    assert (TWO, 0) not in cited(TWO, [COSTS, PARKING], SearchUnit.CLAUSE)


def test_a_sentence_that_stands_whole_in_a_source_is_cited_whole() -> None:
    assert cited(TWO, [f"{COSTS} {PARKING}"], SearchUnit.CLAUSE) == [(TWO, 0)]


def test_a_clause_that_no_source_states_has_none() -> None:
    assert cited(TWO, [PARKING], SearchUnit.CLAUSE) == [("parking behind the building is free.", 0)]


def test_the_policy_says_what_is_cited() -> None:
    documents = [{"source_id": "a", "content": COSTS}, {"source_id": "b", "content": PARKING}]
    found = attribute_documents(
        response=TWO, documents=documents, policy=CitationPolicy(searches_afterwards=True, search_unit=SearchUnit.CLAUSE)
    )

    assert [(found.clean_text[slice(*each.span)], each.sources) for each in found.references if each.span] == [
        ("A first visit costs 90 pounds at Alder House", ("doc-1",)),
        ("parking behind the building is free.", ("doc-2",)),
    ]
