"""A provider's response goes in over HTTP, and its page marks the very words that it cites, whatever stands before them.

Each provider counts in its own unit: code points, UTF-16 or bytes of UTF-8. What stands before the words makes them all differ.
"""

from __future__ import annotations

import itertools
from itertools import product
from operator import itemgetter
from typing import Any

import pytest

from tests.api.sending import post, program_of
from tests.factories import make_record, sign_in
from tests.markup import Element, read_markup
from tests.sampling import sampled

BEFORE = "Grüße 😬 from 日本, 👩🏽\u200d⚕️!\r\n\r\nNa\u0308chste Zeile 🏥: "
WORDS = "the blues are over after two weeks 💛 in most"
TEXT = f"{BEFORE}{WORDS} families.\r\nAsk again."
PASSAGE = "Überall 🌍 the same: the blues are over after two weeks in most families."
QUOTE = "the blues are over after two weeks in most families."
DOCUMENT = {"title": "The first weeks", "url": "https://www.nhs.uk/weeks", "content": f"{PASSAGE} Sleep helps."}


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def utf8(text: str) -> int:
    return len(text.encode())


def anthropic(**location: Any) -> dict[str, Any]:
    cited = {"type": "char_location", "cited_text": QUOTE, "document_index": 0, "document_title": "The first weeks"} | location
    blocks = [{"text": BEFORE}, {"text": WORDS, "citations": [cited]}, {"text": " families.\r\nAsk again."}]
    return {"type": "message", "role": "assistant", "content": [{"type": "text"} | block for block in blocks]}


def responses(annotation: dict[str, Any], *searches: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "output_text", "text": TEXT, "annotations": [annotation]}
    return {"object": "response", "output": [*searches, {"type": "message", "role": "assistant", "content": [text]}]}


def from_web(count: Any = len) -> dict[str, Any]:
    start = count(BEFORE)
    return {"start_index": start, "end_index": start + count(WORDS), "url": "https://www.nhs.uk/weeks", "title": "The first weeks"}


def chat() -> dict[str, Any]:
    message = {"role": "assistant", "content": TEXT, "annotations": [{"type": "url_citation", "url_citation": from_web()}]}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}


def gemini(**segment: Any) -> dict[str, Any]:
    start = utf8(BEFORE)
    segment = {"startIndex": start, "endIndex": start + utf8(WORDS), "text": WORDS} | segment
    metadata = {
        "groundingChunks": [{"web": {"uri": "https://www.nhs.uk/weeks", "title": "The first weeks"}}],
        "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
    }
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "groundingMetadata": metadata}]}


def cohere(count: Any = len) -> dict[str, Any]:
    start = count(BEFORE)
    cited = {"start": start, "end": start + count(WORDS), "text": WORDS, "sources": [{"type": "document", "id": "doc:0"}]}
    return {"message": {"role": "assistant", "content": [{"type": "text", "text": TEXT}], "citations": [cited]}}


CHARACTERS = {"start_char_index": PASSAGE.index(QUOTE), "end_char_index": len(PASSAGE)}
FILE = {"type": "file_citation", "index": len(BEFORE + WORDS + " families."), "file_id": "file-7", "filename": "weeks.pdf"}
SEARCH = {"type": "file_search_call", "id": "fs", "results": [{"file_id": "file-7", "filename": "weeks.pdf", "text": PASSAGE}]}
RESPONSES = {
    "anthropic, characters": anthropic(**CHARACTERS),
    "anthropic, pages": anthropic(type="page_location", start_page_number=3, end_page_number=4),
    "anthropic, blocks": anthropic(type="content_block_location", start_block_index=0, end_block_index=1),
    "anthropic, a result": anthropic(type="search_result_location", source="https://www.nhs.uk/weeks", search_result_index=0),
    "anthropic, the web": anthropic(type="web_search_result_location", url="https://www.nhs.uk/weeks", document_index=None),
    "openai, a page of the web": responses({"type": "url_citation"} | from_web()),
    "openai, in UTF-16 and with its words": responses({"type": "url_citation", "text": WORDS} | from_web(utf16)),
    "openai, chat": chat(),
    "gemini, in bytes": gemini(),
    "gemini, without its words": gemini(text=""),
    "cohere": cohere(),
    "cohere, in UTF-16": cohere(utf16),
}


def page_of(alice, record: dict[str, Any]) -> Element:
    response = post(program_of(alice.organisation), make_record(**record))
    assert response.status_code == 201, response.content
    return read_markup(sign_in(alice).get(f"/items/{response.json()['id']}/"))


def marked(page: Element, kind: str = "sourced") -> list[str]:
    """Return the marked texts of the answer, adjacent pieces as one."""
    parts = [
        part for paragraph in page.one("div", class_="answer").children if isinstance(paragraph, Element) for part in paragraph.children
    ]
    runs = itertools.groupby(parts, lambda part: isinstance(part, Element) and kind in part.words_of("data-span"))
    return ["".join(part.raw_text for part in run) for is_marked, run in runs if is_marked]


def grounds_of(page: Element) -> dict[str, str]:
    return {each.one("dt").text: each.one("dd").text for each in page.one("dl", class_="grounds").find("div")}


@pytest.mark.parametrize(("form", "response"), sampled(product(RESPONSES, ["", TEXT]), itemgetter(0)))
def test_the_words_that_a_provider_cites_are_those_that_are_marked(alice, form, response):
    page = page_of(alice, {"response": response, "native": RESPONSES[form], "documents": [DOCUMENT]})

    assert marked(page) == [WORDS]
    (source, *_) = page.one("ol", class_="sources").find("li", tabindex="-1")
    assert source.find("b")[0].text == "The first weeks"
    assert not [each for each in page.find("li") if (each.get("id") or "").startswith("issue-")]


def test_a_file_is_cited_for_the_sentence_that_ends_there(alice):
    page = page_of(alice, {"response": "", "native": responses(FILE, SEARCH)})

    (words,) = marked(page)
    assert words.endswith(f"{WORDS} families")


@pytest.mark.parametrize("form", [form for form in RESPONSES if form.startswith("anthropic")])
def test_the_quote_is_marked_in_the_passage(alice, form):
    page = page_of(alice, {"response": "", "native": RESPONSES[form], "documents": [DOCUMENT]})

    quoted = page.one("ol", class_="sources").find("mark", data_passage="quote")
    assert "".join(each.raw_text for each in quoted) == QUOTE.rstrip(".")


def test_a_place_is_right_after_marks_that_are_taken_out(alice):
    """Markers of fields, and citations in the text, before the words: the text that is shown is shorter than the one that was cited."""
    response = f"{BEFORE}Your risk is elevated [[SF:risk_level]]. {WORDS} families [1]."
    page = page_of(alice, {"response": response, "documents": [DOCUMENT]})

    assert marked(page) == [f"{WORDS} families"]
    assert [sup.one("a").text for sup in page.one("div", class_="answer").find("sup")] == ["1", "2"]


TRICKS = {
    "https://fda.gov.example.com/a": "fda.gov.example.com",
    "https://notpubmed.example/b": "notpubmed.example",
    "https://www.fda.gov@evil.example/c": "evil.example",
    "https://evil.example/?https://www.fda.gov/": "evil.example",
    "https://xn--fda-gov.example/d": "xn--fda-gov.example",
    "https://fda.gov.:443.example/e": "",
    "https://myfda.gov/f": "myfda.gov",
    "javascript:fda.gov": "",
}


def test_addresses_that_only_look_like_known_ones_are_unknown_and_the_page_says_so(alice):
    documents = [{"title": address, "url": address, "content": "The blues are over after two weeks."} for address in TRICKS]
    cited = " ".join(f"The blues are over after two weeks [{place}]." for place in range(1, len(TRICKS) + 1))
    page = page_of(alice, {"response": cited, "documents": documents})

    assert grounds_of(page)["Trust low, 0.50"] == "no source is of a known tier"
    for source in page.one("ol", class_="sources").find("li", tabindex="-1"):
        assert "tier unknown, trust 0.50" in source.find("span", class_="sub")[0].text
        host = TRICKS[source.find("b")[0].text]
        assert not host or f" · {host}" in source.find("span", class_="sub")[0].text


@pytest.mark.parametrize(
    ("address", "tier"),
    [
        ("https://www.fda.gov/x", "tier 1"),
        ("HTTPS://WWW.FDA.GOV./x", "tier 1"),
        ("https://www.fda.gov:443/x", "tier 1"),
        ("//nhs.uk/x", "tier 2"),
    ],
)
def test_a_known_site_is_known_however_its_address_is_written(alice, address, tier):
    page = page_of(alice, {"response": "Ask first [1].", "documents": [{"url": address, "content": "Ask first."}]})

    assert tier in page.one("ol", class_="sources").find("span", class_="sub")[0].text
