"""Turns in which many citations share one long text, and searches that go over one text for each of them."""

from __future__ import annotations

from typing import Any

import pytest

from attribution import CitableSource, IssueCode, attribute_documents, canonical_bytes, encode_documents
from attribution.documents.figures_and_names import find_missing, know
from attribution.documents.native import read_native
from attribution.documents.native.answer import Offsets, nearest
from attribution.documents.support import judge_support
from tests.attribution.growth import cpu_seconds, grows_with

LONG = "q" * 40_000
WORDS = " ".join(f"w{number}x" for number in range(6_000))
SPANS = [{"type": "url_citation", "url": "https://a.example/", "start_index": place, "end_index": 39_000} for place in range(300)]
CHUNKS = [{"web": {"uri": "https://a.example/", "title": LONG}}]
SUPPORTS = [{"segment": {"endIndex": 5}, "groundingChunkIndices": [0]}] * 300

REPEATING: dict[str, dict[str, Any]] = {
    "a quote": {
        "response": "Staff is open.",
        "citations": {"claims": [{"text": "Staff", "citations": ["a"]}] * 300, "citations": [{"id": "a", "source": "d", "quote": LONG}]},
    },
    "a confidence": {
        "response": "Staff is open.",
        "citations": {"claims": [{"text": "Staff", "citations": ["a"] * 300, "confidence": LONG}]},
    },
    "the words covered": {"native": {"choices": [{"message": {"content": WORDS[:40_000], "annotations": SPANS}}]}},
    "a title": {
        "native": {
            "candidates": [
                {
                    "content": {"parts": [{"text": "Staff is open."}]},
                    "groundingMetadata": {"groundingChunks": CHUNKS, "groundingSupports": SUPPORTS},
                }
            ]
        }
    },
    "an id": {
        "native": {"text": "a", "documents": [{"id": LONG, "text": "a"}], "citations": [{"start": 0, "end": 1, "document_ids": ["x"]}]},
        "citations": [1] * 300,
    },
    "words that are missing": {
        "response": WORDS,
        "documents": ["Staff is open."],
        "citations": [{"number": 1, "answer_span": [0, 40_000]}] * 300,
    },
    "sources at one place": {
        "response": "Staff is open.",
        "documents": ["Staff is open."] * 1_000,
        "citations": [{"number": number, "answer_span": [0, 14]} for number in range(1, 1_001)],
    },
    "figures": {
        "response": "Staff " + "7 " * 40_000,
        "documents": ["Staff is open."],
        "citations": [{"number": 1, "answer_span": [0, 80_000]}],
    },
}
"""Each of less than half a megabyte."""


@pytest.mark.parametrize("name", REPEATING)
def test_what_many_citations_share_is_kept_so_often_and_no_more(name: str) -> None:
    assert len(canonical_bytes(encode_documents(attribute_documents(**REPEATING[name])))) < 4_500_000


@pytest.mark.parametrize("name", sorted(REPEATING.keys() - {"the words covered", "an id"}))
def test_what_is_not_kept_is_said(name: str) -> None:
    assert IssueCode.READ_IN_PART in {issue.code for issue in attribute_documents(**REPEATING[name]).issues}


def test_a_citation_that_is_kept_in_part_still_means_its_source() -> None:
    attribution = attribute_documents(**REPEATING["a quote"], documents=[{"id": "d", "text": "Staff is open."}])
    assert [claim.references for claim in attribution.claims] == [(number,) for number in range(300)]
    assert {reference.sources for reference in attribution.references} == {("doc-1",)}
    assert [reference.quote == LONG for reference in attribution.references] == [True] * 49 + [False] * 251


def test_a_very_long_claim_of_which_nothing_stands_in_the_source_is_not_supported() -> None:
    support = judge_support(WORDS * 2, ["Something else: w1x."])
    assert support.probability == 0


def test_the_parts_of_a_message_are_read_in_time_that_grows_with_them() -> None:
    assert grows_with(lambda size: read_native({"content": [{"text": {"value": "x"}}] * size}), 8_000) < 4


@pytest.mark.parametrize("year", ["03", "2003"])
def test_a_day_is_looked_up_among_all_days_of_a_passage(year: str) -> None:
    days = [f"{month}/{day}/{each:02}" for each in range(10, 80) for month in range(1, 10) for day in range(13, 29)]
    few, many = know(" ".join(days[:20])), know(" ".join(days))
    claim = " ".join([f"2/2/{year}"] * 1_500)
    action = {20: few, 10_080: many}
    least = cpu_seconds(lambda: find_missing(claim, action[20]))
    assert cpu_seconds(lambda: find_missing(claim, action[10_080]), enough=5 * least) <= 5 * least


@pytest.mark.parametrize(
    ("claim", "passage", "is_missing"),
    [
        ("It was on 3/14/2026.", "On March 14 we open.", False),
        ("It was on March 14.", "On 3/14/2026 we open.", False),
        ("It was on 3/14/2026.", "On 3/14/2025 we open.", True),
        ("It was on 3/14/2026.", "On 3/14/2026 we open.", False),
        ("It was on March 14.", "On March 15 we open.", True),
    ],
)
def test_a_day_is_borne_out_by_month_and_day_and_the_year_where_both_say_one(claim, passage, is_missing) -> None:
    assert bool(find_missing(claim, know(passage))) is is_missing


@pytest.mark.parametrize(("name", "is_missing"), [("WHO", False), ("HOW", True), ("WH", False), ("HO", False), ("OH", True)])
def test_a_name_in_capitals_is_looked_up_among_the_capitals_that_follow_each_other(name, is_missing) -> None:
    assert bool(find_missing(f"as {name} says", know("the World Health Organization"))) is is_missing


@pytest.mark.parametrize("offset", range(12))
@pytest.mark.parametrize("words", ["ab", "b", "aba", "x", "abcabcabcabcabc"])
def test_the_nearest_place_is_that_before_or_behind(words: str, offset: int) -> None:
    text = "abcababcaba"
    places = [place for place in range(len(text)) if text.startswith(words, place)]
    expected = min(places, key=lambda place: (abs(place - offset), place), default=None)
    found = nearest(text, text[::-1], words, offset)
    assert found == (None if expected is None else (expected, expected + len(words)))


def test_looking_for_words_from_the_end_does_not_multiply_their_length_with_that_of_the_text() -> None:
    """The worst text for a search from the end: of each place all but one of the characters are compared."""
    text = "a" * 100_000
    short, long = ("ab" + "a" * length for length in (300, 6_000))
    least = cpu_seconds(lambda: [Offsets(text).nearest(short, 90_000) for _ in range(20)])
    assert cpu_seconds(lambda: [Offsets(text).nearest(long, 90_000) for _ in range(20)], enough=5 * least) <= 5 * least


def test_words_are_looked_for_in_a_long_text_so_often_and_no_more() -> None:
    offsets = Offsets("b" + "a" * 1_000_000)
    found = [offsets.nearest("b", 500_000) for _ in range(60)]
    assert (found[0], found[-1]) == ((0, 1), None)


def test_a_long_id_of_a_provider_still_names_its_source() -> None:
    native = {"text": "a", "citations": [{"start": 0, "end": 1, "text": "a", "sources": [{"id": LONG, "document": {"text": "a"}}]}]}
    attribution = attribute_documents(native=native)
    assert [(type(source), source.id, source.source_id == LONG) for source in attribution.sources] == [(CitableSource, "document-1", True)]
    assert attribution.cited == ("document-1",)
