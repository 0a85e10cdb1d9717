"""Answers that cite documents: the fixtures of every grammar, and what holds for any answer."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import (
    CitationPolicy,
    FieldSpans,
    InputError,
    IssueCode,
    ReferenceStatus,
    attribute_documents,
    canonical_bytes,
    decode_documents,
    encode_documents,
    strip,
)
from tests.attribution.cases import misread
from tests.attribution.documents.turns_of_documents import cases, judged, shown, sources
from tests.attribution.strategies import answers, any_text, values

MARKS = (
    *(
        "[1]",
        "[2]",
        "[7]",
        "[1, 2]",
        "[1-3]",
        "[2019]",
        "［1］",
        "【2】",
        "[[1]]",
        "([1])",
        "[1",
        "1]",
        "[0]",
        "arr[1]",
        "[1](x)",
        "[1]: x",
    ),
    *("[citation:a:1]", "[citation:b]", "[citation:a:1", "[^1]", "[[SF:risk_level]]", "`[1]`", "```\n[1]\n", "Rest helps", ". ", ", ", " "),
    *(
        "\n",
        "\r\n",
        "\n\nSources used: [1]",
        "\nSources:\n[1] Leaflet\n",
        "\n[1] Call us.",
        "\n[2] Ask us.",
        "🙂",
        "東京。",
        "\u200b",
        "\ud800",
    ),
)
DOCUMENTS: tuple[Any, ...] = (
    "We open at nine.",
    {"source_id": "a", "chunk_id": "1", "title": "Leaflet", "content": "Rest helps.", "score": 0.5},
    {"source_id": "b", "url": "https://clinic.example/b", "content": "Walk."},
    {"source_id": "a", "chunk_id": "1", "namespace": "n"},
    {"id": 3, "text": ["x", {"text": "y"}]},
    None,
)
cited_answers = st.lists(st.sampled_from(MARKS) | any_text, max_size=24).map("".join) | answers
documents = st.lists(st.sampled_from(DOCUMENTS) | values, max_size=6)
KEYS = (
    *("sourceId", "source_id", "chunkId", "quote", "span", "claims", "citations", "text", "answer", "id", "content", "type", "annotations"),
    *("output", "choices", "message", "candidates", "parts", "groundingMetadata", "groundingChunks", "groundingSupports", "segment", "web"),
    *("startIndex", "endIndex", "start", "end", "sources", "document", "url", "title", "document_index", "cited_text", "url_citation"),
    *("name", "tool", "results", "groundingChunkIndices", "start_index", "end_index", "value", "role"),
)
WORDS = (
    "text",
    "output_text",
    "url_citation",
    "file_citation",
    "char_location",
    "a",
    "doc:0",
    "Rest helps",
    "web_search",
    "mcp.a__b",
    "[1]",
)
wild: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(WORDS) | st.integers(-2, 40) | st.booleans() | st.none() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=24,
)


@pytest.mark.parametrize("file", ["keyed", "structured", "native", "tools_cited", "echoed"])
def test_a_citation_is_looked_up_and_every_issue_said(file: str) -> None:
    assert misread(cases(file), shown) == []


def test_what_tools_returned_becomes_sources() -> None:
    assert misread(cases("tools"), sources) == []


def test_a_citation_is_checked_and_the_answer_judged() -> None:
    assert misread(cases("checks"), judged) == []


@given(cited_answers, documents)
def test_every_code_point_is_in_the_clean_text_or_in_a_removed_part(response: str, given_documents: list[Any]) -> None:
    attribution = attribute_documents(response=response, documents=given_documents)
    kept = "".join(response[end:start] for (_, end), (start, _) in pairwise([(0, 0), *attribution.removed, (len(response),) * 2]))
    assert attribution.clean_text == kept
    assert all(first[1] < second[0] for first, second in pairwise(attribution.removed))


@given(cited_answers, documents)
def test_offsets_fit_the_texts_they_are_offsets_of(response: str, given_documents: list[Any]) -> None:
    attribution = attribute_documents(response=response, documents=given_documents)
    names = {source.id for source in attribution.sources}
    for reference in attribution.references:
        assert set(reference.sources) <= names
        if reference.raw is not None:
            assert response[slice(*reference.raw)] == reference.text
            assert any(start <= reference.raw[0] and reference.raw[1] <= end for start, end in attribution.removed)
            assert reference.position is not None
            assert 0 <= reference.position <= len(attribution.clean_text)
        if reference.span is not None:
            assert 0 <= reference.span[0] < reference.span[1] <= len(attribution.clean_text)
    places = [reference.raw for reference in attribution.references if reference.raw]
    assert places == sorted(places)


@given(cited_answers, documents)
def test_a_source_is_named_or_an_issue_says_why_not(response: str, given_documents: list[Any]) -> None:
    attribution = attribute_documents(response=response, documents=given_documents)
    about = {issue.reference for issue in attribution.issues}
    for reference in attribution.references:
        assert reference.ordinal in about or all(target.source is not None for target in reference.targets)


@given(
    st.lists(st.sampled_from(("Rest", " ", ". ", "[x]", "`a`", "[[SF:risk_level]]", "\n", ", ", "(", ")", " and ")), max_size=12).map(
        "".join
    )
)
def test_an_answer_without_citations_only_loses_markers_of_fields(response: str) -> None:
    assert attribute_documents(response=response).clean_text == strip(response)


@given(
    cited_answers,
    documents,
    wild,
    wild,
    st.lists(wild, max_size=3),
    st.sampled_from((CitationPolicy(), CitationPolicy(is_required=True, repairs=True))),
)
def test_whatever_a_turn_holds_it_is_attributed(
    response: str, given_documents: list[Any], citations: Any, native: Any, calls: list[Any], policy: CitationPolicy
) -> None:
    turn: dict[str, Any] = {
        "response": response,
        "documents": given_documents,
        "tool_calls": calls,
        "citations": citations,
        "native": native,
    }
    attribution = attribute_documents(**turn, policy=policy)
    encoded = encode_documents(attribution)
    assert canonical_bytes(encoded) == canonical_bytes(encode_documents(attribute_documents(**turn, policy=policy)))
    for reference in attribution.references:
        if reference.span is not None:
            assert 0 <= reference.span[0] <= reference.span[1] <= len(attribution.clean_text)


@given(cited_answers, documents, wild)
def test_what_is_written_is_read_back(response: str, given_documents: list[Any], native: Any) -> None:
    attribution = attribute_documents(response=response, documents=given_documents, native=native)
    stored = json.loads(canonical_bytes(encode_documents(attribution)))
    contents = {source.id: source.content for source in attribution.sources}
    again = decode_documents(stored, attribution.raw_text, contents)
    assert encode_documents(again) == encode_documents(attribution)


@pytest.mark.parametrize("file", ["keyed", "structured", "native", "tools_cited", "tools", "checks"])
def test_a_stored_attribution_is_the_same(file: str) -> None:
    for case in cases(file):
        attribution = case.attribute()
        stored = json.loads(canonical_bytes(encode_documents(attribution)))
        read = decode_documents(stored, attribution.raw_text, {source.id: source.content for source in attribution.sources})
        assert read == attribution, case


@pytest.mark.parametrize(
    "turn", [{"response": None}, {"response": b"x"}, {"response": "x", "documents": "x"}, {"response": "x", "tool_calls": {}}], ids=str
)
def test_what_is_no_turn_is_refused_with_its_place(turn: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^(response|documents|tool_calls): "):
        attribute_documents(**turn)


def test_repaired_sources_are_no_citations_of_the_model() -> None:
    given_documents = [{"content": "Rest helps.", "score": 0.9}]
    attribution = attribute_documents(response="Rest helps.", documents=given_documents, policy=CitationPolicy(repairs=True))
    assert [each.status for each in attribution.references] == [ReferenceStatus.REPAIRED]
    assert attribution.is_repaired
    assert attribution.cited == ()


def test_a_list_that_names_another_document_is_noticed() -> None:
    response = "Rest helps [1].\n\nSources used:\n[1] Bus timetable"
    attribution = attribute_documents(response=response, documents=[{"title": "Leaflet on the knee"}])
    assert [issue.code for issue in attribution.issues] == [IssueCode.MISLABELLED]


def test_documents_with_their_own_numbers_are_cited_by_them() -> None:
    attribution = attribute_documents(response="Rest helps [5]. Walk [1].", documents=[{"id": "2"}, {"id": "5"}])
    assert [reference.sources for reference in attribution.references] == [("doc-2",), ()]


@given(cited_answers, documents)
def test_spans_of_fields_hold_the_same_words_without_the_citations(response: str, given_documents: list[Any]) -> None:
    attribution = attribute_documents(response=response, documents=given_documents)
    spans = FieldSpans(response, attribution.removed)
    assert spans.moved((0, 0)) == (0, 0)
    for place, character in enumerate(strip(response)):
        start, end = spans.moved((place, place + 1))
        assert attribution.clean_text[start:end] in (character, "")


def test_a_span_of_a_field_is_moved_over_the_citations_before_it() -> None:
    response = "Rest helps [1]. Her risk [[SF:risk_level]] is low [2]."
    attribution = attribute_documents(response=response, documents=["a", "b"])
    start = strip(response).index("risk is low")
    assert attribution.clean_text[slice(*FieldSpans(response, attribution.removed).moved((start, start + 11)))] == "risk is low"


def test_an_id_of_a_document_is_not_the_place_of_another() -> None:
    given_documents = [
        {"source_id": "doc-1", "chunk_id": "1"},
        {"source_id": "doc-1", "chunk_id": "2"},
        {"source_id": "doc-2", "chunk_id": "1"},
    ]
    response = "A first visit [citation:doc-2:2]. A second visit [citation:doc-2:1]."
    attribution = attribute_documents(response=response, documents=given_documents)
    assert [reference.sources for reference in attribution.references] == [(), ("doc-3",)]


def test_sources_of_calls_with_one_name_have_ids_that_differ() -> None:
    calls = [{"id": "doc", "name": "web_search", "output": [{"title": title}]} for title in "ab"]
    attribution = attribute_documents(response="Rest [1].", documents=["x"], tool_calls=calls)
    assert [source.id for source in attribution.sources] == ["doc-1", "doc-1.2", "doc-1.3"]
