"""Numbers as a field holds them, and as words say them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from attribution.figures import canonical_number, shift_point
from attribution.lexicon import NUMBER_WORDS, SCALES, TENS, UNITS
from attribution.remembering import remembered


def canonical_value(value: object) -> str | None:
    """The canonical form of a number as a field holds it, without sign and rounding; nothing for what is no finite number."""
    if isinstance(value, int):
        return str(abs(value))
    if isinstance(value, float):
        return _canonical_float(value)
    written = str(value).strip().lstrip("-")
    return canonical_number(written) if written.replace(",", "").replace(".", "", 1).isdecimal() else None


@lru_cache(maxsize=4_096)
def _canonical_float(value: float) -> str | None:
    return canonical_number(format(Decimal(repr(abs(value))), "f")) if math.isfinite(value) else None


@remembered
def as_percentage(canonical: str) -> str:
    """``0.85`` → ``85``, exactly."""
    return shift_point(canonical, 2)


@remembered
def as_share(canonical: str) -> str:
    """``85`` → ``0.85``, exactly."""
    return shift_point(canonical, -2)


def number_in_words(words: Sequence[str], place: int) -> tuple[int, int]:
    """The number that begins at a place, and its count of words: none for a unit behind a ten, nor for hundreds and more."""
    word, following, after_that = (*words[place : place + 3], "", "")[:3]
    before = words[place - 1] if place else ""
    if word not in NUMBER_WORDS or (word in UNITS and before in TENS) or before in SCALES:
        return 0, 0
    count = 2 if word in TENS and following in UNITS else 1
    if (after_that if count == 2 else following) in SCALES or (before == "and" and words[place - 2] in SCALES):
        return 0, 0
    return NUMBER_WORDS[word] + (NUMBER_WORDS[following] if count == 2 else 0), count
