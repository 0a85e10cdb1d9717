"""Times of the day, in digits and in words, and days told by that of the message: tomorrow, in two weeks, next Thursday."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from attribution.figures.numbers import MOST_PLACES, Figure, FigureKind, number_in_words
from attribution.lexicon.words import BEFORE_A_TIME, DAY_PARTS, MEASURES, NOT_OF_A_RECORD, NUMBER_WORDS, WEEKDAYS
from attribution.model import Span

# Times of the day in minutes since midnight.

HALF_DAY_OPEN = "morning or afternoon left open"
"""The detail of a time that leaves open which half of the day is meant."""

_HALF_DAY = 720
_FIRST_HOUR_OF_NIGHT = 5


def minutes_of_day(hour: int, minute: int, meridiem: str) -> list[int]:
    """The minutes since midnight that a clock time may mean; two where it leaves morning or afternoon open."""
    if minute > 59 or hour > 24:
        return []
    if meridiem:
        is_on_the_clock = 1 <= hour <= 12 or (hour == 0 and meridiem == "a")
        return [(hour % 12 + (12 if meridiem == "p" else 0)) * 60 + minute] if is_on_the_clock else []
    first = hour % 24 * 60 + minute
    return [first, first + _HALF_DAY] if 1 <= hour < 12 else [first, 0] if (hour, minute) == (12, 0) else [first]


def half_of_day(words: Sequence[str], hour: int) -> str:
    """``a`` or ``p`` by the words behind a time: am, p.m., in the morning, at night; empty where they do not tell."""
    if not words or words[-1] in ("clock", "oclock", "h"):
        return ""
    if words[-1] == "night":
        return "p" if _FIRST_HOUR_OF_NIGHT <= hour < _HALF_DAY // 60 else "a"
    return "a" if words[-1] == "morning" or words[-1] == "am" or words[0] == "a" else "p"


def times_at(minutes: list[int], span: Span) -> list[Figure]:
    """The figures of one written time."""
    detail = HALF_DAY_OPEN if len(minutes) > 1 else ""
    return [Figure(FigureKind.TIME, minute_of_day, span, detail) for minute_of_day in minutes]


# Times of the day in words: half past two, quarter to five, two o'clock, two in the afternoon.

CLOCK_WORDS = frozenset({"past", "quarter", "midday"})
_HOURS = 12
_BEHIND_AN_HOUR = frozenset({"o", "oclock", "am", "pm", "a", "p"})
_IN_THE_MORNING = 3
"""A tail of so many words only tells a time if something before the hour announces one: "one in the morning" may be a pill."""
_MINUTES = {"half": 30, "quarter": 15}
_AFTER = frozenset({"past", "after"})
_BEFORE = frozenset({"to", "of", "before", "till", "til"})

SpanOf = Callable[[int, int], Span]


def times_in_words(words: Sequence[str], places: Mapping[str, Sequence[int]], found: Collection[str], span_of: SpanOf) -> list[Figure]:
    """Times around "past", "quarter" and "midday"."""
    return [
        figure
        for word in sorted(CLOCK_WORDS.intersection(found))
        for place in places[word][:MOST_PLACES]
        for figure in _READERS[word](words, place, span_of)
    ]


def hour_behind(words: Sequence[str], place: int, count: int, key: str, span_of: SpanOf) -> list[Figure]:
    """The time that an hour written out tells with what follows it: o'clock, am, "thirty"."""
    end = place + count
    is_announced = place > 0 and words[place - 1] in BEFORE_A_TIME
    if not is_announced and not (end < len(words) and words[end] in _BEHIND_AN_HOUR):
        return []
    hour = int(key) if key.isdigit() and int(key) <= _HOURS else 0
    if not hour:
        return []
    minute, length = _minutes_behind(words, end) if is_announced else (0, 0)
    clock = 0 if length else _clock_behind(words, end)
    half, tail = _half_behind(words, end + length + clock, hour)
    if not (length or clock or (tail and (is_announced or tail < _IN_THE_MORNING))):
        return []
    return times_at(minutes_of_day(hour, minute, half), span_of(place, count + length + clock + tail))


def _clock_behind(words: Sequence[str], end: int) -> int:
    """Return how many words "o'clock" takes."""
    return 1 if words[end : end + 1] == ["oclock"] else 2 if tuple(words[end : end + 2]) == ("o", "clock") else 0


def _minutes_behind(words: Sequence[str], end: int) -> tuple[int, int]:
    """The minutes of "at two thirty", and how many words they take."""
    if end >= len(words):
        return 0, 0
    if words[end] == "oh":
        minute = NUMBER_WORDS.get(words[end + 1], 0) if end + 1 < len(words) else 0
        return (minute, 2) if 0 < minute < 10 else (0, 0)
    key, count = number_in_words(words, end) if words[end] in NUMBER_WORDS else ("", 0)
    is_measure = end + count < len(words) and words[end + count] in MEASURES
    return (int(key), count) if key.isdigit() and 10 <= int(key) < 60 and not is_measure else (0, 0)


def _half_behind(words: Sequence[str], end: int, hour: int) -> tuple[str, int]:
    """Return which half of the day the words from ``end`` on tell, and how many they are."""
    count = _tail_length(words, end)
    tail = [word[0] if word in ("am", "pm") else word for word in words[end : end + count]]
    return (half_of_day(tail, hour), count) if count else ("", 0)


def _tail_length(words: Sequence[str], end: int) -> int:
    tail = tuple(words[end : end + 3])
    if tail[:1] in (("am",), ("pm",)):
        return 1
    if tail[:2] in (("a", "m"), ("p", "m"), ("at", "night")):
        return 2
    return 3 if len(tail) == 3 and tail[:2] == ("in", "the") and tail[2] in DAY_PARTS else 0


def _past(words: Sequence[str], place: int, span_of: SpanOf) -> list[Figure]:
    """Half past two, quarter past 2, ten past nine."""
    if not place:
        return []
    begin, minute = place - 1, _minute(words[place - 1])
    if minute < 0:
        return []
    return _at_hour(words, begin, place + 1, minute, span_of)


def _quarter_to(words: Sequence[str], place: int, span_of: SpanOf) -> list[Figure]:
    if words[place + 1 : place + 2] == ["after"]:
        return _at_hour(words, place, place + 2, 15, span_of)
    is_before = place + 1 < len(words) and words[place + 1] in _BEFORE
    return _at_hour(words, place, place + 2, -15, span_of) if is_before else []


def _minute(word: str) -> int:
    minute = _MINUTES.get(word, NUMBER_WORDS.get(word, int(word) if word.isdecimal() and len(word) < 3 else -1))
    return minute if minute < 60 else -1


def _at_hour(words: Sequence[str], begin: int, at: int, minute: int, span_of: SpanOf) -> list[Figure]:
    """The hour that stands at a place, so many minutes later."""
    hour = _hour(words[at]) if at < len(words) else 0
    if not hour:
        return []
    clock = _clock_behind(words, at + 1)
    half, tail = _half_behind(words, at + 1 + clock, hour)
    day = [(each + minute) % 1440 for each in minutes_of_day(hour, 0, half)]
    return times_at(day, span_of(begin, at + 1 + clock + tail - begin))


def _hour(word: str) -> int:
    hour = NUMBER_WORDS.get(word, int(word) if word.isdecimal() and len(word) < 3 else 0)
    return hour if 1 <= hour <= _HOURS else 0


def _midday(_: Sequence[str], place: int, span_of: SpanOf) -> list[Figure]:
    return times_at([_HOURS * 60], span_of(place, 1))


_READERS: dict[str, Callable[[Sequence[str], int, SpanOf], list[Figure]]] = {
    "past": _past,
    "quarter": _quarter_to,
    "midday": _midday,
}


# Days told by the day of the message: tomorrow, in two weeks, this Friday, next Thursday, a week ago.

_WEEK = 7
_NAMED = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
_UNITS = {"day": 1, "days": 1, "week": _WEEK, "weeks": _WEEK, "fortnight": 2 * _WEEK, "fortnights": 2 * _WEEK}
DAY_WORDS = frozenset(_NAMED)
"""Words that tell a day by themselves."""
_MOST_UNITS = 400
_THIS = frozenset({"this", "coming", "upcoming"})
QUALIFIERS = _THIS | {"next", "last"}
"""Words that may stand before a weekday to say which one is meant."""

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
