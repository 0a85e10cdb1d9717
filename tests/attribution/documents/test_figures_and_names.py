"""Figures and names of a claim must be in its passages, in whatever form."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attribution.documents.figures_and_names import MissingKind, find_missing, know, names_or_counts
from tests.attribution.documents.fixtures_of_documents import Case, rows_of_cases


@pytest.mark.parametrize(
    ("case", "row"), rows_of_cases("figures_and_names", "claims"), ids=lambda each: each[1] if isinstance(each, list) else ""
)
def test_claims_of_the_fixture(case: Case, row: list[str]) -> None:
    expected, claim = row
    missing = find_missing(claim, know(case.text))
    assert [each.text for each in missing] == ([] if expected == "-" else expected.split("; "))
    assert all(claim[slice(*each.span)] == each.text for each in missing)
    assert not missing or names_or_counts(claim)


def test_kinds_and_traces() -> None:
    name, figure = find_missing("The doctor Marta Lopez saw 7 of them.", know("Dr. Marta Ruiz saw three."))
    assert (name.kind, name.trace) == (MissingKind.NAME, "‘Lopez’ of ‘Marta Lopez’ stands nowhere in the source")
    assert (figure.kind, figure.trace) == (MissingKind.FIGURE, "‘7’ stands nowhere in the source, in no form")


def test_any_of_several_passages_may_have_it() -> None:
    assert not find_missing("Ruiz saw 7 patients.", know("It was 7.\nSo says Ruiz."))


def test_a_name_may_be_the_end_of_a_word_that_begins_with_a_figure() -> None:
    assert not find_missing("She takes 5HTP.", know("They are told to take 5HTP."))
    assert not find_missing("It is at 10AM.", know("It is at 10 am."))
    assert [each.text for each in find_missing("She takes 5HTP.", know("They are told to take 5HT."))] == ["HTP"]


@example("0A0")
@given(st.text(max_size=120))
def test_a_text_lacks_nothing_of_itself(text: str) -> None:
    assert not find_missing(text, know(text))
