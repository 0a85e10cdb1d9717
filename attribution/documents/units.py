"""Offsets as others count them, made into code points: UTF-8 bytes, UTF-16 units."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from attribution.budget import MOST_CHECKED, Budget
from attribution.model import Span, Word


class Unit(Word):
    """What an offset counts."""

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
        """Return where words stand in the text, as near to an offset as they do; nothing where that was looked for too often."""
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


def nearest(text: str, backwards: str, words: str, offset: int) -> Span | None:
    """Return where words stand in a text, as near to an offset as they do; before it rather than behind.

    They are looked for before it in the text written backwards: a search from the end takes as many steps as both are long, multiplied.
    """
    last = max(0, len(text) - offset - len(words))
    before = backwards.find(words[::-1], last)
    behind = text.find(words, offset)
    begins = [len(text) - before - len(words)] if before >= 0 else []
    begins += [behind] if behind >= 0 else []
    begin = min(begins, key=lambda place: abs(place - offset), default=-1)
    return (begin, begin + len(words)) if begin >= 0 else None


def _bytes_of(code: int) -> int:
    """The bytes of a code point in UTF-8."""
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _units_of(code: int) -> int:
    return 1 if code < 0x10000 else 2
