"""The page of an answer with documents: footnotes of both kinds in one numbering, every source, every check in words, nothing invented."""

from __future__ import annotations

import json
import re

import pytest

from attribution import CitationPolicy, IssueCode, attribute_documents
from reviewers.review.page.answer import merge_texts
from reviewers.review.page.documents import build_grounding
from reviewers.review.page.rows import ShownLabel
from reviewers.review.page.source_rows import CitationFacts, LabelledCitation
from reviewers.review.page.sources import passage_of, source_notes
from reviewers.review.wording import ISSUES, trust_badge
from reviewers.snapshots.citations import citations_of
from reviewers.snapshots.ingest.freeze import freeze
from reviewers.snapshots.ingest.records import read_record
from tests.factories import ANSWER, CITED, NOW, USUAL_TERMS, make_item, make_record, sign_in
from tests.markup import Element
from tests.review.desk import open_page

QUOTED = {
    "response": "Start low. Ask first.",
    "citations": [
        {"sourceId": "sleep-7", "quote": "Adults start with 3 mg in the evening"},
        {"sourceId": "sleep-7", "quote": "Melatonin helps some people."},
        {"sourceId": "sleep-7", "quote": "Children may have the double dose on Sundays."},
        {"sourceId": "nobody", "quote": "x"},
    ],
}
CLAIMS = {
    "response": json.dumps(
        {
            "answer": "Adults start with 2 mg.",
            "claims": [
                {"text": "Adults start with 2 mg.", "citations": ["c1"], "confidence": "high"},
                {"text": "Nothing else helps.", "citations": [], "confidence": "low"},
            ],
            "citations": [{"id": "c1", "source": "sleep-7", "relevant_quote": "Adults start with 2 mg"}],
            "unanswered_aspects": ["whether children may take it"],
        }
    )
}


def page_with(alice, organisation, **changes) -> Element:
    return open_page(alice, make_item(organisation, **CITED | changes), unfound=True)


def answer_of(page: Element) -> Element:
    return page.one("div", class_="answer")


def checks_of(source: Element) -> list[str]:
    return [check.one("strong").text for each in source.find("ul", class_="checks") for check in each.find("li")]


def grounds_of(page: Element) -> dict[str, str]:
    return {each.one("dt").text: each.one("dd").text for each in page.one("dl", class_="grounds").find("div")}


def test_footnotes_of_fields_and_sources_are_counted_together_and_lead_there_and_back(alice, organisation):
    page = page_with(alice, organisation)

    sups = answer_of(page).find("sup")
    assert [(sup["id"], sup.one("a").text, sup.one("a")["href"][:5]) for sup in sups] == [
        ("fn-1", "1", "#sour"),
        ("fn-2", "2", "#row-"),
        ("fn-3", "3", "#sour"),
    ]
    for sup in sups:
        (back,) = page.one(id=sup.one("a")["href"][1:]).find("a", class_="fn")
        assert (back["href"], back.text) == (f"#{sup['id']}", sup.one("a").text)


def test_the_answer_is_without_markers_and_citations_and_a_figure_that_its_source_has_not_is_marked(alice, organisation):
    answer = answer_of(page_with(alice, organisation))

    assert "[" not in answer.text
    assert [mark.text for mark in answer.find("mark") if "unfounded" in mark.words_of("data-span")] == ["3"]


def test_a_field_is_marked_where_it_stands_between_citations(alice, organisation):
    page = page_with(alice, organisation)

    found = [mark.text for mark in answer_of(page).find("mark") if mark.get("data-matched")]
    assert found == ["elevated"]


def test_every_source_is_shown_cited_or_not(alice, organisation):
    sources = page_with(alice, organisation).one("ol", class_="sources").find("li", tabindex="-1")

    assert [source.find("b")[0].text for source in sources] == ["Melatonin for adults", "Asking first", "Nobody cites this"]
    told = [source.find("span", class_="sub")[0].text for source in sources]
    assert told[0].startswith("document doc-1, sleep-7 · www.fda.gov · 2025-06-01 · tier 1, regulator or primary research, trust 0.95")
    assert "tier unknown, trust 0.50" in told[1]
    assert [each.rpartition(" · ")[2] for each in told] == ["cited once", "cited once", "not cited"]


def test_checks_are_told_in_words_with_the_passage_beside_them(alice, organisation):
    first, second, third = page_with(alice, organisation).one("ol", class_="sources").find("li", tabindex="-1")

    assert checks_of(first) == ["Figure not in the source", "The source seems to say the opposite"]
    assert checks_of(second)[-1] == "Most of its words stand in the source"
    assert checks_of(third) == []
    assert "2 mg in the evening" in first.one("details").one("mark", data_passage="support").text


def test_a_footnote_says_title_tier_date_and_passage_without_leaving_the_text(alice, organisation):
    sup = answer_of(page_with(alice, organisation)).one("sup", id="fn-1")

    peek = sup.one("span", role="tooltip")
    assert sup.one("a")["aria-describedby"] == peek["id"]
    assert peek.one("b").text == "Melatonin for adults"
    assert peek.one("span", class_="sub").text == "www.fda.gov, tier 1, regulator or primary research, 2025-06-01"
    assert "2 mg" in peek.one("mark").text


def test_validity_and_trust_are_said_with_their_reasons(alice, organisation):
    told = grounds_of(page_with(alice, organisation))

    because, _, density = told["Validity yellow"].partition("citation density ")
    assert because == "2 citations in 2 sentences; 1 citation failed a check: the source seems to say the opposite"
    assert density == "1.00 a sentence"
    assert next(name for name in told if name.startswith("Trust")) == "Trust low, 0.88"


@pytest.mark.parametrize(
    ("level", "score", "told"),
    [("medium", 0.847, "Trust medium, 0.84"), ("high", 0.85, "Trust high, 0.85"), ("low", 0.6999, "Trust low, 0.69")],
)
def test_trust_is_never_shown_as_more_than_it_is(level, score, told):
    assert trust_badge(level, score).text == told


def test_sources_that_nobody_knows_have_a_trust_of_a_half_and_the_page_says_why(alice, organisation):
    told = grounds_of(page_with(alice, organisation, response="Ask first [2]."))

    assert told["Trust low, 0.50"] == "no source is of a known tier"


def test_what_is_wrong_is_listed_and_leads_to_its_place(alice, organisation):
    page = page_with(alice, organisation, response=CITED["response"] + " See a doctor [9].")

    findings = [(each.one("strong").text, each.one("p").text) for each in page.find("li") if (each.get("id") or "").startswith("issue-")]
    assert ("Figure not in the source", "[1]: ‘3’ stands nowhere in the source, in no form") in findings
    assert ("No such document", "[9]: document 9 is cited, there are 3") in findings
    dropped = answer_of(page).one("span", class_="dropped")
    assert dropped["title"] == "unresolved: [9] means no source that the model was given"


def test_quotes_are_found_altered_and_not_found(alice, organisation):
    page = page_with(alice, organisation, **QUOTED)

    (source, *_) = page.one("ol", class_="sources").find("li", tabindex="-1")
    assert checks_of(source) == ["Quote altered: another figure", "Quote found, word for word", "Quote not found"]
    assert "2 mg" in source.find("mark", data_passage="quote")[0].text
    assert "cited beside the text, at no place in it" in source.text
    findings = [each.one("strong").text for each in page.find("li") if (each.get("id") or "").startswith("issue-")]
    assert findings == ["Unknown source", "Quote altered: another figure", "Quote not found"]


def test_claims_and_what_was_not_answered_are_shown(alice, organisation):
    page = page_with(alice, organisation, **CLAIMS)

    claims, unanswered = page.find("ul", class_="claims")
    assert [claim.find("p")[1].text for claim in claims.children if isinstance(claim, Element)] == [
        "Most of its words stand in the source · the model says: high confidence",
        "the model says: low confidence; does not stand in the answer",
    ]
    assert "no citation" in claims.text
    assert unanswered.text == "whether children may take it"


def test_a_withheld_answer_says_why_and_nothing_is_invented(alice, organisation):
    page = page_with(alice, organisation, response="", documents=None, abstention_reason="the sources disagree")

    assert grounds_of(page)["Not sent"] == "the sources disagree"
    assert grounds_of(page)["Validity not rated"] == "It reached nobody, so its citations are not counted as good or bad."
    assert "Validity red" not in page.text
    assert "No documents were given." in page.text
    assert not page.find("ol", class_="sources")[0].find("li")


def test_a_page_of_fields_alone_has_nothing_of_this(alice, organisation):
    page = open_page(alice, make_item(organisation), unfound=True)

    assert not page.find(id="sources")
    assert not page.find("dl", class_="grounds")
    assert not page.find("sup", data_source=True)
    assert "Documents:" not in page.text
    kinds = page.one("p", class_="key").find("span", data_span=True)
    told = ["cited by the answer", "found by matching", "focused row", "contradicts the record"]
    assert [(each.find("a") or [each])[0].text for each in kinds] == told


def test_what_was_attached_or_found_afterwards_is_told_apart():
    given = {"response": "Whoever takes other medicines should ask first.", "documents": CITED["documents"]}
    for policy, told in [
        (CitationPolicy(repairs=True), "attached afterwards"),
        (CitationPolicy(searches_afterwards=True), "found afterwards"),
    ]:
        found = attribute_documents(**given, policy=policy)
        fields = freeze(read_record(json.dumps(make_record(**given)).encode()), NOW, USUAL_TERMS).attribution
        shown = merge_texts(fields, found)
        grounding, _ = build_grounding(
            found,
            shown.numbers,
            source_notes(found, shown.numbers, 0),
            CitationFacts(
                {
                    (each.reference.ordinal, each.source): LabelledCitation(each.number, "", each.is_due, ShownLabel())
                    for each in citations_of(found)
                }
            ),
        )

        assert told in {source.told for source in grounding.sources}
        assert grounding.is_repaired is policy.repairs
        assert grounding.cited == 0


def test_every_kind_of_finding_has_words():
    assert ISSUES.keys() == {code.value for code in IssueCode}


HOSTILE = "<script>alert(1)</script>\0\u202e\ud800"


@pytest.mark.parametrize(
    "changes",
    [
        {"documents": [{"title": HOSTILE, "url": "javascript:alert(1)", "content": HOSTILE, "published_at": HOSTILE}]},
        {"documents": [None, "x", {}], "response": "a [1]\n\n[2]\n\n[3] [4] [1-3]"},
        {"citations": [{"sourceId": HOSTILE, "quote": HOSTILE}]},
        {"response": ANSWER + " [1][2] [1, 2] [3] [9]\n\nSources used:\n[1] Melatonin for adults, elevated\n[2] Asking first"},
        {"response": "[1]" * 3_000},
        {"response": "Ask [1-3]. " * 300},
        {"native": {"content": [{"type": "text", "text": HOSTILE, "citations": [{"type": "char_location", "document_index": 7}]}]}},
        {"abstention_reason": HOSTILE},
    ],
    ids=range(8),
)
def test_whatever_comes_is_shown_as_text_and_everything_is_linked(alice, organisation, changes):
    item = make_item(organisation, **CITED | changes)
    response = sign_in(alice).get(f"/items/{item.pk}/?unfound=1")

    assert b"<script>alert" not in response.content
    assert b"javascript:" not in re.sub(rb"[^>]*</", b"", response.content)
    page = open_page(alice, item, unfound=True)
    assert [name for name, count in page.ids().items() if count > 1] == []
    links = {link["href"] for link in page.find("a", href=True) if link["href"].startswith("#")}
    assert {link.removeprefix("#") for link in links} <= page.ids().keys()


def test_an_answer_that_cites_everything_again_and_again_stays_a_page(alice, organisation):
    documents = [{"title": f"Leaflet {number}", "content": "Whoever takes other medicines should ask first."} for number in range(150)]
    page = page_with(alice, organisation, response="Ask first [1-150]. " * 33, documents=documents)

    sources = page.one("ol", class_="sources").find("li", tabindex="-1")
    assert len(sources) == 150
    assert sum(len(source.find("div", class_="citation")) for source in sources) == 400
    assert "13 further citations of this source." in sources[0].text
    assert "33 further citations of this source." in sources[-1].text


def test_a_passage_is_cut_at_words_and_marks_what_was_found():
    content = "one two three " * 40 + "the dose is 2 mg a day " + "four five six " * 40
    start = content.index("the dose")
    span = (start, start + len("the dose is 2 mg a day"))

    segments = passage_of(content, span, (span[0] + 12, span[0] + 16))

    assert [kind for _, kind in segments] == ["", "", "support", "quote", "support", "", ""]
    assert segments[0] == segments[-1] == ("…", "")
    assert segments[1][0].startswith(("one ", "two ", "three "))
    assert [text for text, kind in segments if kind == "quote"] == ["2 mg"]
