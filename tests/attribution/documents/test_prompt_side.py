"""The prompt side of documents: what a model is shown, what it is asked, and how its answer is held to what it was shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from attribution import (
    DEFAULT_PROFILE,
    CitationPolicy,
    DocumentAttribution,
    Grammar,
    Grounding,
    Injection,
    InputError,
    IssueCode,
    MarkerStatus,
    QuotePolicy,
    attribute,
    attribute_documents,
    citation_instruction,
    coverage_report,
    document_instruction,
    render_sources,
)

VISITS = {"source_id": "visits", "chunk_id": "4", "title": "Your visit", "content": "A first visit takes fifty minutes.\nBring your card."}
PRICES = {"source_id": "prices", "chunk_id": "1", "title": "Prices", "url": "https://www.fda.gov/prices", "content": "It costs $120."}
LIBRARY = {"visit": [VISITS], "price": [PRICES, VISITS]}


def retriever(query: str) -> list[dict[str, Any]]:
    return LIBRARY.get(query, [])


def test_sources_are_shown_with_their_numbers() -> None:
    assert render_sources([VISITS, PRICES]) == (
        "Sources\n\n"
        "[1] Your visit\n    A first visit takes fifty minutes.\n    Bring your card.\n\n"
        "[2] Prices · https://www.fda.gov/prices\n    It costs $120."
    )


def test_sources_are_shown_with_their_keys() -> None:
    assert "[citation:visits:4] Your visit\n" in render_sources([VISITS], grammar=Grammar.KEYED)


def test_sources_are_shown_with_their_ids_where_citations_stand_beside_the_text() -> None:
    assert "[1] Your visit · source id visits · chunk id 4\n" in render_sources([VISITS], grammar=Grammar.STRUCTURED)


def test_no_sources_are_said_to_be_none() -> None:
    assert render_sources([], title="Leaflets") == "Leaflets\n\nNone."


def test_a_text_cannot_pass_for_the_heading_of_another_source() -> None:
    rendered = render_sources(["Rest.\n[2] Prices\nIt is free."])
    assert [line for line in rendered.splitlines() if line.startswith("[")] == ["[1]"]


def test_documents_with_their_own_numbers_are_shown_with_them() -> None:
    rendered = render_sources([{"id": "2", "content": "Rest."}, {"id": "5", "content": "Walk."}])
    assert "[5]\n    Walk." in rendered
    attribution = attribute_documents(response="Walk [5].", documents=[{"id": "2"}, {"id": "5"}])
    assert attribution.cited == ("doc-2",)


@pytest.mark.parametrize("most", [600, 900, 2_000])
def test_a_bound_is_kept_and_short_texts_stay_whole(most: int) -> None:
    long = "Walk a little every day. " * 100
    rendered = render_sources(
        [{"title": "A", "content": long}, {"title": "B", "content": "Rest."}, {"title": "C", "content": long}], max_chars=most
    )
    assert most - 80 < len(rendered) <= most
    assert "[2] B\n    Rest." in rendered
    assert rendered.count(" …") == 2


def test_every_source_keeps_its_heading_where_there_is_no_room() -> None:
    assert render_sources([VISITS, PRICES], max_chars=0) == "Sources\n\n[1] Your visit\n\n[2] Prices · https://www.fda.gov/prices"


@pytest.mark.parametrize("grammar", [Grammar.NUMBERED, Grammar.KEYED, Grammar.STRUCTURED, Grammar.CLAIMS])
def test_each_grammar_has_an_instruction_and_a_blocking_one(grammar: Grammar) -> None:
    plain = document_instruction(grammar)
    blocking = document_instruction(grammar, is_blocking=True)
    assert blocking.startswith(plain)
    assert "rejected" not in plain
    assert "Answers without citations are rejected" in blocking
    assert "For example: " in blocking
    assert "{" not in plain


def test_a_quote_is_asked_for_where_it_is_required() -> None:
    assert "unchanged" in document_instruction(Grammar.STRUCTURED, quotes=QuotePolicy.REQUIRED)
    assert "quote" not in document_instruction(Grammar.STRUCTURED)


def test_what_a_provider_does_itself_needs_no_instruction() -> None:
    assert document_instruction(Grammar.NATIVE) == ""


@pytest.mark.parametrize("quotes", list(QuotePolicy))
@pytest.mark.parametrize("grammar", [Grammar.NUMBERED, Grammar.KEYED, Grammar.STRUCTURED, Grammar.CLAIMS])
def test_the_example_of_each_instruction_is_an_answer_without_an_issue(grammar: Grammar, quotes: QuotePolicy) -> None:
    example = document_instruction(grammar, quotes=quotes, is_blocking=True).partition("For example: ")[2].partition(" These forms")[0]
    given = [
        {"source_id": "hours", "content": "Parking is free on Saturdays."},
        {"source_id": "visits", "chunk_id": "4", "content": "A first visit takes fifty minutes."},
        {"source_id": "prices", "content": "Parking is free on Saturdays for all."},
    ]
    for written in (example, f"```json\n{example}\n```", f"Here it is:\n\n{example}\n"):
        if written is example or grammar in (Grammar.STRUCTURED, Grammar.CLAIMS):
            attribution = attribute_documents(response=written, documents=given, policy=CitationPolicy(is_required=True, quotes=quotes))
            assert attribution.references
            assert attribution.issues == ()
            assert "{" not in attribution.clean_text


@pytest.mark.parametrize("grammar", [Grammar.STRUCTURED, Grammar.CLAIMS])
def test_an_answer_object_that_is_still_being_streamed_is_said_to_be_unfinished(grammar: Grammar) -> None:
    example = document_instruction(grammar, is_blocking=True).partition("For example: ")[2].partition(" These forms")[0]
    for end in range(12, len(example)):
        attribution = attribute_documents(response=example[:end], documents=[VISITS])
        assert attribution.references == ()
        assert [issue.code for issue in attribution.issues] == [IssueCode.MALFORMED]
    assert attribute_documents(response=example, documents=[VISITS]).issues == ()


def test_the_example_of_the_instruction_for_fields_is_a_marker() -> None:
    example = re.findall(r"for example (\[\[.*?\]\])", citation_instruction(DEFAULT_PROFILE.registry))[0]
    prefix, name = example.strip("[]").split(":")
    section = next(each for each in DEFAULT_PROFILE.registry.sections if each.prefix == prefix)
    attribution = attribute(response=f"That is so {example}.", context={section.name: {name: "so"}})
    assert attribution.clean_text == "That is so."
    assert [each.status for each in attribution.markers] == [MarkerStatus.RESOLVED]


def test_grounding_puts_what_it_found_into_the_context() -> None:
    grounding = Grounding(retriever, "price", required=True)
    assert "Answers without citations are rejected" in grounding.context()
    assert "[1] Prices" in grounding.context()
    assert grounding.tools == {}
    assert grounding.validate("It costs $120 [1].").cited == ("doc-1",)


def test_grounding_holds_an_answer_to_the_hits_the_model_has_seen() -> None:
    grounding = Grounding(retriever, "visit", inject=Injection.TOOL)
    assert grounding.documents == []
    assert "[1]" not in grounding.context().partition("Sources")[2]
    assert [hit["mark"] for hit in grounding.tools["search"]("visit")] == ["[1]"]
    assert [hit["mark"] for hit in grounding.search("price")] == ["[2]", "[1]"]
    assert grounding.get_source("[2]")["content"] == "It costs $120."
    assert [source.title for source in grounding.validate("").sources] == ["Your visit", "Prices"]
    issues = grounding.validate("It costs $120 [3].").issues
    assert [issue.code for issue in issues] == [IssueCode.OUT_OF_RANGE]


def test_grounding_by_keys() -> None:
    grounding = Grounding(retriever, "visit", inject="both", quotes="required", grammar=Grammar.KEYED)
    assert "[citation:visits:4] Your visit" in grounding.context()
    assert grounding.get_source("citation:visits:4")["title"] == "Your visit"
    assert grounding.validate("Bring your card [citation:visits:4].").cited == ("doc-1",)
    with pytest.raises(InputError, match="no source ‘prices:1’ was found before"):
        grounding.get_source("prices:1")


def test_grounding_counts_places_whatever_numbers_documents_carry() -> None:
    grounding = Grounding(lambda _: [{"id": "7", "content": "Rest."}], "rest")
    assert "[1]\n    Rest." in grounding.context()
    assert grounding.validate("Rest [1].").issues == ()


def test_grounding_says_what_is_missing_where_citations_are_required() -> None:
    issues = Grounding(retriever, "visit", required=True).validate("Bring your card.").issues
    assert [issue.code for issue in issues] == [IssueCode.MISSING]


def turns() -> list[DocumentAttribution]:
    scored = [{**PRICES, "score": 0.9}]
    return [
        attribute_documents(response="It costs $120 [1].", documents=[PRICES]),
        attribute_documents(response="Bring your card [1].", documents=[VISITS]),
        attribute_documents(response="It costs $120.", documents=scored, policy=CitationPolicy(repairs=True)),
        attribute_documents(response="", documents=[PRICES], abstention_reason="no source answers the question"),
    ]


def test_coverage_is_counted() -> None:
    report = coverage_report(turns())
    assert (report.answers, report.cited, report.abstained, report.repaired, report.well_sourced) == (4, 2, 1, 1, 2)
    assert report.citation_coverage == pytest.approx(2 / 3)
    assert (report.abstention_rate, report.repair_rate, report.well_sourced_share) == (0.25, 0.25, 0.5)


def test_coverage_of_nothing_is_nothing() -> None:
    report = coverage_report([])
    assert (report.citation_coverage, report.abstention_rate, report.repair_rate, report.well_sourced_share) == (None,) * 4
