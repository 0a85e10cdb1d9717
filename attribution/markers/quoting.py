"""Where an answer quotes: code, block quotations, quotation marks. A marker in there is shown, not counted."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from attribution.model import Span

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BLOCK_QUOTE = re.compile(r" {0,3}>")
_BACKTICKS = re.compile(r"`+")
_CURLY = re.compile(r"“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]")
_STRAIGHT = re.compile(r'(?<![^\s(\[])"(?=\S)[^"\n]*"')
_SIGNS = '`~>"“«„'


class Quotations:
    """The quoted parts of an answer, worked out when first asked."""

    def __init__(self, response: str) -> None:
        self._response = response

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int]]:
        """Where parts begin, and how far the parts up to there reach."""
        ranges = sorted(quoted_ranges(self._response))
        return [span[0] for span in ranges], list(accumulate((span[1] for span in ranges), max))

    def hold(self, raw: Span) -> bool:
        """Whether a range of the raw answer begins inside a quotation."""
        starts, ends = self._bounds
        if not starts:
            return False
        before = bisect_right(starts, raw[0]) - 1
        return before >= 0 and raw[0] < ends[before]


def quoted_ranges(text: str) -> list[Span]:
    """The quoted parts of ``text``; parts may overlap."""
    if not any(sign in text for sign in _SIGNS):
        return []
    ranges: list[Span] = []
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        opened = _FENCE.match(line)
        if fence or opened or _BLOCK_QUOTE.match(line):
            ranges.append((start, end))
            fence = _next_fence(fence, opened)
        else:
            ranges += _quoted_in_line(line, start)
        start = end
    return ranges


def _next_fence(fence: str, line: re.Match[str] | None) -> str:
    if line is None:
        return fence
    if not fence:
        return line.group(1)
    return "" if line.group(1).startswith(fence) else fence


def _quoted_in_line(line: str, offset: int) -> list[Span]:
    spans = [match.span() for pattern in (_CURLY, _STRAIGHT) for match in pattern.finditer(line)]
    spans += _inline_code(line)
    return [(start + offset, end + offset) for start, end in spans]


def _inline_code(line: str) -> list[tuple[int, int]]:
    """Between two runs of as many backticks; a run without its partner is text."""
    spans: list[tuple[int, int]] = []
    waiting: dict[int, int] = {}
    for run in _BACKTICKS.finditer(line):
        width = run.end() - run.start()
        if width in waiting:
            spans.append((waiting[width], run.end()))
            waiting.clear()
        else:
            waiting[width] = run.start()
    return spans
