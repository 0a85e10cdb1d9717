"""Days of the month in words: the eighth of March, March twenty-first; and other ordinals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from attribution.figures.kinds import MOST_PLACES, Figure, FigureKind
from attribution.lexicon.words import BEFORE_A_DAY, MONTHS, ORDINAL_WORDS, TENS, WEEKDAYS
from attribution.model import Span

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
    """The first and the last word of a day with its month, and the month; zeros where none stands beside it."""
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
