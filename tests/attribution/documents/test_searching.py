"""The one interface of looking for citations after the fact."""

from __future__ import annotations

import pytest

from attribution import (
    CitableSource,
    FoundCitations,
    FoundReference,
    ReferenceStatus,
    RefusalReason,
    RefusedCitation,
    SearchMethod,
    SourceKind,
    attribute_documents,
    canonical_bytes,
    decode_search,
    encode_search,
    is_code_only,
    read_json,
    search_by_words,
)

COSTS = CitableSource("doc-1", SourceKind.DOCUMENT, content="Opening hours follow. A first visit costs 90 pounds.")
PARKING = CitableSource("doc-2", SourceKind.DOCUMENT, content="Parking is free.")


def test_the_way_by_words_points_to_the_source_that_says_it() -> None:
    result = search_by_words("Hello! A first visit costs 90 pounds.", [PARKING, COSTS], "What does it cost?")
    assert result.method is SearchMethod.WORDS
    assert [(each.span, each.passage) for each in result.found] == [((7, 37), 1)]
    assert (result.refused, result.model) == ((), "")


def test_nothing_found_is_a_result() -> None:
    assert search_by_words("Ask your insurer about the deductible.", [PARKING, COSTS], "").found == ()


@pytest.mark.parametrize("answer", ["", "   \n", "```sql\nselect 1;\n```", "```\nnever closed", "---\n```js\nlet a = 1\n```\n"])
def test_an_answer_without_a_word_outside_code_is_code_only(answer: str) -> None:
    assert is_code_only(answer)


@pytest.mark.parametrize("answer", ["Yes.", "Run this:\n```sh\nls\n```", "90"])
def test_a_word_of_prose_is_enough(answer: str) -> None:
    assert not is_code_only(answer)


def test_what_is_found_is_stored_with_its_checks_and_read_again():
    given = [
        {"title": "Parking", "content": PARKING.content},
        {"title": "Costs", "url": "https://a.example", "content": COSTS.content},
    ]
    documents = attribute_documents(response="Hello! A first visit costs 90 pounds.", documents=given)
    result = search_by_words(documents.clean_text, documents.sources, "What does it cost?")
    stored = read_json(canonical_bytes(encode_search(result, documents, "What does it cost?")))

    assert stored["sources"] == [{"id": "doc-2", "type": "document", "uri": "https://a.example", "title": "Costs", "domain": "a.example"}]
    ((reference),) = stored["references"]
    assert (reference["index"], reference["start"], reference["end"], reference["source_ids"]) == (0, 7, 37, ["doc-2"])
    assert 0 < reference["probability"] < 1
    assert "Costs" not in str(reference)
    record = decode_search(stored)
    assert (record.method, record.model, record.refused) == (SearchMethod.WORDS, "", 0)
    assert record.references[0].status is ReferenceStatus.FOUND
    assert record.references[0].check.support.is_supported
    assert record.probabilities == {0: reference["probability"]}


def test_what_a_source_lacks_is_told_of_a_citation_that_was_found_some_other_way():
    documents = attribute_documents(response="A first visit costs 95 pounds.", documents=[{"content": COSTS.content}])
    found = FoundReference((0, 30), 0, None, 0.9, "the model says so")
    refused = RefusedCitation("Parking is dear.", 7, RefusalReason.SOURCE_OUT_OF_RANGE)
    stored = encode_search(FoundCitations(SearchMethod.MODEL, (found,), (refused,), "model-a"), documents, "")

    record = decode_search(stored)
    assert [each.text for each in record.references[0].check.missing] == ["95"]
    assert (record.model, record.refused) == ("model-a", 1)
    assert stored["refused"] == [{"claim": "Parking is dear.", "source": 7, "reason": "source_out_of_range"}]
