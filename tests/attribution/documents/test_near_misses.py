"""What is nearly a citation is said to be none, with what was probably meant; what only looks like one is left alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from attribution import DocumentAttribution, IssueCode, attribute_documents
from tests.attribution.documents.fixtures_of_documents import rows

DOCUMENTS: list[dict[str, Any]] = [
    {"source_id": "a", "chunk_id": "1", "content": "Rest helps after a fall."},
    {"source_id": "b", "content": "Rest helps, and walking does too."},
    {"source_id": "visits", "chunk_id": "4", "content": "Rest helps."},
    {"source_id": "77", "content": "Rest helps."},
]
SEARCH = {"id": "r1", "name": "web_search", "output": [{"title": "Hours", "snippet": "We open at nine on all days."}, {"title": "Fees"}]}


def said(attribution: DocumentAttribution) -> str:
    cited = ", ".join(target.written for each in attribution.references for target in each.targets)
    malformed = [issue.message for issue in attribution.issues if issue.code is IssueCode.MALFORMED]
    if malformed:
        (message,) = malformed
        meant = re.search("; (.*) was probably meant", message)
        assert not cited
        return meant[1] if meant else "?"
    return f"cites {cited}" if cited else "-"


@pytest.mark.parametrize("row", rows("near_misses"), ids=lambda row: row[1])
def test_near_misses_of_the_fixture(row: list[str]) -> None:
    expected, answer = row[0], row[1].replace("⏎", "\n")
    attribution = attribute_documents(response=answer, documents=DOCUMENTS)
    assert said(attribution) == expected
    assert expected.startswith("cites") or attribution.clean_text == answer


def test_nothing_is_missed_where_nothing_could_be_cited() -> None:
    assert attribute_documents(response="Rest helps [doc1].").issues == ()


def test_a_tool_that_nothing_reads_is_said() -> None:
    call = {"id": "c7", "name": "lookup_labs", "output": {"note": "The last potassium was 4.1 on Monday."}}
    issues = attribute_documents(response="It was 4.1.", tool_calls=[call, SEARCH]).issues
    assert [issue.code for issue in issues] == [IssueCode.READ_IN_PART]
    assert issues[0].message == "nothing of what ‘lookup_labs’ returned (c7) can be cited: no extractor reads a tool of this name"


def test_a_shape_that_no_extractor_knows_is_said() -> None:
    call = {"id": "c7", "name": "web_search", "output": {"error": "The search is closed until nine."}}
    assert "it has no shape that is known of this tool" in attribute_documents(response="Yes.", tool_calls=[call]).issues[0].message


@pytest.mark.parametrize("output", [None, "", "ok", [], {}, {"results": []}, {"count": 0, "more": False}])
def test_a_tool_that_found_nothing_is_no_issue(output: Any) -> None:
    assert attribute_documents(response="Yes.", tool_calls=[{"name": "lookup_labs", "output": output}]).issues == ()


def test_a_number_beyond_the_documents_names_the_result_of_a_tool_that_may_be_meant() -> None:
    issues = attribute_documents(response="Rest helps [2].", documents=DOCUMENTS[:1], tool_calls=[SEARCH]).issues
    assert [issue.message for issue in issues] == [
        "document 2 is cited, there is 1; numbers mean documents, not what tools returned (r1-2 or r1-1)"
    ]


def test_a_number_of_a_document_that_says_something_else_may_mean_the_result_of_a_tool() -> None:
    attribution = attribute_documents(response="We open at nine on all days [1].", documents=DOCUMENTS, tool_calls=[SEARCH])
    assert [issue.message for issue in attribution.issues if issue.code is IssueCode.AMBIGUOUS] == [
        "result r1-1 of a tool has most of these words, document 1 has few of them: a number means a document"
    ]
    assert attribution.cited == ("doc-1",)


@pytest.mark.parametrize(
    ("span", "fault"),
    [
        ([9, 3], "its span starts at 9 and ends at 3"),
        ([4, 4], "its span starts at 4 and ends at 4"),
        ({"start": 9, "end": 3}, "its span starts at 9 and ends at 3"),
        ([-1, 3], "its span starts at -1 and ends at 3"),
        ("0-4", "its span is no pair of whole numbers"),
        ([0, 4, 5], "its span is no pair of whole numbers"),
        ({"from": 0}, "its span is no pair of whole numbers"),
        ([0.5, 4], "its span is no pair of whole numbers"),
        (True, "its span is no pair of whole numbers"),
    ],
)
def test_a_span_that_is_none_is_said_and_caps_the_answer(span: Any, fault: str) -> None:
    cited = [{"sourceId": "a", "chunkId": "1", "span": span}, {"sourceId": "b"}]
    attribution = attribute_documents(response="Rest helps.", documents=DOCUMENTS, citations=cited)
    assert [issue.message for issue in attribution.issues if issue.code is IssueCode.SPAN_OUTSIDE] == [fault]
    assert attribution.validity.colour == "yellow"
    claims = {"claims": [{"text": "Rest helps.", "citations": ["c"]}], "citations": [{"id": "c", "source": "a", "span": span}]}
    issues = attribute_documents(response="Rest helps.", documents=DOCUMENTS, citations=claims).issues
    assert fault in [issue.message for issue in issues]
