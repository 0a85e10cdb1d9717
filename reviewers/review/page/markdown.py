"""Emphasis, code, lists and tables of an answer, as spans over its text.

The text stays as it is, character by character, so every offset holds and nothing in it becomes active. The marks themselves are spans of
the kind ``syntax``, which pages draw faintly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^(```|~~~)[^\n`]*\n(?P<code>(?:(?!\1)[^\n]*\n){0,400})\1[ \t]*$", re.MULTILINE)
_TABLE = re.compile(r"^\|[^\n]{1,2000}\|[ \t]*(?:\n\|[^\n]{0,2000}\|[ \t]*)+$", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)])(?=[ \t])", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
_CODE = re.compile(r"(?<!`)`(?P<inner>[^`\n]{1,200})`(?!`)")
_STRONG = re.compile(r"(?<![*\w])\*\*(?=[^\s*])(?P<inner>[^*\n]{1,300}?)(?<=[^\s*])\*\*(?![*\w])")
_EMPHASIS = re.compile(r"(?<![*\w\\])\*(?=[^\s*])(?P<inner>[^*\n]{1,300}?)(?<=[^\s*])\*(?![*\w])")

_INLINE = (("code", _CODE), ("strong", _STRONG), ("emphasis", _EMPHASIS))
_MOST, _LONGEST = 2_000, 100_000
"""The most spans that are drawn, and the longest text that is read for them: others are drawn as they are."""


class Styled(NamedTuple):
    """A span of the text, and how it is drawn."""

    start: int
    end: int
    style: str


def styles_of(text: str) -> list[Styled]:
    """Return the styled spans of a text, the first ones first."""
    if len(text) > _LONGEST:
        return []
    taken = _Taken()
    found = list(_blocks(text, taken))
    for style, pattern in _INLINE:
        for match in pattern.finditer(text):
            if len(found) < _MOST and taken.take(*match.span()):
                found += _around(match, style)
    found += [Styled(*match.span(), "bullet") for match in _BULLET.finditer(text) if not taken.is_taken(*match.span())]
    found += [Styled(*match.span(), "syntax") for match in _HEADING.finditer(text) if not taken.is_taken(*match.span())]
    return sorted(found)[:_MOST]


class _Taken:
    """The spans that are code or a table, or that a mark has used: nothing in them is read again."""

    def __init__(self) -> None:
        self._offsets: set[int] = set()

    def is_taken(self, start: int, end: int) -> bool:
        return start in self._offsets or end - 1 in self._offsets

    def take(self, start: int, end: int) -> bool:
        """Return True if the span was free, and take it."""
        if self.is_taken(start, end):
            return False
        self._offsets.update(range(start, end))
        return True


def _blocks(text: str, taken: _Taken) -> Iterator[Styled]:
    for match in _FENCE.finditer(text):
        taken.take(*match.span())
        yield Styled(match.start(), match.start("code"), "syntax")
        if match["code"]:
            yield Styled(*match.span("code"), "block")
        yield Styled(match.end("code"), match.end(), "syntax")
    for match in _TABLE.finditer(text):
        if taken.take(*match.span()):
            yield Styled(*match.span(), "block")


def _around(match: re.Match[str], style: str) -> Iterator[Styled]:
    inner = match.span("inner")
    yield Styled(match.start(), inner[0], "syntax")
    yield Styled(*inner, style)
    yield Styled(inner[1], match.end(), "syntax")
