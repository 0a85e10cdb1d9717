"""Reads the citations that stand in an answer's text, in all grammars at once, and takes them out of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from attribution.budget import MOST_POINTERS
from attribution.documents.citation import WrittenCitation
from attribution.documents.grammars.echo import without_echoes
from attribution.documents.grammars.keyed import read_keyed
from attribution.documents.grammars.marks import parts_to_remove
from attribution.documents.grammars.near_misses import find_near_misses
from attribution.documents.grammars.numbered import read_numbered
from attribution.documents.grammars.sources_list import SourcesList, find_sources_list
from attribution.documents.model import Issue, IssueCode
from attribution.documents.removal import CleanText, with_space_before
from attribution.documents.resolution import SourceIndex
from attribution.markers.grammar import find_markers
from attribution.model import Span

_LAST: Span = (1 << 60, 1 << 60)


class MarkedText(NamedTuple):
    """An answer's citations in their order, the list at its end, its text without both, and what is wrong with marks that stay."""

    citations: list[WrittenCitation]
    sources_list: SourcesList | None
    clean: CleanText
    issues: list[Issue]


def read_marked_text(raw: str, sources: SourceIndex, beside: Sequence[WrittenCitation] = (), *, are_read: bool = True) -> MarkedText:
    """The citations of an answer that was given ``sources``, with those that were made ``beside`` it.

    Markers of fields are taken out as well. Numbers are not looked for where a provider says itself what is cited
    (``are_read`` is false).
    """
    count = len(sources.places)
    numbered = read_numbered(raw, count) if are_read else []
    found = find_sources_list(raw, count, [span for each in numbered if (span := each.raw)]) if are_read else None
    if found is not None:
        start, end = found.raw
        numbered = read_numbered(raw[:start] + "\n" * (end - start) + raw[end:], count)
    marked = {each.raw for each in beside if each.raw is not None}
    numbered = [each for each in numbered if each.raw not in marked]
    numbered, echoed = without_echoes(raw, numbered, [source.content for source in sources.all])
    numbered, more = _first(numbered)
    written, malformed = read_keyed(raw)
    written, more_keyed = _first(written)
    keyed = [each for each in written if each.raw is not None and (found is None or not _inside(each.raw, found.raw))]
    keyed = [each for each in keyed if each.raw not in marked]
    citations = sorted([*numbered, *keyed, *beside], key=_place)
    marks = {span for each in citations if (span := each.raw) and span[0] < span[1]}
    fields = with_space_before(raw, [marker.raw for marker in find_markers(raw)])
    parts = [*parts_to_remove(raw, sorted(marks)), *fields]
    taken = [*marks, *([found.raw] if found else []), *[each.raw for each in echoed if each.raw]]
    missed = find_near_misses(raw, count, sources.known, taken) if are_read and sources.all else []
    left = _left(len(citations), are_all=not (more or more_keyed))
    return MarkedText(
        citations,
        found,
        CleanText(raw, [*parts, found.raw] if found else parts),
        [*_cut([*malformed, *[each.message for each in missed]]), *_echoes(echoed), *left],
    )


def _first(citations: list[WrittenCitation]) -> tuple[list[WrittenCitation], bool]:
    """The first citations, as many as together point to so many sources, and whether there are others."""
    pointers = list(accumulate([len(each.pointers) for each in citations]))
    count = bisect_right(pointers, MOST_POINTERS)
    return citations[:count], count < len(citations)


def _left(count: int, *, are_all: bool) -> list[Issue]:
    if are_all:
        return []
    return [Issue(IssueCode.READ_IN_PART, f"{count:,} citations are read; those behind them stand in the text as they are")]


def _cut(messages: Sequence[str]) -> list[Issue]:
    return [Issue(IssueCode.MALFORMED, message) for message in messages]


def _echoes(echoed: Sequence[WrittenCitation]) -> list[Issue]:
    why = "stands in a document just so, with the words before it: it is the document's own"
    return [Issue(IssueCode.ECHOED, f"‘{each.text}’ {why}") for each in echoed]


def _place(citation: WrittenCitation) -> Span:
    """In the order of the text; what has no place in it comes last."""
    return citation.raw or (citation.claim and (citation.claim[1], citation.claim[1])) or _LAST


def _inside(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] < outer[1]
