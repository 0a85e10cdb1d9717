"""A question back has nothing to cite, and repair touches neither it, nor a withheld answer, nor code."""

from __future__ import annotations

import pytest

from attribution import CitationPolicy, Colour, attribute_documents, coverage_report, decode_documents, encode_documents
from attribution.documents.validity import is_clarifying_question
from tests.attribution.documents.fixtures_of_documents import rows

DOCUMENTS = [{"source_id": "a", "content": "Rest helps after a fall.", "score": 0.9}]
REPAIRING = CitationPolicy(repairs=True, is_required=True)


@pytest.mark.parametrize("row", rows("clarifying"), ids=lambda row: row[1])
def test_questions_back_of_the_fixture(row: list[str]) -> None:
    assert is_clarifying_question(row[1].replace("⏎", "\n")) is (row[0] == "question")


def test_a_question_back_has_nothing_to_cite_and_is_not_repaired() -> None:
    attribution = attribute_documents(response="Which knee hurts?", documents=DOCUMENTS, policy=REPAIRING)
    assert (attribution.references, attribution.issues) == ((), ())
    assert (attribution.validity.colour, attribution.validity.reason) == (
        Colour.NOTHING_TO_CITE,
        "the answer only asks back",
    )
    assert decode_documents(encode_documents(attribution), "Which knee hurts?", {}).validity == attribution.validity
    assert coverage_report([attribution]).answers == 0


def test_a_question_back_that_cites_is_judged_as_any_answer() -> None:
    assert attribute_documents(response="Which knee hurts [1]?", documents=DOCUMENTS).validity.colour is Colour.YELLOW


def test_a_withheld_answer_is_not_repaired() -> None:
    attribution = attribute_documents(
        response="Rest helps.", documents=DOCUMENTS, policy=REPAIRING, abstention_reason="no source answers the question"
    )
    assert not attribution.is_repaired
    stated = {"answer": "Rest helps.", "claims": [], "abstention_reason": "no source answers the question"}
    assert not attribute_documents(response="Rest helps.", documents=DOCUMENTS, citations=stated, policy=REPAIRING).is_repaired


def test_code_is_not_repaired() -> None:
    assert not attribute_documents(response="```python\nrest(knee)\n```", documents=DOCUMENTS, policy=REPAIRING).is_repaired


def test_any_other_answer_is() -> None:
    assert attribute_documents(response="Rest helps.", documents=DOCUMENTS, policy=REPAIRING).is_repaired
