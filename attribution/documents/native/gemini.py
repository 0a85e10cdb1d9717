"""Gemini: grounding supports point from segments of the answer, counted in UTF-8 bytes of their part, to grounding chunks."""

from __future__ import annotations

from attribution import lenient_json
from attribution.documents.native.answer import MOST_READ, NativeAnswer, Offsets, Unit, native, placed, source
from attribution.documents.references import Pointer, WrittenCitation
from attribution.documents.sources import CitableSource, SourceKind
from attribution.model import Span

_UNITS = (Unit.BYTE, Unit.CODE_POINT, Unit.UTF16)
_KINDS = {"web": SourceKind.WEB, "retrieved_context": SourceKind.FILE, "maps": SourceKind.WEB}


def read_gemini(response: lenient_json.Object) -> NativeAnswer | None:
    """The first candidate of a response, or a candidate alone."""
    candidates = lenient_json.items(response.get("candidates"))
    candidate = lenient_json.mapping(candidates[0]) if candidates else response
    parts = [lenient_json.mapping(part) for part in lenient_json.items(lenient_json.mapping(candidate.get("content")).get("parts"))]
    if not parts:
        return None
    metadata = lenient_json.mapping(lenient_json.first(candidate, "grounding_metadata"))
    sources = [
        _source(place, lenient_json.mapping(each))
        for place, each in enumerate(lenient_json.items(lenient_json.first(metadata, "grounding_chunks"))[:MOST_READ], 1)
    ]
    answer = _Answer(parts, sources)
    for support in lenient_json.items(lenient_json.first(metadata, "grounding_supports"))[:MOST_READ]:
        answer.add(lenient_json.mapping(support))
    return NativeAnswer(answer.text, answer.citations, sources, answer.misplaced)


def _source(place: int, chunk: lenient_json.Object) -> CitableSource:
    for name, kind in _KINDS.items():
        found = lenient_json.mapping(lenient_json.first(chunk, name))
        if found:
            passage = lenient_json.text(found, "text") or lenient_json.text(
                lenient_json.mapping(lenient_json.first(found, "rag_chunk")), "text"
            )
            return source(f"grounding-{place}", kind, found, name, passage)
    return source(f"grounding-{place}", SourceKind.OTHER, {}, "")


class _Answer:
    """The parts that are shown, as one text, and the citations in it."""

    def __init__(self, parts: list[lenient_json.Object], sources: list[CitableSource]) -> None:
        self._sources = sources
        self._bases: list[int] = []
        self._offsets: list[Offsets] = []
        shown: list[str] = []
        length = 0
        for part in parts:
            text = "" if part.get("thought") is True else lenient_json.text(part, "text")
            self._bases.append(length)
            self._offsets.append(Offsets(text))
            shown.append(text)
            length += len(text)
        self.text = "".join(shown)
        self._whole = Offsets(self.text)
        self.citations: list[WrittenCitation] = []
        self.misplaced: list[str] = []

    def add(self, support: lenient_json.Object) -> None:
        segment = lenient_json.mapping(support.get("segment"))
        words = lenient_json.text(segment, "text")
        span = self._span(segment, words)
        if span is None:
            self.misplaced.append(f"the segment ‘{words[:80]}’ does not stand in the answer")
        listed = lenient_json.items(lenient_json.first(support, "grounding_chunk_indices"))
        places = [place for each in listed if (place := lenient_json.as_whole(each)) is not None]
        pointers = [self._pointer(place) for place in places]
        if pointers:
            self.citations.append(native(words or "a segment", pointers, span))

    def _span(self, segment: lenient_json.Object, words: str) -> Span | None:
        """In its part, else in the whole text; a start or a part that is left out is 0."""
        part = lenient_json.whole(segment, "part_index") or 0
        start, end = lenient_json.whole(segment, "start_index") or 0, lenient_json.whole(segment, "end_index")
        if 0 <= part < len(self._offsets) and (not words or self._is_in_part(part, start, end, words)):
            span = placed(self._offsets[part], start, end, words, _UNITS)
            return (span[0] + self._bases[part], span[1] + self._bases[part]) if span else None
        return placed(self._whole, start, end, words, _UNITS)

    def _is_in_part(self, part: int, start: int, end: int | None, words: str) -> bool:
        return end is not None and self._offsets[part].stating(start, end, words, _UNITS) is not None

    def _pointer(self, place: int) -> Pointer:
        if not 0 <= place < len(self._sources):
            return Pointer(f"chunk {place}", source=f"chunk {place}")
        found = self._sources[place]
        return Pointer(found.title or found.uri or f"chunk {place}", source=found.id, uri=found.uri, title=found.title)
