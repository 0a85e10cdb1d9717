"""Twice the text is at most 2.3 times the work, counted in calls and not by a clock."""

from __future__ import annotations

import itertools
from operator import itemgetter

import pytest

from attribution import attribute_documents
from attribution.documents.figures_and_names import find_missing, know
from attribution.documents.post_hoc import find_references
from attribution.documents.quotes import check_quote
from attribution.documents.support import judge_support
from tests.attribution.test_linear import MOST, growth
from tests.sampling import sampled

LENGTH = 1_000
UNITS = (
    "a ",
    "a",
    "a-",
    "a… ",
    "1 ",
    "-1 ",
    "1,000 ",
    "not ",
    "Anna ",
    "Anna. ",
    "A. ",
    "alpha beta. ",
    "Alpha Beta & ",
    "x\n",
    "five ",
    "[1] ",
    "'s ",
    "é ",
)


@pytest.mark.parametrize(("unit", "end"), sampled(itertools.product(UNITS, ["", "b"]), itemgetter(1), more=8))
def test_the_work_of_a_quote_grows_with_quote_and_passage(unit: str, end: str) -> None:
    assert growth(lambda size: check_quote(unit * (size // 4) + end, unit * size), LENGTH) <= MOST


@pytest.mark.parametrize("unit", sampled(UNITS, more=6))
def test_the_work_of_support_grows_with_the_passage(unit: str) -> None:
    assert growth(lambda size: judge_support("Alpha is not beta of Anna in five.", [unit * size, "alpha " * size], unit), LENGTH) <= MOST


@pytest.mark.parametrize("unit", sampled(UNITS, more=6))
def test_the_work_of_support_grows_with_the_claim(unit: str) -> None:
    assert growth(lambda size: judge_support(f"alpha {unit} beta {unit}" * size, ["alpha beta " * 40, unit * 40]), LENGTH // 4) <= MOST


@pytest.mark.parametrize("unit", sampled(UNITS, more=6))
def test_the_work_of_figures_and_names_grows_with_claim_and_passage(unit: str) -> None:
    assert growth(lambda size: find_missing(f"{unit}Berta 7 " * (size // 8), know(unit * size)), LENGTH) <= MOST


@pytest.mark.parametrize("unit", sampled(UNITS, more=6))
def test_the_work_of_finding_references_grows_with_the_documents(unit: str) -> None:
    answer = f"Alpha beta gamma {unit}delta. Epsilon zeta eta theta. " * 10
    assert growth(lambda size: find_references(answer, [f"alpha beta gamma {unit}delta {number}" for number in range(size)]), 200) <= MOST


def test_the_work_of_finding_references_grows_with_the_answer() -> None:
    documents = [f"Team {number} treats clients of group {number % 7} at house {number % 11}." for number in range(100)]

    def run(size: int) -> None:
        find_references("".join(f"Team {number} treats clients of group {number % 7}. " for number in range(size)), documents)

    assert growth(run, 100) <= MOST


def test_the_work_of_a_claim_grows_with_its_citations() -> None:
    def attribute(size: int) -> None:
        names = [str(number) for number in range(1, size + 1)]
        citations = {"claims": [{"text": "We open at nine.", "citation_ids": names}], "citations": []}
        attribute_documents(response="We open at nine.", documents=["Open at nine."] * size, citations=citations)

    assert growth(attribute, LENGTH // 4) <= MOST


def test_a_source_is_read_once_however_many_ranges_cite_it() -> None:
    passages = [f"Room {number} opens at nine. " * 40 for number in range(20)]

    def attribute(size: int) -> None:
        answer = " ".join([f"We open at {number} [{number}-20]." for number in range(1, size + 1)])
        attribute_documents(response=answer, documents=passages)

    assert growth(attribute, 8) <= 1.5


def test_a_page_can_list_what_an_answer_leaves_open():
    answer = {"answer": "Staff are kind.", "claims": [], "unanswered_aspects": ["a"] * 100_000}

    attribution = attribute_documents(response="Staff are kind.", citations=answer)

    assert len(attribution.unanswered_aspects) == 200
    assert "the first 200 of 100,000 aspects that are not answered are read" in [each.message for each in attribution.issues]


def test_few_places_of_claims_are_looked_for_in_a_long_answer() -> None:
    """Where claims look like the answer everywhere, each takes as long as a thousand others: 5,000 beside 29 kB took four seconds."""
    entries = [{"id": "d", "claim": "a" * 10}] * 5_000
    found = attribute_documents(response="a" * 29_000, documents=[{"id": "d", "text": "word"}], citations=entries)

    assert sum(each.span is not None for each in found.references) <= 1_200
