"""What a source says where a citation of it looks: the words that were found to support it, and its quote."""

from __future__ import annotations

from collections.abc import Sequence

from attribution import CitableSource, DocumentAttribution, Reference, Span
from reviewers.review.passage import Segment, passage_of

LONGEST_TEXT = 20_000


def passage_at(documents: DocumentAttribution, ordinal: int, place: int) -> Sequence[Segment]:
    """What a source has for a citation; nothing where there is no such citation of it."""
    if not (ordinal < len(documents.references) and 1 <= place <= len(documents.sources)):
        return ()
    return cited_passage(documents.references[ordinal], documents.sources[place - 1])


def text_at(documents: DocumentAttribution, place: int) -> str:
    """The text of a source, instead of what the engine chose of it."""
    return documents.sources[place - 1].content[:LONGEST_TEXT] if 1 <= place <= len(documents.sources) else ""


def cited_passage(reference: Reference, source: CitableSource) -> Sequence[Segment]:
    """What a source has for a reference; empty where nothing was found in it."""
    return passage_of(source.content, *windows_of(reference, source.id))


def windows_of(reference: Reference, name: str) -> tuple[Span | None, Span | None]:
    """Where a source has what it is cited for, and the quote; a quote from one of several sources is of none in particular."""
    check = reference.check
    if check is None:
        return None, None
    support = check.support
    is_this = support is not None and check.passages[support.passage : support.passage + 1] == (name,)
    quote = check.quote.window if check.quote and len(reference.sources) == 1 else None
    return (support.window if support and is_this else None), quote
