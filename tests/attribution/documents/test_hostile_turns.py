"""Hostile turns: huge, deep, not JSON, made to be slow. None takes more than linear time, none is refused."""

from __future__ import annotations

import itertools
import json
import time
from operator import itemgetter
from typing import Any

import pytest

from attribution import DEFAULT_EXTRACTORS, CitableSource, CitationPolicy, SourceKind, ToolCall, attribute_documents
from tests.attribution.test_linear import growth
from tests.sampling import sampled

TOOLS = ("web_search", "web_scrape", "query_rag_project", "wikipedia_search", "http_client", "mcp.files__read")
DEEP = "[" * 100_000
MOST = 2.3
OUTPUTS: tuple[Any, ...] = (
    *(
        None,
        0,
        True,
        "",
        " ",
        "{",
        "{}",
        "[]",
        '"x"',
        "NaN",
        '{"results": NaN}',
        '{"a":1,"a":2}',
        "\ud800",
        "{" * 10_000,
        DEEP,
        DEEP + "]" * 100_000,
    ),
    *(
        {"results": {"results": {"results": []}}},
        {"results": "x"},
        {"results": [[[]]]},
        {"content": [{"type": "text", "text": 3}]},
        [None],
        [[1]],
    ),
    *(
        {"body": {"body": {"body": 1}}},
        {"results": [{"title": ["x"], "link": {"a": 1}, "snippet": 3}]},
        {"page": None},
        {"chunks": [{"pages": ["a"]}]},
    ),
)


@pytest.mark.parametrize(
    ("tool", "output"),
    sampled(itertools.product(TOOLS, OUTPUTS), itemgetter(0), lambda case: repr(case[1])),
    ids=lambda value: repr(value)[:30],
)
def test_no_output_of_a_tool_is_refused(tool: str, output: Any) -> None:
    attribution = attribute_documents(response="We open at nine [1].", tool_calls=[{"id": "r", "name": tool, "output": output}])
    assert all(source.id.startswith("r-") for source in attribution.sources)


def test_claims_that_name_very_many_citations_are_read_so_far_and_it_is_said() -> None:
    claims = [{"text": "We open at nine.", "citation_ids": ["1"] * 6_000}] * 2

    attribution = attribute_documents(response="We open at nine.", documents=["x"], citations={"claims": claims, "citations": []})

    assert [len(claim.references) for claim in attribution.claims] == [6_000, 4_000]
    assert "the claims name 12,000 citations, of which the first 10,000 are read" in [issue.message for issue in attribution.issues]


def test_a_huge_output_gives_a_bounded_number_of_sources() -> None:
    output = json.dumps({"results": [{"title": str(number), "link": "x"} for number in range(5_000)]})
    attribution = attribute_documents(response="", tool_calls=[{"id": "r", "name": "web_search", "output": output}])
    assert len(attribution.sources) == 1_000


def test_a_registry_is_asked_in_order_and_can_be_extended() -> None:
    def beds(call: ToolCall) -> list[CitableSource]:
        return [CitableSource(f"{call.id}-1", SourceKind.API, title=str(call.output))]

    extractors = DEFAULT_EXTRACTORS.extended("web_*", beds).extended("beds", beds)
    calls = [
        {"id": "a", "name": "web_search", "output": "x"},
        {"id": "b", "name": "beds", "output": "y"},
        {"id": "c", "name": "xbeds", "output": "z"},
    ]
    attribution = attribute_documents(response="Two are free [2].", tool_calls=calls, policy=CitationPolicy(extractors=extractors))
    assert [(source.id, source.title) for source in attribution.sources] == [("a-1", "x"), ("b-1", "y")]
    assert attribution.cited == ("b-1",)


@pytest.mark.parametrize(
    "piece",
    sampled(
        [
            *(
                "[1",
                "[1]",
                "[[1]",
                "[1](x",
                "\n[1] A",
                "[citation:",
                "[citation:a:b]",
                "(",
                "[1], ",
                "Sources:\n",
                "[",
                "[1,",
                "x(y",
                "[1]: a\n",
            ),
            *(
                "Sources: [1]\n[2]",
                "a [1] ",
                "[1][",
                ". [1]",
                "`[1]",
                "[[1], ",
                "【1】 and ",
                "[citation:a:b, citation:",
                "\n- [1] A\n\n",
                "</s> [1]",
            ),
        ],
        more=8,
    ),
    ids=repr,
)
def test_the_work_grows_with_the_answer(piece: str) -> None:
    def run(size: int) -> None:
        attribute_documents(response=piece * (size // len(piece)), documents=["a", "b", "c"])

    assert growth(run, 4_000) < MOST


SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "za")


def words(count: int, first: int) -> str:
    """So many words, other ones for each beginning."""
    numbers = [(first * 7_919 + place * place * 31) % 10_000 for place in range(count)]
    spoken = ["".join(SYLLABLES[int(digit)] for digit in str(number)) for number in numbers]
    return " ".join(word + ". " * (place % 12 == 11) for place, word in enumerate(spoken))


def seconds_with(documents: int, length: int) -> float:
    given: list[dict[str, Any]] = [
        {"source_id": f"s{number}", "chunk_id": str(number), "title": f"Leaflet {number}", "content": words(260, number)}
        for number in range(documents)
    ]
    claims = [given[number % documents]["content"].partition(".")[0] for number in range(length // 106)]
    answer = "".join(f"{claim} [{number % documents + 1}]. " for number, claim in enumerate(claims))
    started = time.process_time()
    attribution = attribute_documents(response=answer, documents=given)
    assert len(attribution.references) == length // 106
    return time.process_time() - started


def test_the_work_grows_with_the_documents() -> None:
    assert growth(lambda size: seconds_with(size, 5_000), 200) < MOST


def seconds_of_making_up(documents: int) -> float:
    """Return the seconds that this machine now takes for so many documents, which depends on other work on it."""
    started = time.process_time()
    for number in range(documents):
        words(260, number)
    return time.process_time() - started


def test_a_thousand_documents_and_a_long_answer_take_less_than_making_them_up_takes() -> None:
    """A share, for seconds go up and down with the machine. Each claim is compared with four sentences of what it cites."""
    taken = [(seconds_with(1_000, 20_000), seconds_of_making_up(1_000)) for _ in range(5)]
    assert min(attributing for attributing, _ in taken) < min(making_up for _, making_up in taken)
