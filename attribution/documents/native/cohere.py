"""Cohere: citations with a start, an end and the words between, and the documents or tool outputs they rest on."""

from __future__ import annotations

import re
from itertools import accumulate

from attribution import lenient_json
from attribution.documents.native.answer import MOST_READ, NativeAnswer, Offsets, Unit, native, placed, source
from attribution.documents.references import Pointer, WrittenCitation
from attribution.documents.sources import CitableSource, SourceKind, content_of
from attribution.documents.tools import LONGEST_NAME

_UNITS = (Unit.CODE_POINT, Unit.UTF16, Unit.BYTE)
_AUTOMATIC = re.compile(r"doc[:_](\d{1,5})")


def read_cohere(response: lenient_json.Object) -> NativeAnswer | None:
    """A response of either version: a message with citations, or a text with them."""
    message = lenient_json.mapping(response.get("message"))
    if not message and not (isinstance(response.get("text"), str) and "citations" in response):
        return None
    holder = message or response
    texts = _texts(holder)
    reader = _Reader(texts, lenient_json.items(holder.get("documents")))
    for each in lenient_json.items(holder.get("citations"))[:MOST_READ]:
        reader.add(lenient_json.mapping(each))
    return NativeAnswer("".join(texts), reader.citations, list(reader.sources.values()), reader.misplaced)


def _texts(holder: lenient_json.Object) -> list[str]:
    """The text of each content block; what is no answer, such as thinking, is empty, so that places stay."""
    content = holder.get("content")
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        blocks = [lenient_json.mapping(part) for part in content]
        return [lenient_json.text(block, "text") if block.get("type", "text") == "text" else "" for block in blocks]
    return [lenient_json.text(holder, "text")]


class _Reader:
    def __init__(self, texts: list[str], documents: list[object]) -> None:
        self._offsets = [Offsets(text) for text in texts]
        self._bases = list(accumulate([len(text) for text in texts], initial=0))
        self._shown = [place for place, text in enumerate(texts) if text]
        self.citations: list[WrittenCitation] = []
        self.sources: dict[str, CitableSource] = {}
        self.misplaced: list[str] = []
        for document in documents[:MOST_READ]:
            self._keep(lenient_json.text(lenient_json.mapping(document), "id"), lenient_json.mapping(document), SourceKind.DOCUMENT)

    def add(self, found: lenient_json.Object) -> None:
        if lenient_json.text(found, "type") in ("THINKING_CONTENT", "PLAN"):
            return
        pointers = [self._pointer(lenient_json.mapping(each)) for each in lenient_json.items(found.get("sources"))]
        pointers += [_named(each) for each in lenient_json.items(lenient_json.first(found, "document_ids")) if isinstance(each, str)]
        words = lenient_json.text(found, "text")
        block = lenient_json.whole(found, "content_index")
        if block is None or not 0 <= block < len(self._offsets) or not self._offsets[block].text:
            block = self._shown[0] if self._shown else 0
        span = (
            placed(self._offsets[block], lenient_json.whole(found, "start"), lenient_json.whole(found, "end"), words, _UNITS)
            if self._offsets
            else None
        )
        if span is None:
            self.misplaced.append(f"the cited words ‘{words[:80]}’ do not stand in the answer")
        base = self._bases[block]
        claim = (span[0] + base, span[1] + base) if span else None
        if pointers:
            self.citations.append(native(words or "a citation", pointers, claim))

    def _pointer(self, found: lenient_json.Object) -> Pointer:
        document = lenient_json.mapping(found.get("document"))
        output = lenient_json.mapping(lenient_json.first(found, "tool_output"))
        name = lenient_json.text(found, "id") or lenient_json.text(document, "id")
        self._keep(name, document or output, SourceKind.DOCUMENT if document else SourceKind.OTHER)
        return _named(name, lenient_json.text(document or output, "url"), lenient_json.text(document or output, "title"))

    def _keep(self, name: str, found: lenient_json.Object, kind: SourceKind) -> None:
        if name and found and name not in self.sources:
            identity = name if len(name) <= LONGEST_NAME else f"document-{len(self.sources) + 1}"
            made = source(identity, kind, found, "", content_of(found))
            self.sources[name] = made._replace(source_id=name, request=identity.rpartition(":")[0])


def _named(name: str, uri: str = "", title: str = "") -> Pointer:
    """By its id; an id that was given automatically is a place, counted from 0."""
    automatic = _AUTOMATIC.fullmatch(name)
    place = int(automatic[1]) + 1 if automatic else None
    return Pointer(title or name, place=place, source=name, uri=uri, title=title, is_position=True)
