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
