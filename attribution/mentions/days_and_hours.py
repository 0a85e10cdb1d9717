"""Days and hours of an answer as mentions: of the week, of a month, months alone, hours in figures and by name, and "tomorrow"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from fractions import Fraction

from attribution.answer import Answer
from attribution.figures import MOST_PLACES, FigureKind
from attribution.lexicon.words import MONTHS, UNITS_OF_MEASURE, WEEKDAYS
from attribution.mentions.mention import Mention, MentionKind
from attribution.text import words

DAY_NUMBERS = {name: number for number, name in enumerate(WEEKDAYS)}
DAY_NUMBERS |= {f"{name}s": number for number, name in enumerate(WEEKDAYS)}
DAY_NUMBERS |= {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
"""The days of the week by their names, as numbers from Monday on."""
_DAY_OF_MONTH = re.compile(r"\d{1,2}(?:st|nd|rd|th)", re.ASCII)
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_BEFORE_MONTH = words("in of by since until till from early late mid this last next for")
_BEFORE_HOUR = words("at until till by before after from to between opens closes")
_BEFORE_HOURS = words("open daily weekdays hours") | {*WEEKDAYS, *[f"{day}s" for day in WEEKDAYS]}
"""Words right before the hours from which and to which something is open."""
_LONGEST_BETWEEN = 5
_ENDING = (*".,;!?", "")
"""Signs behind a day that end what is told of it."""
_BEFORE_DAY = words("on by until till from of since")
_BEHIND_DAY = words("at and from with for in to or is but we you i when because")
_LAST_DAY = 31
_NAMED_HOURS = {"noon": 720, "midday": 720, "midnight": 0}
HOURS = frozenset(map(Fraction, range(1, 13)))


def find_days_of_month(answer: Answer) -> Iterator[Mention]:
    """A day of a month that is not named: "on the 22nd"."""
    words = answer.words
    for place in answer.places.get("the", ())[:MOST_PLACES]:
        day = words[place + 1] if place + 1 < len(words) else ""
        if place and words[place - 1] in _BEFORE_DAY and _DAY_OF_MONTH.fullmatch(day) and 1 <= int(day[:-2]) <= _LAST_DAY:
            behind = words[place + 2] if place + 2 < len(words) else ""
            gap = answer.text[answer.word_end(place + 1) : answer.starts[place + 2]].strip() if behind else "."
            if gap or behind in _BEHIND_DAY:
                yield Mention(MentionKind.DATE, ((0, 0, int(day[:-2])),), place + 1, place + 2, answer.span(place + 1), "day")


def find_named_hours(answer: Answer) -> Iterator[Mention]:
    """Hours that have a name: noon, midnight."""
    for name, minutes in _NAMED_HOURS.items():
        for place in answer.places.get(name, ())[:MOST_PLACES]:
            yield Mention(MentionKind.TIME, (minutes,), place, place + 1, answer.span(place))


def beside_no_date(relative: Iterator[Mention], found: Collection[Mention]) -> Iterator[Mention]:
    """Days that are told by another; beside a date that is written out they say nothing more."""
    beside = {
        place
        for mention in found
        if mention.kind is MentionKind.DATE and mention.unit != "month"
        for place in (mention.first - 1, mention.last)
    }
    return (mention for mention in relative if mention.last - 1 not in beside and mention.first not in beside)


def find_weekdays(answer: Answer) -> Iterator[Mention]:
    """Days of the week that are not those of a date beside them."""
    for word in DAY_NUMBERS.keys() & answer.places.keys():
        for place in answer.places[word]:
            behind = answer.words[place + 1 : place + 3]
            if any(_DAY_OF_MONTH.fullmatch(each) for each in behind[:1] + (behind[1:] if behind[:1] == ["the"] else [])):
                continue
            yield Mention(MentionKind.WEEKDAY, (DAY_NUMBERS[word],), place, place + 1, answer.span(place))


def days_between(first: int, last: int) -> tuple[int, ...]:
    """Return the days of the week from one to another."""
    return tuple((first + each) % 7 for each in range((last - first) % 7 + 1))


def find_months(answer: Answer) -> Iterator[Mention]:
    """A month without a day: "in July", "June 2023"."""
    months = MONTHS.keys() & answer.places.keys()
    if not months:
        return
    dated = {place for each in answer.figures.all if each.kind is FigureKind.DATE for place in answer.places_in(each.span)}
    words = answer.words
    for word in months:
        for place in answer.places[word][:MOST_PLACES]:
            if place in dated or not answer.text[answer.starts[place]].isupper():
                continue
            behind = place + 1 + (words[place + 1 : place + 2] == ["of"])
            year = int(words[behind]) if behind < len(words) and _YEAR.fullmatch(words[behind]) else 0
            if year or (place and words[place - 1] in _BEFORE_MONTH):
                last = behind + 1 if year else place + 1
                day = (year, MONTHS[word], 0)
                yield Mention(MentionKind.DATE, (day,), place, last, answer.span(place, last - place), "month")


def find_hours(found: list[Mention], answer: Answer) -> Iterator[Mention]:
    """A number that may be an hour: "opens at 7", "until 5"."""
    for mention in found:
        if mention.kind is MentionKind.NUMBER and not mention.unit and mention.first and mention.last - mention.first == 1:
            hour = mention.values[0]
            behind = answer.words[mention.last] if mention.last < len(answer.words) else ""
            is_led = answer.words[mention.first - 1] in _BEFORE_HOUR or _ends_between(mention.first, answer)
            if (is_led or _begins_hours(mention, answer)) and hour in HOURS and behind not in UNITS_OF_MEASURE:
                times = halves(int(hour), behind)
                yield Mention(MentionKind.TIME, times, mention.first, mention.last, mention.span, "hour")


def _begins_hours(mention: Mention, answer: Answer) -> bool:
    """Return True if a number begins the hours of an office: "open 8 to 5", "Monday to Friday, 8 to 5"."""
    before = answer.words[max(0, mention.first - 2) : mention.first]
    is_led = before[-1] in _BEFORE_HOURS or (before[0] == "hours" and before[-1] in ("are", "is"))
    behind = answer.words[mention.last : mention.last + 2]
    return is_led and len(behind) > 1 and behind[0] in ("to", "until", "till") and behind[1].isdecimal() and int(behind[1][:3]) in HOURS


def _ends_between(place: int, answer: Answer) -> bool:
    """Return True if a word is the second of two that "between" leads to: "between 8:30 and 5"."""
    return answer.words[place - 1] == "and" and "between" in answer.words[max(0, place - _LONGEST_BETWEEN) : place - 1]


def halves(hour: int, behind: str) -> tuple[int, ...]:
    """The minutes of the day that an hour of the clock may mean; ``behind`` is the word behind it."""
    morning = hour % 12 * 60
    return (morning + 720,) if behind in ("tonight", "pm") else (morning, morning + 720)


def find_relative_days(answer: Answer) -> Iterator[Mention]:
    """Days that are told by that of the message, where it is known: "tomorrow"."""
    today = answer.answered_on
    if today is None:
        return
    for distance, spans in answer.relative_days.by_distance.items():
        day = _days_later(today, distance)
        for span in spans if day else ():
            first, last = answer.place_at(span[0]), answer.place_at(span[1] - 1) + 1
            if day and not (last - first == 1 and answer.words[first] in ("today", "tonight") and not _is_told_of(first, answer)):
                yield Mention(MentionKind.DATE, ((day.year, day.month, day.day),), first, last, span, "relative")


def _is_told_of(place: int, answer: Answer) -> bool:
    """Return True if "today" says when something is: "your visit is today at 9"."""
    behind = answer.words[place + 1 : place + 2]
    is_last = answer.text[answer.word_end(place) :][:1] in _ENDING or behind == ["at"] or behind[0].isdigit()
    return place > 0 and answer.words[place - 1] in ("is", "are") and is_last


def _days_later(today: date, distance: int) -> date | None:
    try:
        return today + timedelta(days=distance)
    except OverflowError:
        return None
