"""Anthropic: each text block of the message carries the citations that support it; offsets in them are those of the cited document."""

from __future__ import annotations

from attribution import lenient_json
from attribution.documents.native.answer import MOST_READ, NativeAnswer, native, source
from attribution.documents.references import Pointer, WrittenCitation
from attribution.documents.sources import CitableSource, SourceKind
from attribution.model import Span

_RESULTS = ("web_search_tool_result", "web_fetch_tool_result")


def read_anthropic(response: lenient_json.Object) -> NativeAnswer | None:
    """A message with content blocks."""
    blocks = [lenient_json.mapping(block) for block in lenient_json.items(response.get("content"))]
    if not any("type" in block for block in blocks):
        return None
    texts: list[str] = []
    citations: list[WrittenCitation] = []
    sources: list[CitableSource] = []
    length = 0
    for block in blocks:
        if block.get("type") == "text":
            written = lenient_json.text(block, "text")
            claim = _trimmed(written, length)
            cited = [lenient_json.mapping(each) for each in lenient_json.items(block.get("citations"))[:MOST_READ]]
            citations += [_citation(each, claim) for each in cited if each]
            texts.append(written)
            length += len(written)
        elif block.get("type") in _RESULTS:
            sources += _results(block)
    return NativeAnswer("".join(texts), citations, sources, [])


def _trimmed(written: str, base: int) -> Span | None:
    """The span of a block in the text, without the white space at its ends."""
    start = base + len(written) - len(written.lstrip())
    end = base + len(written.rstrip())
    return (start, end) if start < end else None


def _citation(found: lenient_json.Object, claim: Span | None) -> WrittenCitation:
    quote = lenient_json.text(found, "cited_text")
    title = lenient_json.text(found, "document_title", "title")
    place = lenient_json.whole(found, "document_index", "search_result_index")
    uri = lenient_json.text(found, "url")
    named = lenient_json.text(found, "source", "file_id")
    written = title or uri or named or (f"document {place + 1}" if place is not None else "a source that is not named")
    is_result = lenient_json.whole(found, "search_result_index") is not None or bool(uri)
    pointer = Pointer(
        written + _where(found),
        place=place + 1 if place is not None and not (is_result and (uri or named)) else None,
        source="" if "://" in named else named,
        uri=uri or (named if "://" in named else ""),
        title=title,
        is_position=True,
    )
    return native(written, (pointer,), claim, quote, _char_span(found))


def _where(found: lenient_json.Object) -> str:
    """The pages a citation names, in words; its last page is not among them."""
    first, behind = lenient_json.whole(found, "start_page_number"), lenient_json.whole(found, "end_page_number")
    if first is None or behind is None:
        return ""
    return f", page {first}" if behind <= first + 1 else f", pages {first}–{behind - 1}"


def _char_span(found: lenient_json.Object) -> Span | None:
    """The place in the cited document, given for plain texts only."""
    start, end = lenient_json.whole(found, "start_char_index"), lenient_json.whole(found, "end_char_index")
    return (start, end) if start is not None and end is not None and 0 <= start < end else None


def _results(block: lenient_json.Object) -> list[CitableSource]:
    request = lenient_json.text(block, "tool_use_id") or "web_search"
    results = [lenient_json.mapping(each) for each in lenient_json.items(block.get("content")) or [block.get("content")]]
    tool = str(block.get("type", "")).removesuffix("_tool_result")
    return [
        source(f"{request}-{place}", SourceKind.WEB, each, tool, _text_of(each))
        for place, each in enumerate(results[:MOST_READ], start=1)
        if each.get("url")
    ]


def _text_of(result: lenient_json.Object) -> str:
    """The text of a page that was fetched."""
    document = lenient_json.mapping(lenient_json.mapping(result.get("content")).get("source"))
    return lenient_json.text(document, "data") if document.get("type") == "text" else ""
