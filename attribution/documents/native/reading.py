"""What every provider's response is read into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attribution.documents import keys
from attribution.documents.citation import Grammar, Pointer, WrittenCitation
from attribution.documents.source import CitableSource, SourceKind
from attribution.documents.units import Offsets, Unit
from attribution.documents.uri import site_of
from attribution.model import Span

MOST_READ = 10_000
_SNIPPET = 300


class NativeAnswer(NamedTuple):
    """The text of a response, the citations with their spans in it, the sources that the response itself carries, and what is off."""

    text: str
    citations: list[WrittenCitation]
    sources: list[CitableSource]
    misplaced: list[str]


def native(text: str, pointers: Sequence[Pointer], claim: Span | None, quote: str = "", quote_span: Span | None = None) -> WrittenCitation:
    """A citation of a provider: it stands for a span of the answer and has no mark in it."""
    return WrittenCitation(Grammar.NATIVE, text, tuple(pointers), None, claim, quote, quote_span)


def source(name: str, kind: SourceKind, found: keys.Object, tool: str, content: str = "") -> CitableSource:
    """A source that a response carries: a result of a search of the provider's own."""
    uri = keys.text(found, "url", "uri")
    return CitableSource(
        id=name,
        kind=kind,
        source_id=keys.text(found, "file_id", "id", "document_name"),
        title=keys.text(found, "title", "filename", "name"),
        uri=uri,
        domain=keys.text(found, "domain") or site_of(uri),
        published_at=keys.text(found, "page_age", "published_at"),
        snippet=content[:_SNIPPET] or keys.text(found, "snippet"),
        content=content or keys.text(found, "text", "snippet", "content"),
        score=keys.number(found, "score"),
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
