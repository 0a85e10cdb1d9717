"""Cohere: citations with a start, an end and the words between, and the documents or tool outputs they rest on."""

from __future__ import annotations

import re
from itertools import accumulate

from attribution.documents import keys
from attribution.documents.native.answer import MOST_READ, NativeAnswer, Offsets, Unit, native, placed, source
from attribution.documents.references import Pointer, WrittenCitation
from attribution.documents.sources import CitableSource, SourceKind, content_of
from attribution.documents.tools import LONGEST_NAME

_UNITS = (Unit.CODE_POINT, Unit.UTF16, Unit.BYTE)
_AUTOMATIC = re.compile(r"doc[:_](\d{1,5})")


def read_cohere(response: keys.Object) -> NativeAnswer | None:
    """A response of either version: a message with citations, or a text with them."""
    message = keys.mapping(response.get("message"))
    if not message and not (isinstance(response.get("text"), str) and "citations" in response):
        return None
    holder = message or response
    texts = _texts(holder)
    reader = _Reader(texts, keys.items(holder.get("documents")))
    for each in keys.items(holder.get("citations"))[:MOST_READ]:
        reader.add(keys.mapping(each))
    return NativeAnswer("".join(texts), reader.citations, list(reader.sources.values()), reader.misplaced)


def _texts(holder: keys.Object) -> list[str]:
    """The text of each content block; what is no answer, such as thinking, is empty, so that places stay."""
    content = holder.get("content")
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        blocks = [keys.mapping(part) for part in content]
        return [keys.text(block, "text") if block.get("type", "text") == "text" else "" for block in blocks]
    return [keys.text(holder, "text")]


class _Reader:
    def __init__(self, texts: list[str], documents: list[object]) -> None:
        self._offsets = [Offsets(text) for text in texts]
        self._bases = list(accumulate([len(text) for text in texts], initial=0))
        self._shown = [place for place, text in enumerate(texts) if text]
        self.citations: list[WrittenCitation] = []
        self.sources: dict[str, CitableSource] = {}
        self.misplaced: list[str] = []
        for document in documents[:MOST_READ]:
            self._keep(keys.text(keys.mapping(document), "id"), keys.mapping(document), SourceKind.DOCUMENT)

    def add(self, found: keys.Object) -> None:
        if keys.text(found, "type") in ("THINKING_CONTENT", "PLAN"):
            return
        pointers = [self._pointer(keys.mapping(each)) for each in keys.items(found.get("sources"))]
        pointers += [_named(each) for each in keys.items(keys.first(found, "document_ids")) if isinstance(each, str)]
        words = keys.text(found, "text")
        block = keys.whole(found, "content_index")
        if block is None or not 0 <= block < len(self._offsets) or not self._offsets[block].text:
            block = self._shown[0] if self._shown else 0
        span = placed(self._offsets[block], keys.whole(found, "start"), keys.whole(found, "end"), words, _UNITS) if self._offsets else None
        if span is None:
            self.misplaced.append(f"the cited words ‘{words[:80]}’ do not stand in the answer")
        base = self._bases[block]
        claim = (span[0] + base, span[1] + base) if span else None
        if pointers:
            self.citations.append(native(words or "a citation", pointers, claim))

    def _pointer(self, found: keys.Object) -> Pointer:
        document = keys.mapping(found.get("document"))
        output = keys.mapping(keys.first(found, "tool_output"))
        name = keys.text(found, "id") or keys.text(document, "id")
        self._keep(name, document or output, SourceKind.DOCUMENT if document else SourceKind.OTHER)
        return _named(name, keys.text(document or output, "url"), keys.text(document or output, "title"))

    def _keep(self, name: str, found: keys.Object, kind: SourceKind) -> None:
        if name and found and name not in self.sources:
            identity = name if len(name) <= LONGEST_NAME else f"document-{len(self.sources) + 1}"
            made = source(identity, kind, found, "", content_of(found))
            self.sources[name] = made._replace(source_id=name, request=identity.rpartition(":")[0])


def _named(name: str, uri: str = "", title: str = "") -> Pointer:
    """By its id; an id that was given automatically is a place, counted from 0."""
    automatic = _AUTOMATIC.fullmatch(name)
    place = int(automatic[1]) + 1 if automatic else None
    return Pointer(title or name, place=place, source=name, uri=uri, title=title, is_position=True)
