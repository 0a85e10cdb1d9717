"""What goes out of the text with the marks: the commas between them, the brackets that hold nothing else, the space before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attribution.model import Span

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
