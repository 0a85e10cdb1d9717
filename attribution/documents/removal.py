"""Takes citations out of a text and keeps account of where everything else went."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from attribution.markers.grammar import find_markers
from attribution.model import Span


class CleanText:
    """A raw text without some of its parts. Every code point of it stands either in ``text`` or in one of ``removed``."""

    __slots__ = ("_places", "_starts", "_taken", "removed", "text")

    def __init__(self, raw: str, parts: Iterable[Span]) -> None:
        self.removed = merged(parts)
        kept: list[str] = []
        self._taken = [0]
        self._starts = [start for start, _ in self.removed]
        begin = 0
        for start, end in self.removed:
            kept.append(raw[begin:start])
            self._taken.append(self._taken[-1] + end - start)
            begin = end
        kept.append(raw[begin:])
        self._places = [start - taken for start, taken in zip(self._starts, self._taken, strict=False)]
        self.text = "".join(kept)

    def position(self, offset: int) -> int:
        """Return where an offset of the raw text is in the clean text; inside a removed part, where that part stood."""
        before = bisect_right(self._starts, offset)
        if before and offset < self.removed[before - 1][1]:
            return self.removed[before - 1][0] - self._taken[before - 1]
        return offset - self._taken[before]

    def raw_position(self, position: int) -> int:
        """Return where an offset of the clean text is in the raw text: behind what was taken out there."""
        before = bisect_right(self._places, position)
        return position + self._taken[before]

    def span(self, raw: Span) -> Span:
        """A span of the raw text in the clean text."""
        return (self.position(raw[0]), self.position(raw[1]))


def merged(parts: Iterable[Span]) -> tuple[Span, ...]:
    """The parts in order, those that touch or overlap as one, empty ones left out."""
    result: list[Span] = []
    for start, end in sorted(parts):
        if start >= end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return tuple(result)


class FieldSpans:
    """Puts spans of the text that ``attribute()`` gives, from which only markers of fields are taken, into the text without citations."""

    __slots__ = ("_clean", "_fields")

    def __init__(self, raw: str, removed: Iterable[Span]) -> None:
        """``raw`` and ``removed`` are those of a document attribution."""
        self._fields = CleanText(raw, with_space_before(raw, [marker.raw for marker in find_markers(raw)]))
        self._clean = CleanText(raw, removed)

    def moved(self, span: Span) -> Span:
        """The span of the same words, without the citations among them."""
        start, end = span
        begin = self._clean.position(self._fields.raw_position(start))
        return (begin, self._clean.position(self._fields.raw_position(end - 1) + 1) if end > start else begin)


def with_space_before(raw: str, marks: Sequence[Span]) -> list[Span]:
    """The marks, each with the single space before it."""
    return [(start - 1 if start and raw[start - 1] == " " else start, end) for start, end in marks]


_BETWEEN = re.compile(r"[ \t]?[,;，、；][ \t]?(?:and[ \t]|&[ \t])?|[ \t](?:and|&)[ \t]|[-‐‑–—]|[ \t]?")
_PAIRS = {"(": ")", "[": "]", "（": "）"}


def parts_to_remove(text: str, marks: Sequence[Span]) -> list[Span]:
    """The parts of ``text`` to take out for ``marks``, which are in order and do not overlap."""
    return [_widened(text, *run) for run in _runs(text, marks)]


def _runs(text: str, marks: Sequence[Span]) -> list[Span]:
    """Marks that follow each other with nothing or only a comma between them, as one."""
    runs: list[Span] = []
    for start, end in marks:
        between = text[runs[-1][1] : start] if runs and start - runs[-1][1] < 8 else None
        if between is not None and _BETWEEN.fullmatch(between):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def _widened(text: str, start: int, end: int) -> Span:
    """With the brackets that hold nothing else, and the single space before unless two words would become one."""
    while start and end < len(text) and _PAIRS.get(text[start - 1]) == text[end]:
        start, end = start - 1, end + 1
    has_space = start > 0 and text[start - 1] == " " and not text[end : end + 1].isalnum()
    return (start - 1 if has_space else start, end)
