"""Marks in the text of a structured answer that name its own citations: ``[c1]``, ``[visits:4]``. They are the same citations."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from attribution.documents.citation import Pointer, WrittenCitation
from attribution.documents.grammars.marks import parts_to_remove
from attribution.documents.grammars.numbered import NotProse
from attribution.documents.removal import CleanText
from attribution.model import Span

_BRACKET = re.compile(r"\[{1,2}([^\[\]\n]{1,400})\]{1,2}")
_SEPARATOR = re.compile(r"[,;]")
_PREFIX = re.compile(r"\s*(?:citation\s?:|\^)?\s*", re.IGNORECASE)
_MOST_BEHIND = 4
_MOST_MARKS = 10_000
_MOST_TRIED = 50


class Mark(NamedTuple):
    """A mark in the text, and the names of the citations it stands for."""

    raw: Span
    names: tuple[str, ...]


def find_marks(text: str, names: Collection[str]) -> list[Mark]:
    """Return the marks in a text that consist of these names; those in code and links are text."""
    if not names or "[" not in text:
        return []
    found = [(match, _named(match[1], names)) for match in _BRACKET.finditer(text)]
    marks = [(match, its) for match, its in found if its and text[match.end() : match.end() + 1] not in ("(", ":")][:_MOST_MARKS]
    outside = NotProse(text) if marks else None
    return [Mark(match.span(), its) for match, its in marks if outside and not outside.hold(match.start())]


def _named(body: str, names: Collection[str]) -> tuple[str, ...]:
    parts = [_PREFIX.sub("", part, count=1).strip() for part in _SEPARATOR.split(body)]
    return tuple(parts) if all(part in names for part in parts) else ()


class Unmarked:
    """A text without marks, in which claims are looked for; claims may be written with the marks or without them."""

    def __init__(self, text: str, marks: Sequence[Mark], names: Collection[str]) -> None:
        self.length = len(text)
        self._names = names
        self._raw = text
        self._bare = CleanText(text, parts_to_remove(text, [mark.raw for mark in marks])) if marks else None

    def find(self, claim: str) -> Span | None:
        """Return where a claim stands word for word, in offsets of the text with its marks."""
        its = [mark.raw for mark in find_marks(claim, self._names)]
        wanted = CleanText(claim, parts_to_remove(claim, its)).text if its else claim
        if self._bare is None:
            return _place(wanted, self._raw)
        span = _place(wanted, self._bare.text)
        return (self._bare.raw_position(span[0]), self._bare.raw_position(span[1] - 1) + 1) if span else None


def _place(claim: str, text: str) -> Span | None:
    wanted = claim.strip()
    start = text.find(wanted) if wanted else -1
    return (start, start + len(wanted)) if start >= 0 else None


def with_marks(citations: Sequence[WrittenCitation], marks: Sequence[Mark], claimed: Collection[int] = ()) -> list[WrittenCitation]:
    """The citations with the places of their marks, and one more for each further mark.

    ``claimed`` are the places of those that stand for a claim only: a mark elsewhere is another citation of the same source.
    """
    marked = list(citations)
    free: dict[str, list[int]] = {}
    for place, each in enumerate(citations):
        free.setdefault(each.text, []).append(place)
    first = {name: places[0] for name, places in free.items()}
    also = {name: each.text for each in reversed(citations) for pointer in each.pointers for name in _names_of(pointer)}
    for mark in sorted(marks):
        for name in dict.fromkeys(mark.names):
            written = name if name in first else also.get(name, "")
            if written in first:
                _put(marked, mark, first[written], free[written], claimed)
    return marked


def _names_of(pointer: Pointer) -> tuple[str, str]:
    return (pointer.source, f"{pointer.source}:{pointer.chunk}")


def _put(marked: list[WrittenCitation], mark: Mark, first: int, free: list[int], claimed: Collection[int]) -> None:
    """Give a mark to a citation that has none: to that of the claim it stands behind, or to one without a claim."""
    near = free[:_MOST_TRIED]
    chosen = next((place for place in near if _stands_behind(mark.raw, marked[place].claim)), None)
    if chosen is None:
        chosen = next((place for place in near if place not in claimed and marked[place].claim is None), None)
    if chosen is None:
        marked.append(marked[first]._replace(raw=mark.raw, claim=None))
    else:
        free.remove(chosen)
        marked[chosen] = marked[chosen]._replace(raw=mark.raw)


def _stands_behind(raw: Span, claim: Span | None) -> bool:
    """Return True if a mark stands in a claim or directly behind it."""
    return claim is not None and claim[0] <= raw[0] <= claim[1] + _MOST_BEHIND
