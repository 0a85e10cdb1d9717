"""Quantities with their units, in whatever words: 90 minutes, an hour and a half, 1.5 hours; twice a week, weekly.

Units of time are counted in minutes or months; all others are compared as they stand, nothing is converted between systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from attribution.figures import MOST_PLACES, Figure, FigureKind, canonical_number, shift_point
from attribution.lexicon.words import FREQUENCIES, MEASURES, TIMES
from attribution.model import Span
from attribution.remembering import remembered
from attribution.text import words as words_in

MEASURE_WORDS = frozenset({*MEASURES, *FREQUENCIES})
"""Every quantity has one of them."""
_SHORT_FORMS = frozenset({"cap", "caps", "tab", "tabs"})
"""Units only behind a number: a cap is a limit as well."""
_MONEY = frozenset({"pound", "pounds"})
_PAYING = words_in("cost costs costing pay pays paid paying charge charges charged fee fees price priced spend spent owe owes save saves")
_NEAR = 4
"""The most words between a word for paying and the pounds that it makes money."""
_EACH = frozenset({"a", "per", "each", "every", "an"})
_OTHER, _QUARTERS_OF = ("other", "second"), (["quarter", "of"], ["quarters", "of"])
_LEADING = words_in("for in within and or to at after before with of is are was lasts last takes took about than least until by over")
"""Words before "an hour" by which it is a time of its own, and no period by which something else is counted."""
_FRACTIONS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}

_exact = remembered(Fraction)

Measured = tuple[str, Fraction]
"""A kind of quantity and an amount. Kinds that begin with "per " count times in that period."""


class Quantity(NamedTuple):
    """A quantity, its first word, and the word behind it."""

    measured: Measured
    begin: int
    end: int


def find_quantities(
    words: Sequence[str],
    places: Mapping[str, Sequence[int]],
    numbers: Mapping[int, tuple[int, str]],
    span_of: Callable[[int, int], Span],
) -> dict[Measured, list[Span]]:
    """All quantities by what they come to. ``numbers`` are the numbers by the place behind them: where each begins, and its form."""
    found = sorted(place for word in MEASURE_WORDS.intersection(places) for place in places[word][:MOST_PLACES])
    table: dict[Measured, list[Span]] = {}
    for quantity in _joined([each for place in found if (each := _read(words, place, numbers))], words):
        table.setdefault(quantity.measured, []).append(span_of(quantity.begin, quantity.end - quantity.begin))
    return table


def number_ends(
    figures: Iterable[Figure], written: Mapping[str, Sequence[tuple[int, int]]], place_at: Callable[[int], int]
) -> dict[int, tuple[int, str]]:
    """The numbers of an answer by the word behind each. Pounds are money at first sight, and may be a weight."""
    ends: dict[int, tuple[int, str]] = {}
    for figure in figures:
        if figure.kind in (FigureKind.NUMBER, FigureKind.MONEY):
            ends[place_at(figure.span[1] - 1) + 1] = (place_at(figure.span[0]), str(figure.key))
    for key, same in written.items():
        for place, count in same:
            ends[place + count] = (place, key)
    return ends


def _read(words: Sequence[str], place: int, numbers: Mapping[int, tuple[int, str]]) -> Quantity | None:
    word = words[place]
    if word in FREQUENCIES:
        begin, times = _times_before(words, place, numbers)
        return _often(FREQUENCIES[word], times or Fraction(1), begin if times else place, place + 1)
    before = words[place - 1] if place else ""
    often = _read_often(words, place, numbers)
    if often or (before in _EACH and words[place - 2] not in _LEADING and (place - 2 in numbers or place - 3 in numbers)):
        return often
    begin, amount = _amount_before(words, place, numbers)
    if (
        not amount
        or (word in _SHORT_FORMS and place not in numbers)
        or (word in _MONEY and not _PAYING.isdisjoint(words[max(0, begin - _NEAR) : begin]))
    ):
        return None
    if begin and words[begin - 1] == "every":
        return _often(word, 1 / amount, begin - 1, place + 1)
    end = place + 1
    if words[end : end + 2] == ["and", "a"] and end + 2 < len(words) and words[end + 2] in _FRACTIONS:
        amount, end = amount + _FRACTIONS[words[end + 2]], end + 3
    dimension, factor = MEASURES[word]
    return Quantity((dimension, amount * factor), begin, end)


def _read_often(words: Sequence[str], place: int, numbers: Mapping[int, tuple[int, str]]) -> Quantity | None:
    """How often: so many times in the unit at a place, in every one of them, or in every other."""
    word, before = words[place], words[place - 1] if place else ""
    begin, times = _times_before(words, place - 1, numbers) if before in _EACH else (place, Fraction(0))
    if times:
        return _often(word, times, begin, place + 1)
    if before == "every":
        return _often(word, Fraction(1), place - 1, place + 1)
    is_other = before in _OTHER and place > 1 and words[place - 2] == "every"
    return _often(word, Fraction(1, 2), place - 2, place + 1) if is_other else None


def _often(unit: str, times: Fraction, begin: int, end: int) -> Quantity:
    dimension, factor = MEASURES[unit]
    return Quantity((f"per {dimension}", times / factor), begin, end)


def _times_before(words: Sequence[str], place: int, numbers: Mapping[int, tuple[int, str]]) -> tuple[int, Fraction]:
    """Return the number of times that stands before a place (twice, three times) and where it begins; zero where none does."""
    before = words[place - 1] if place else ""
    if before in TIMES:
        return place - 1, Fraction(TIMES[before])
    if before in ("times", "time", "x") and place - 1 in numbers:
        begin, key = numbers[place - 1]
        return begin, _exact(key)
    return place, Fraction(0)


def _amount_before(words: Sequence[str], place: int, numbers: Mapping[int, tuple[int, str]]) -> tuple[int, Fraction]:
    """Return how many of the unit at a place, and where that begins; zero where no number stands before it."""
    if place in numbers:
        begin, key = numbers[place]
        return begin, _exact(key)
    before = words[place - 1] if place else ""
    if before == "of" and place - 1 in numbers:
        begin, key = numbers[place - 1]
        return begin, _exact(key)
    if before in ("a", "an") and place > 2 and words[place - 3 : place - 1] in _QUARTERS_OF:
        begin, key = numbers.get(place - 3, (place - 3, "1"))
        return begin, _exact(key) * _FRACTIONS["quarter"]
    if before in ("a", "an"):
        is_half = place > 1 and words[place - 2] == "half"
        return (place - 2, _FRACTIONS["half"]) if is_half else (place - 1, Fraction(1))
    return (place - 1, _FRACTIONS["half"]) if before == "half" else (place, Fraction(0))


def _joined(quantities: Sequence[Quantity], words: Sequence[str]) -> list[Quantity]:
    """One hour and 30 minutes is one quantity: the same measure, the smaller behind the larger."""
    joined: list[Quantity] = []
    for quantity in quantities:
        last = joined[-1] if joined else None
        if last and last.measured[0] == quantity.measured[0] and _follows(last, quantity, words):
            total = (quantity.measured[0], last.measured[1] + quantity.measured[1])
            joined[-1] = Quantity(total, last.begin, quantity.end)
        else:
            joined.append(quantity)
    return joined


def _follows(last: Quantity, quantity: Quantity, words: Sequence[str]) -> bool:
    is_next = quantity.begin == last.end or (quantity.begin == last.end + 1 and words[last.end] == "and")
    is_amount = not quantity.measured[0].startswith("per ")
    return is_next and is_amount and quantity.measured[1] < last.measured[1] and words[last.end - 1] != words[quantity.end - 1]


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
