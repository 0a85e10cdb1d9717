"""The demonstration turns with documents: every grammar, every provider, every tool and every outcome is there, and looks as it should."""

from __future__ import annotations

import pytest

from attribution import Colour, DocumentAttribution, Grammar, IssueCode, SourceKind, TrustLevel
from tests.review.test_demonstration_turns import CITING, Shown, shown

NEVER_FROM_A_RECORD = {IssueCode.MISSING, IssueCode.QUOTE_MISSING}
"""Raised where a policy asks for citations or quotes; a record has none."""
ELSEWHERE = {
    *(IssueCode.MALFORMED, IssueCode.ECHOED, IssueCode.MISPLACED, IssueCode.DUPLICATE),
    *(IssueCode.UNKNOWN_SOURCE, IssueCode.CITED_NOT_LISTED, IssueCode.CLAIM_NOT_FOUND, IssueCode.SPAN_OUTSIDE),
}
"""Rare slips of form, shown by the tests of the page alone."""


def citing() -> list[Shown]:
    return [each for each in shown() if not CITING.isdisjoint(each.turn)]


def found_in(number: int) -> DocumentAttribution:
    return next(each for each in shown() if each.turn["id"] == f"demo-{number:03d}").documents


def codes_of(number: int) -> list[str]:
    return [issue.code.value for issue in found_in(number).issues]


def cited_words(number: int) -> list[str]:
    found = found_in(number)
    return [found.clean_text[slice(*each.span)] if each.span else "" for each in found.references]


def test_every_grammar_colour_and_level_of_trust_occurs():
    found = [each.documents for each in citing()]
    grammars = {reference.grammar for each in found for reference in each.references}
    assert grammars >= {Grammar.NUMBERED, Grammar.LISTED, Grammar.KEYED, Grammar.STRUCTURED, Grammar.CLAIMS, Grammar.NATIVE}
    assert {each.validity.colour for each in found} == set(Colour) - {Colour.NOTHING_TO_CITE}
    assert {each.answer_trust.level for each in found} == set(TrustLevel)


def test_every_kind_of_finding_occurs_that_a_reader_is_likely_to_meet():
    codes = {issue.code for each in citing() for issue in each.documents.issues}
    assert codes >= set(IssueCode) - NEVER_FROM_A_RECORD - ELSEWHERE - {IssueCode.READ_IN_PART}


def test_every_tool_is_read():
    sources = [source for each in citing() for source in each.documents.sources]
    tools = {source.tool for source in sources if source.tool}
    assert tools >= {
        *("web_search", "web_scrape", "query_rag_project", "wikipedia_search", "http_client"),
        "mcp.laboratory__find_slots",
    }
    assert {source.kind for source in sources} == set(SourceKind) - {SourceKind.OTHER}


def test_a_list_at_the_end_is_taken_out_of_the_text_and_compared_with_it():
    assert "Sources used" not in found_in(65).clean_text
    assert codes_of(65) == ["out_of_range", "mislabelled", "mislabelled", "listed_not_cited"]


def test_a_passage_that_was_not_given_is_said_beside_those_that_were():
    assert codes_of(66) == ["unknown_chunk"]
    assert [each.sources for each in found_in(66).references] == [("doc-1",), ("doc-2",), (), ("doc-3",)]


def test_a_quote_may_stand_elsewhere_than_it_says():
    checks = [each.check for each in found_in(67).references]
    assert [(each.quote.rule.value, each.quote_span.is_verified if each.quote_span else None) for each in checks] == [
        ("exact", True),
        ("altered_figure", None),
        ("exact", False),
    ]


OPPOSED = {71: ["opposite"]}
"""The source says that vouchers can be had, the answer that they cannot."""


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (
            68,
            [
                "a place is kept for 14 days after the letter",
                "Dr. Villalobos keeps the Thursday hour until the end of March.",
                "Days in hospital with a parent are excused, so there is no fee for them.",
            ],
        ),
        (
            69,
            [
                "The vaccine against shingles is given twice, two to six months apart 💉.",
                "Your plan pays both in full when the pharmacist bills it as prevention",
            ],
        ),
        (70, ["La ley da tres días al año para citas médicas de un hijo.", "Avise por escrito con una semana de antelación."]),
        (
            71,
            [
                "takes people without a referral 🏥 on weekdays from 8 to 11",
                "You see a nurse first, and a doctor the same morning if that is needed.",
                "A taxi voucher is not possible for walk-in visits.",
            ],
        ),
    ],
    ids=["pages, blocks and results", "page of the web and file", "counted in bytes", "start and end"],
)
def test_a_provider_s_citations_stand_for_these_words(number, words):
    assert cited_words(number) == words
    assert codes_of(number) == OPPOSED.get(number, [])


def test_each_tool_s_finding_bears_out_what_cites_it():
    found = found_in(72)
    assert {name for each in found.references for name in each.sources} == {source.id for source in found.sources}
    assert all(each.check.support.is_supported for each in found.references)
    assert found.issues == ()


def test_nothing_is_guessed_of_a_passage_that_two_plans_have():
    assert codes_of(73) == ["ambiguous"]
    assert found_in(73).references[0].sources == ()


def test_an_answer_may_cite_nothing_or_too_little():
    assert (found_in(74).validity.colour, found_in(74).answer_trust.level) == (Colour.RED, TrustLevel.UNVERIFIED)
    assert (found_in(75).validity.colour, len(found_in(75).references)) == (Colour.YELLOW, 1)


def test_citations_that_name_a_source_are_never_of_one_that_only_looks_like_a_known_site():
    hosts = {trust.host: trust.tier for each in citing() for trust in each.documents.trust.values()}
    assert hosts["fda.gov.example.com"] == hosts["notpubmed.example"] == 0
    assert hosts["www.cdc.gov"] == 1
