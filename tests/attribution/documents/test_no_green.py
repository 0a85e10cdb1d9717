"""What must never be green: neither validity nor trust, and both say why."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from attribution import Colour, DocumentAttribution, TrustLevel, attribute_documents

FROZEN = date(2026, 3, 8)
REGULATOR = "https://www.fda.gov/drugs/"


def is_green_nowhere(attribution: DocumentAttribution, why: str) -> bool:
    reasons = (attribution.validity.reason, attribution.answer_trust.trace)
    is_green = attribution.validity.colour is Colour.GREEN or attribution.answer_trust.level in (TrustLevel.HIGH, TrustLevel.MEDIUM)
    return not is_green and all(why in each for each in reasons)


def regulators(*texts: str, **more: Any) -> list[dict[str, Any]]:
    return [
        {"source_id": f"s{place}", "title": "Label", "url": f"{REGULATOR}{place}", "content": text, "date": "2025-01-01", **more}
        for place, text in enumerate(texts, start=1)
    ]


def test_two_invented_quotes_under_the_address_of_a_regulator() -> None:
    documents = regulators("Sertraline is taken once a day.", "The tablets are kept dry.")
    cited = [
        {"sourceId": "s1", "quote": "sertraline cures insomnia in two days", "claim": "Sertraline cures insomnia."},
        {"sourceId": "s2", "quote": "the tablets are free of side effects", "claim": "It has no side effects."},
    ]
    attribution = attribute_documents(
        response="Sertraline cures insomnia. It has no side effects.", documents=documents, citations=cited, answered_on=FROZEN
    )
    assert [issue.code for issue in attribution.issues].count("quote_not_found") == 2
    assert attribution.validity.colour is not Colour.GREEN
    assert attribution.answer_trust.level is TrustLevel.LOW
    assert "failed a check" in attribution.validity.reason
    assert "a check failed" in attribution.answer_trust.trace


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("You can take sertraline with alcohol", "Do not take sertraline with alcohol."),
        ("Stop the medicine as soon as you feel better", "Do not stop the medicine when you feel better."),
        ("The vaccine causes autism", "Large studies found that the vaccine does not cause autism."),
        ("Sertraline can be taken with MAO inhibitors", "Sertraline must not be taken with MAO inhibitors."),
    ],
)
def test_the_opposite_of_the_source(answer: str, source: str) -> None:
    documents = regulators(source, source)
    attribution = attribute_documents(response=f"{answer} [1][2].", documents=documents, answered_on=FROZEN)
    assert is_green_nowhere(attribution, "the source seems to say the opposite")


def test_a_range_of_nine_with_four_documents() -> None:
    attribution = attribute_documents(
        response="Sertraline is taken once a day [1-9].", documents=regulators(*["Sertraline is taken once a day."] * 4), answered_on=FROZEN
    )
    assert is_green_nowhere(attribution, "a citation’s number has no source")


@pytest.mark.parametrize("written", ["Sources used: [1], [2]", "Sources:\n[1] Label\n[2] Label", "Sources: [Source 1], [Source 2]"])
def test_sources_that_the_text_never_cites(written: str) -> None:
    attribution = attribute_documents(
        response=f"Sertraline is taken once a day.\n\n{written}",
        documents=regulators("Sertraline is taken once a day.", "The tablets are kept dry."),
        answered_on=FROZEN,
    )
    assert is_green_nowhere(attribution, "its sources are only listed, the text cites none of them")


@pytest.mark.parametrize("written", ["2010-03-01", "March 2010", "03/01/2010", "1267401600", "2010"])
def test_an_article_of_2010(written: str) -> None:
    text = "Sertraline is taken once a day."
    attribution = attribute_documents(
        response="Sertraline is taken once a day [1]. It is taken once a day [2].",
        documents=regulators(text, text, date=written),
        answered_on=FROZEN,
    )
    assert attribution.validity.colour is Colour.YELLOW
    assert "every source that it cites is old" in attribution.validity.reason
    assert attribution.answer_trust.level is TrustLevel.LOW
    assert all("published more than 10 years before the answer" in each.trace for each in attribution.trust.values())
    assert "published more than 10 years before" in attribution.answer_trust.trace


UNREAD = "a citation is not written so that it can be read"


@pytest.mark.parametrize("mark", [" [doc1]", " (citation:s1)", " [citation s1]", " [citation:s1.", " [cite:s1]", "[^1]", "¹", " [3-1]"])
def test_a_malformed_citation_beside_good_ones(mark: str) -> None:
    text = "Sertraline is taken once a day."
    good, documents = "Sertraline is taken once a day [1][2].", regulators(text, text, text)
    attribution = attribute_documents(response=f"{good} The tablets are kept dry{mark}", documents=documents, answered_on=FROZEN)
    assert [issue.code for issue in attribution.issues] == ["malformed"]
    assert is_green_nowhere(attribution, UNREAD)
    assert attribution.validity.colour is Colour.YELLOW
    assert "1 citation failed a check" in attribution.validity.reason
    assert attribute_documents(response=good, documents=documents, answered_on=FROZEN).validity.colour is Colour.GREEN


@pytest.mark.parametrize("entry", [{}, {"quote": "once a day"}])
def test_an_entry_beside_the_text_that_names_no_source(entry: Any) -> None:
    text = "Sertraline is taken once a day."
    cited = [{"sourceId": "s1", "claim": text}, {"sourceId": "s2", "claim": text}, entry]
    attribution = attribute_documents(response=text, documents=regulators(text, text), citations=cited, answered_on=FROZEN)
    assert "malformed" in [issue.code for issue in attribution.issues]
    assert attribution.validity.colour is not Colour.GREEN
    assert attribution.answer_trust.level is TrustLevel.LOW


def test_an_answer_with_nothing_but_malformed_citations_is_red_and_not_said_to_have_none() -> None:
    documents = regulators("Sertraline is taken once a day.")
    for answer in ("Sertraline is taken once a day [doc1] [cite:s1].", "Do you mean the one that is taken once a day [doc1] [cite:s1]?"):
        attribution = attribute_documents(response=answer, documents=documents, answered_on=FROZEN)
        assert attribution.validity.colour is Colour.RED
        assert attribution.validity.reason == f"the answer cites nothing that can be read; 2 citations failed a check: {UNREAD}"


def test_the_gravest_failure_is_named_before_a_malformed_citation_and_both_are_counted() -> None:
    documents = regulators("Do not take sertraline with alcohol.", "Do not take sertraline with alcohol.")
    answer = "You can take sertraline with alcohol [1]. It is taken once a day [doc2]."
    attribution = attribute_documents(response=answer, documents=documents, answered_on=FROZEN)
    assert "2 citations failed a check: the source seems to say the opposite" in attribution.validity.reason
