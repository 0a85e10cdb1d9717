"""Figures written in digits, left to right, each digit in one of them."""

from __future__ import annotations

import re

from attribution.figures.canonical import canonical_number
from attribution.figures.grammar import (
    DAY_AFTER_MONTH,
    FIGURE,
    LONE_NUMBER,
    LONGEST_MONTH,
    MEANINGFUL_WORDS,
    MONTH_BEFORE,
    MONTH_ENDINGS,
)
from attribution.figures.kinds import Figure, FigureKind
from attribution.figures.readers import READERS, read_named_date
from attribution.model import new

_DIGITS = re.compile(r"[0-9][0-9]*")
"""Begins with a plain set of characters: such a pattern is searched ten times as fast as one that begins with a repetition."""


def find_figures(lowered: str) -> list[Figure]:
    """The figures of a lower-cased text, left to right."""
    found: list[Figure] = []
    end = 0
    for digits in _DIGITS.finditer(lowered):
        if digits.start() < end:
            continue
        figures = _figures_at(lowered, digits.start())
        if figures:
            found += figures
            end = figures[-1].span[1]
    return found


def _figures_at(lowered: str, digit: int) -> list[Figure]:
    """The readings of the figure whose first digit stands at ``digit``."""
    if dated := _month_and_day(lowered, digit):
        return dated
    lone = LONE_NUMBER.match(lowered, digit)
    if lone and lone[1] not in MEANINGFUL_WORDS:
        end = lone.start(1) if lone[1] else lone.end()
        number = lowered[digit:end].rstrip()
        return [new(Figure, (FigureKind.NUMBER, canonical_number(number), (digit, digit + len(number)), ""))]
    match = FIGURE.match(lowered, _with_sign(lowered, digit)) or FIGURE.match(lowered, digit)
    return READERS[match.lastgroup or ""](match.group(), match.span()) if match else []


def _with_sign(lowered: str, digit: int) -> int:
    """Return where the figure begins: a currency sign, a plus or a bracket before the digits belongs to it."""
    before = lowered[max(0, digit - 2) : digit]
    if before[-1:] in ("$", "€", "£", "+", "("):
        return digit - 1
    return digit - 2 if before in ("$ ", "€ ", "£ ") else digit


def _month_and_day(lowered: str, digit: int) -> list[Figure]:
    begin = max(0, digit - LONGEST_MONTH)
    before = lowered[begin:digit]
    ending = before.rstrip(" .")
    ending = ending.removesuffix(" the")
    month = MONTH_BEFORE.search(before) if ending[-3:] in MONTH_ENDINGS else None
    day = DAY_AFTER_MONTH.match(lowered, digit) if month else None
    if month is None or day is None:
        return []
    span = (begin + month.start(), day.end())
    return read_named_date(lowered[span[0] : span[1]], span)
