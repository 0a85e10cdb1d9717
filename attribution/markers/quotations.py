"""Find the quotations of an answer: code, block quotations, quotation marks, HTML tags. A marker in there is shown, not counted."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from attribution.model import Span

_LIST_ITEM = r"[ \t]{0,24}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?"
_FENCE = re.compile(rf"{_LIST_ITEM}(`{{3,}}|~{{3,}})(.*)")
_BLOCK_QUOTE = re.compile(rf"{_LIST_ITEM}>")
_BACKTICKS = re.compile(r"`+")
_CURLY = re.compile(r"“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]")
_STRAIGHT = re.compile(r'(?<![^\s(\[])"(?=\S)[^"\n]*"')
_TAG = re.compile(r"<[A-Za-z/!][^<>\n]*>")
_SIGNS = '`~>"“«„'


class Quotations:
    """The quoted parts of an answer; false where it has none.

    ``_starts`` is where parts begin, ``_ends`` how far the parts up to there reach.
    """

    def __init__(self, response: str) -> None:
        ranges = sorted(quoted_ranges(response))
        self._starts = [span[0] for span in ranges]
        self._ends = list(accumulate([span[1] for span in ranges], max))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def hold(self, raw: Span) -> bool:
        """Return True if a range of the raw answer begins inside a quotation."""
        before = bisect_right(self._starts, raw[0]) - 1
        return before >= 0 and raw[0] < self._ends[before]


def quoted_ranges(text: str) -> list[Span]:
    """The quoted parts of ``text``; parts may overlap."""
    if not any([sign in text for sign in _SIGNS]):  # noqa: C419  # a list is made faster than a generator, for eight signs
        return []
    ranges: list[Span] = []
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        after = _fence_after(fence, line)
        if fence or after or _BLOCK_QUOTE.match(line):
            ranges.append((start, end))
        else:
            ranges += [(begin + start, stop + start) for begin, stop in _quoted_in_line(line)]
        fence = after
        start = end
    return ranges


def code_ranges(text: str) -> list[Span]:
    """Fenced code, code in a line, and HTML tags: what is no prose."""
    if not any([sign in text for sign in "`~<"]):  # noqa: C419  # as above
        return []
    ranges: list[Span] = []
    fence = ""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        after = _fence_after(fence, line)
        if fence or after:
            ranges.append((start, end))
        else:
            tags = [match.span() for match in _TAG.finditer(line)]
            ranges += [(begin + start, stop + start) for begin, stop in tags + _inline_code(line)]
        fence = after
        start = end
    return ranges


def _fence_after(fence: str, line: str) -> str:
    """The fence that is open behind a line: a closing one stands alone, an opening one of backticks has none behind it."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    signs, rest = found.groups()
    if fence:
        return "" if signs.startswith(fence) and not rest.strip() else fence
    return signs if signs[0] == "~" or "`" not in rest else ""


def _quoted_in_line(line: str) -> list[Span]:
    spans = [match.span() for pattern in (_CURLY, _STRAIGHT, _TAG) for match in pattern.finditer(line)]
    return spans + _inline_code(line)


def _inline_code(line: str) -> list[Span]:
    """Between two runs of as many backticks; a run without its partner is text."""
    runs = [match.span() for match in _BACKTICKS.finditer(line)]
    next_of_width: dict[int, int] = {}
    closing: dict[int, int] = {}
    for start, end in reversed(runs):
        closing[start] = next_of_width.get(end - start, 0)
        next_of_width[end - start] = end
    spans: list[Span] = []
    reach = 0
    for start, _ in runs:
        if start >= reach and closing[start]:
            reach = closing[start]
            spans.append((start, reach))
    return spans
