"""Amounts with their units as one value, whatever unit they are written in: 0.2 g is 200 mg. And decades: 1970s is 1970's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from attribution.lexicon import load_lexicon
from attribution.model import Span

_TIMES = {"minute": 1, "min": 1, "hour": 60, "hr": 60, "day": 1_440, "week": 10_080}
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,6})?"
_DECADE = re.compile(r"(?<![\w.])((?:1[5-9]|20)\d0)['’]?s\b")
_YEAR = re.compile(r"(?<![\w.,])((?:1[5-9]|20)\d)\d(?![\w,]|\.\d)")
_IN_WORDS = re.compile(r"\b(?:nineteen[- ])?(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b")
_WORDS = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")


class Measured(NamedTuple):
    """An amount: its value in the base unit of its kind, the number as written, and where both stand; time only equals, never differs."""

    base: str
    value: Fraction
    number: str
    span: Span
    is_time: bool


def find_measured(lowered: str) -> Iterator[Measured]:
    """Return the amounts of a text in lower case; of a range both ends, each with the unit behind it."""
    units, pattern = _units()
    for match in pattern.finditer(lowered) if any(sign.isdigit() for sign in lowered) else ():
        base, factor = units[match["unit"]]
        for name in ("first", "last"):
            if match[name]:
                number = match[name].replace(",", "")
                yield Measured(base, Fraction(number) * factor, number, (match.start(name), match.end("unit")), base == "minute")


@cache
def _units() -> tuple[dict[str, tuple[str, Fraction]], re.Pattern[str]]:
    units: dict[str, tuple[str, Fraction]] = {}
    for unit in load_lexicon().units:
        if unit.base and unit.kind in ("mass", "volume"):
            units |= {form.lower(): (unit.base, Fraction(str(unit.factor))) for form in unit.forms}
    units |= {form: ("minute", Fraction(count)) for word, count in _TIMES.items() for form in (word, f"{word}s")}
    forms = "|".join(sorted(map(re.escape, units), key=len, reverse=True))
    pattern = rf"(?<![\w.,])(?:(?P<first>{_NUMBER})\s?(?:-|–|—|to|and|or)\s?)?(?P<last>{_NUMBER})[\s\u00a0-]?(?P<unit>{forms})(?![\w])"
    return units, re.compile(pattern)


def find_decades(lowered: str) -> list[tuple[str, Span]]:
    """Return the decades that a text names in figures: their first years, and where they stand."""
    return [(match[1], match.span()) for match in _DECADE.finditer(lowered)]


def decades_of(lowered: str) -> frozenset[str]:
    """Return the decades that a passage speaks of: named, written out, or by one of their years."""
    named = {decade for decade, _ in find_decades(lowered)}
    written = {f"19{2 + _WORDS.index(match[1])}0" for match in _IN_WORDS.finditer(lowered)}
    return frozenset(named | written | {f"{match[1]}0" for match in _YEAR.finditer(lowered)})
