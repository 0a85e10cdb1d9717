"""The part of a source that a citation is about, cut where something in it is to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from attribution import Span

_AROUND = 120
_LONGEST = 900

Segment = tuple[str, str]
"""Text, and what it is: ``quote``, ``support`` or nothing."""


def passage_of(content: str, support: Span | None, quote: Span | None) -> Sequence[Segment]:
    """The words around what was found, each run with its kind; nothing where nothing was found."""
    marked = [span for span in (support, quote) if span and span[0] < span[1] <= len(content)]
    if not marked:
        return ()
    start = max(0, min(span[0] for span in marked) - _AROUND)
    end = min(len(content), max(span[1] for span in marked) + _AROUND, start + _LONGEST)
    start, end = _at_words(content, start, end, min(span[0] for span in marked), max(span[1] for span in marked))
    edges = sorted({start, end, *(min(max(edge, start), end) for span in marked for edge in span)})
    segments = [(content[begin:stop], _kind(begin, support, quote)) for begin, stop in pairwise(edges)]
    return [("…", "")] * (start > 0) + segments + [("…", "")] * (end < len(content))


def _at_words(content: str, start: int, end: int, first: int, last: int) -> Span:
    """No word is cut in two where the passage is cut out, if there is a space to cut at."""
    before, behind = content.find(" ", start, first), content.rfind(" ", last, end)
    return (before + 1 if start and before >= 0 else start), (behind if end < len(content) and behind >= 0 else end)


def _kind(place: int, support: Span | None, quote: Span | None) -> str:
    if quote and quote[0] <= place < quote[1]:
        return "quote"
    return "support" if support and support[0] <= place < support[1] else ""
