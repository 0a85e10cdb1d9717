"""Figures written out in words. They are looked for only where an answer has one of the words that they cannot do without."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from attribution.figures.calendar import CLOCK_WORDS, hour_behind, times_in_words
from attribution.figures.numbers import MOST_PLACES, Figure, FigureKind, number_in_words, shift_point
from attribution.lexicon.words import BEFORE_A_DAY, CURRENCY_WORDS, MONTHS, NUMBER_WORDS, ORDINAL_WORDS, TENS, WEEKDAYS
from attribution.model import Span

# Days of the month in words: the eighth of March, March twenty-first; and other ordinals.

_LAST_DAY = 31
_ALSO_VERBS = ("may", "march", "mar")


def days_in_words(
    words: Sequence[str], places: Mapping[str, Sequence[int]], found: Collection[str], span_of: Callable[[int, int], Span]
) -> list[Figure]:
    """The ordinals written out, those beside a month as days."""
    if not any(word in ORDINAL_WORDS for word in found):
        return []
    ordinals = [place for word in found if word in ORDINAL_WORDS for place in places[word][:MOST_PLACES]]
    return [_read(words, place, span_of) for place in sorted(ordinals)]


def _read(words: Sequence[str], place: int, span_of: Callable[[int, int], Span]) -> Figure:
    ten = TENS.get(words[place - 1], 0) if place and ORDINAL_WORDS[words[place]] < 10 else 0
    number, begin = ten + ORDINAL_WORDS[words[place]], place - 1 if ten else place
    first, last, month = _month_beside(words, begin, place) if number <= _LAST_DAY else (0, 0, 0)
    if not month:
        return Figure(FigureKind.ORDINAL, str(number), span_of(begin, place + 1 - begin))
    year = _year(words, last + 1)
    return Figure(FigureKind.DATE, (year, month, number), span_of(first, last + 1 - first + bool(year)))


def _month_beside(words: Sequence[str], begin: int, end: int) -> tuple[int, int, int]:
    """The first and the last word of a day with its month, and the month; zeros where none is beside it."""
    behind = end + 2 if words[end + 1 : end + 2] == ["of"] else end + 1
    if behind < len(words) and words[behind] in MONTHS:
        return begin, behind, MONTHS[words[behind]]
    before = begin - 2 if begin > 1 and words[begin - 1] == "the" else begin - 1
    if before < 0 or words[before] not in MONTHS or (words[before] in _ALSO_VERBS and not _is_dated(words, before)):
        return 0, 0, 0
    return before, end, MONTHS[words[before]]


def _is_dated(words: Sequence[str], place: int) -> bool:
    """Return True if what stands before "may" lets it be a month: "on May first", not "you may first call"."""
    return place == 0 or words[place - 1] in BEFORE_A_DAY or words[place - 1] in WEEKDAYS


def _year(words: Sequence[str], place: int) -> int:
    word = words[place] if place < len(words) else ""
    return int(word) if len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20") else 0


# All figures written out in words.

_STARTERS = frozenset({"hundred", "thousand", "dozen", "couple", "half"})
SPOKEN_WORDS = frozenset(NUMBER_WORDS) | _STARTERS | CLOCK_WORDS | frozenset(ORDINAL_WORDS)
"""An answer without any of these writes nothing out."""

Places = Mapping[str, Sequence[int]]
NumberWords = dict[str, list[tuple[int, int]]]
"""By canonical number the places where it is written out, and how many words that takes."""


class Spoken(NamedTuple):
    """The numbers written out that nothing makes anything else, and the figures that others are part of."""

    numbers: NumberWords
    figures: list[Figure]


def find_spoken(words: Sequence[str], places: Places, found: Collection[str], span_of: Callable[[int, int], Span]) -> Spoken:
    """Return what is written out around the words ``found``. ``span_of`` gives the span of so many words at a place."""
    numbers = _numbers(words, places, found)
    figures = [*times_in_words(words, places, found, span_of), *days_in_words(words, places, found, span_of)]
    table: NumberWords = {}
    for place, count, key in numbers:
        if figure := _figure(words, place, count, key, span_of):
            figures += figure
        else:
            same = table.setdefault(key, [])
            if len(same) < MOST_PLACES:
                same.append((place, count))
    return Spoken(_outside(table, figures, span_of) if figures else table, figures)


def _numbers(words: Sequence[str], places: Places, found: Collection[str]) -> list[tuple[int, int, str]]:
    """The numbers in turn, none inside another."""
    begins = [place for word in found if word in NUMBER_WORDS for place in places[word]]
    begins += [place - 1 for word in found if word in _STARTERS for place in places[word] if place and word != "half"]
    begins += places["half"] if "half" in found else ()
    numbers: list[tuple[int, int, str]] = []
    end = 0
    for place in sorted(begins):
        if place >= end:
            key, count = number_in_words(words, place)
            if count:
                numbers.append((place, count, key))
                end = place + count
    return numbers


def _figure(words: Sequence[str], place: int, count: int, key: str, span_of: Callable[[int, int], Span]) -> list[Figure]:
    """Return what the words behind a number make of it: money, a percentage, a time."""
    end = place + count
    behind = words[end] if end < len(words) else ""
    if behind in CURRENCY_WORDS:
        return [Figure(FigureKind.MONEY, key, span_of(place, count))]
    if behind in ("cent", "cents"):
        return [Figure(FigureKind.MONEY, shift_point(key, -2), span_of(place, count))]
    if behind == "percent" or (behind == "per" and words[end + 1 : end + 2] == ["cent"]):
        return [Figure(FigureKind.PERCENT, key, span_of(place, count))]
    return hour_behind(words, place, count, key, span_of)


def _outside(table: NumberWords, figures: Sequence[Figure], span_of: Callable[[int, int], Span]) -> NumberWords:
    """The numbers that are no part of a figure."""
    taken = sorted({figure.span for figure in figures})
    kept: NumberWords = {}
    for key, same in table.items():
        free = [(place, count) for place, count in same if not _is_inside(span_of(place, count), taken)]
        if free:
            kept[key] = free
    return kept


def _is_inside(span: Span, taken: Sequence[Span]) -> bool:
    above = bisect_right(taken, (span[0], span[1] + 1)) - 1
    return above >= 0 and span[1] <= taken[above][1]
