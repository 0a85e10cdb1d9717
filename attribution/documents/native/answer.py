"""A provider's response as it is read: text, sources, and citations with their places in the answer that was kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from attribution import lenient_json
from attribution.budget import MOST_CHECKED, Budget
from attribution.documents.references import Grammar, Pointer, WrittenCitation
from attribution.documents.sources import CitableSource, SourceKind, site_of
from attribution.model import Span, Word
from attribution.text import nearest


class Unit(Word):
    """The unit that an offset counts."""

    CODE_POINT = "code_point"
    UTF16 = "utf16"
    BYTE = "byte"


class Offsets:
    """Converts offsets into one text. What is worked out for a unit is kept."""

    __slots__ = ("_backwards", "_budget", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: dict[Unit, list[int]] = {}
        self._backwards = ""
        self._budget = Budget(MOST_CHECKED)

    def span(self, start: int, end: int, unit: Unit) -> Span | None:
        """The span in code points, characters that are cut taken whole; nothing where it is empty or reaches beyond the text."""
        if not 0 <= start < end:
            return None
        if unit is Unit.CODE_POINT or self.text.isascii():
            return (start, end) if end <= len(self.text) else None
        starts = self._starts_of(unit)
        if end > starts[-1]:
            return None
        return (bisect_right(starts, start) - 1, bisect_left(starts, end))

    def stating(self, start: int, end: int, words: str, units: Sequence[Unit]) -> Span | None:
        """The span under the first unit by which it holds just these ``words``."""
        for unit in units:
            span = self.span(start, end, unit)
            if span is not None and span[1] - span[0] == len(words) and self.text.startswith(words, span[0]):
                return span
        return None

    def nearest(self, words: str, offset: int) -> Span | None:
        """Return where words are in the text, as near to an offset as they do; nothing where that was looked for too often."""
        if not self._budget.take(20 + len(self.text) // 32):
            return None
        self._backwards = self._backwards or self.text[::-1]
        return nearest(self.text, self._backwards, words, offset)

    def _starts_of(self, unit: Unit) -> list[int]:
        """Return where each character begins, counted in ``unit``, and the end."""
        if unit not in self._starts:
            width = _bytes_of if unit is Unit.BYTE else _units_of
            self._starts[unit] = list(accumulate([width(ord(character)) for character in self.text], initial=0))
        return self._starts[unit]


def _bytes_of(code: int) -> int:
    """The bytes of a code point in UTF-8."""
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _units_of(code: int) -> int:
    return 1 if code < 0x10000 else 2


MOST_READ = 10_000
_SNIPPET = 300


class NativeAnswer(NamedTuple):
    """The text of a response, the citations with their spans in it, the sources that the response itself carries, and what is off."""

    text: str
    citations: list[WrittenCitation]
    sources: list[CitableSource]
    misplaced: list[str]


def native(text: str, pointers: Sequence[Pointer], claim: Span | None, quote: str = "", quote_span: Span | None = None) -> WrittenCitation:
    """A citation of a provider: it supports a span of the answer and has no mark in it."""
    return WrittenCitation(Grammar.NATIVE, text, tuple(pointers), None, claim, quote, quote_span)


def source(name: str, kind: SourceKind, found: lenient_json.Object, tool: str, content: str = "") -> CitableSource:
    """A source that a response carries: a result of a search of the provider's own."""
    uri = lenient_json.text(found, "url", "uri")
    return CitableSource(
        id=name,
        kind=kind,
        source_id=lenient_json.text(found, "file_id", "id", "document_name"),
        title=lenient_json.text(found, "title", "filename", "name"),
        uri=uri,
        domain=lenient_json.text(found, "domain") or site_of(uri),
        published_at=lenient_json.text(found, "page_age", "published_at"),
        snippet=content[:_SNIPPET] or lenient_json.text(found, "snippet"),
        content=content or lenient_json.text(found, "text", "snippet", "content"),
        score=lenient_json.number(found, "score"),
        tool=tool,
        request=name.rpartition("-")[0],
    )


def placed(offsets: Offsets, start: int | None, end: int | None, words: str, units: Sequence[Unit]) -> Span | None:
    """The span an annotation means.

    Its words decide where it states them: first under the units it may count in, then at the place nearest to its own. Without
    words the first unit decides.
    """
    if start is None or end is None:
        return None
    if not words:
        return offsets.span(start, end, units[0])
    return offsets.stating(start, end, words, units) or offsets.nearest(words, max(0, start))


def anchored(answer: NativeAnswer, raw: str) -> tuple[list[WrittenCitation], list[str]]:
    """The citations with their spans in ``raw``, and what is said of those whose words are not there."""
    if raw == answer.text:
        return answer.citations, []
    places = _Places(answer.text, raw)
    placed: list[WrittenCitation] = []
    lost: list[str] = []
    for citation in answer.citations:
        spans = [(span, places.find(span)) for span in (citation.claim, citation.raw) if span is not None]
        lost += [f"‘{_clipped(answer.text, old)}’ does not stand in the answer that was kept" for old, new in spans if new is None]
        moved = citation._replace(
            claim=places.find(citation.claim) if citation.claim else None,
            raw=places.find(citation.raw) if citation.raw else None,
        )
        placed.append(moved)
    return placed, lost


class _Places:
    """The places of one text in another; line ends may differ."""

    def __init__(self, text: str, raw: str) -> None:
        self._text = text
        self._raw = raw
        self._backwards = raw[::-1]
        self._budget = Budget(MOST_CHECKED)
        self._known: dict[Span, Span | None] = {}

    def find(self, span: Span) -> Span | None:
        if span not in self._known:
            cost = 20 + (len(self._raw) + span[1] - span[0]) // 32
            self._known[span] = self._search(span) if self._budget.take(cost) else None
        return self._known[span]

    def _search(self, span: Span) -> Span | None:
        words = self._text[slice(*span)]
        expected = span[0] * len(self._raw) // max(1, len(self._text))
        for variant in dict.fromkeys((words, words.replace("\r\n", "\n"), words.replace("\n", "\r\n"), words.strip())):
            found = nearest(self._raw, self._backwards, variant, expected) if variant else None
            if found:
                return found
        return None


def _clipped(text: str, span: Span) -> str:
    return text[slice(*span)] if span[1] - span[0] <= 80 else text[span[0] : span[0] + 79] + "…"
