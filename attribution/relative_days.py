"""Days told by the day of the message: tomorrow, in two weeks, this Friday, next Thursday, a week ago."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from attribution.figures import MOST_PLACES
from attribution.figures.numbers import number_in_words
from attribution.lexicon.words import DAY_PARTS, NOT_OF_A_RECORD, WEEKDAYS
from attribution.model import Span

_WEEK = 7
_NAMED = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
_UNITS = {"day": 1, "days": 1, "week": _WEEK, "weeks": _WEEK, "fortnight": 2 * _WEEK, "fortnights": 2 * _WEEK}
DAY_WORDS = frozenset(_NAMED)
"""Words that tell a day by themselves."""
_MOST_UNITS = 400
_THIS = frozenset({"this", "coming", "upcoming"})
QUALIFIERS = _THIS | {"next", "last"}
"""Words that may stand before a weekday to say which one is meant."""

SpanOf = Callable[[int, int], Span]
Places = Mapping[str, Sequence[int]]
Told = tuple[int, int, tuple[int, ...]]
"""The first word, the count of words, and how many days later than the message the day may be."""


class RelativeDays(NamedTuple):
    """The places where an answer tells days by that of the message, with how many days later each is, and the weekdays read so."""

    by_distance: dict[int, list[Span]]
    weekdays: frozenset[int]


NO_DAYS = RelativeDays({}, frozenset())


def find_relative_days(words: Sequence[str], places: Places, span_of: SpanOf, today: date | None) -> RelativeDays:
    """All such days of an answer; weeks and weekdays only where the day of the message is known."""
    weekdays = list(_weekdays(words, places, today)) if today else []
    counted = _counted(words, places) if today else ()
    table: dict[int, list[Span]] = {}
    for place, count, distances in [*_named(words, places), *counted, *weekdays]:
        for distance in dict.fromkeys(distances):
            table.setdefault(distance, []).append(span_of(place, count))
    read = frozenset(place for begin, count, _ in weekdays for place in range(begin, begin + count))
    return RelativeDays(table, read)


def _all(wanted: Iterable[str], places: Places) -> Iterator[tuple[str, int]]:
    for word in wanted:
        for place in places.get(word, ())[:MOST_PLACES]:
            yield word, place


def _named(words: Sequence[str], places: Places) -> Iterator[Told]:
    """Today, tomorrow, the day after tomorrow, this afternoon."""
    for word, place in _all(_NAMED, places):
        before = tuple(words[max(0, place - 3) : place])
        if before[-1:] == ("from",):
            continue
        if before[-2:] in (("day", "after"), ("day", "before")):
            has_article = before[0] == "the" and len(before) == 3
            further = 1 if before[-1] == "after" else -1
            yield place - 2 - has_article, 3 + has_article, (_NAMED[word] + further,)
        elif word != "today" or not place or before[-1] not in NOT_OF_A_RECORD:
            yield place, 1, (_NAMED[word],)
    for _, place in _all(DAY_PARTS, places):
        if place and words[place - 1] == "this":
            yield place - 1, 2, (0,)


def _counted(words: Sequence[str], places: Places) -> Iterator[Told]:
    """In two weeks, three days from now, a week ago."""
    for word, place in _all(_UNITS, places):
        amount, begin = _amount_before(words, place)
        distance = amount * _UNITS[word]
        before = words[begin - 1] if begin else ""
        behind = words[place + 1 : place + 3]
        if not amount or behind[:1] == ["and"]:
            continue
        if behind[:1] == ["ago"]:
            yield begin, place + 2 - begin, (-distance,)
        elif len(behind) == 2 and behind[0] == "from" and (behind[1] in _NAMED or behind[1] == "now"):
            yield begin, place + 3 - begin, (distance + _NAMED.get(behind[1], 0),)
        elif before == "in":
            yield begin - 1, place + 2 - begin, (distance,)


def _amount_before(words: Sequence[str], place: int) -> tuple[int, int]:
    """Return how many days or weeks, and where that begins; zero where no number stands before the word."""
    for begin in range(max(0, place - 2), place):
        word = words[begin]
        key, count = number_in_words(words, begin)
        if begin + count == place and key.isdigit() and int(key) <= _MOST_UNITS:
            return int(key), begin
        if begin + 1 == place and (word in ("a", "one") or (word.isdecimal() and len(word) < 4)):
            return (1 if word == "a" else int(word)), begin
    return 0, place


def _weekdays(words: Sequence[str], places: Places, today: date) -> Iterator[Told]:
    """This Friday, next Thursday, last Monday, Friday next week."""
    for number, name in enumerate(WEEKDAYS):
        ahead = (number - today.weekday()) % _WEEK or _WEEK
        next_week = _WEEK - today.weekday() + number
        for place in places.get(name, ())[:MOST_PLACES]:
            if length := _next_week_behind(words, place + 1):
                yield place, 1 + length, (next_week,)
            elif place and (before := words[place - 1]) in QUALIFIERS:
                if before == "next":
                    is_next_week = place > 2 and words[place - 2] == "week"
                    yield place - 1, 2, (next_week,) if is_next_week else (ahead, next_week)
                elif before == "last":
                    yield place - 1, 2, (ahead - _WEEK, next_week - 2 * _WEEK)
                else:
                    begin = place - 1 - (before != "this" and place > 1 and words[place - 2] == "this")
                    yield begin, place + 1 - begin, (ahead, 0) if ahead == _WEEK else (ahead,)


def _next_week_behind(words: Sequence[str], place: int) -> int:
    """Return how many words "of next week" takes behind a weekday."""
    behind = tuple(words[place : place + 3])
    return 3 if behind == ("of", "next", "week") else 2 if behind[:2] == ("next", "week") else 0
