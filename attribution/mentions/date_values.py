"""Days and times of day in the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from attribution.answer import Answer, Label
from attribution.figures import Day, Figure, FigureKind, canonical_number, find_figures, minutes_of_day
from attribution.figures.calendar import QUALIFIERS
from attribution.lexicon.words import BEFORE_A_TIME, BEFORE_ANY_DAY, BEHIND_ANY_DAY, DAY_PARTS, PARTICLES, WEEKDAYS
from attribution.mentions.number_values import counts_something
from attribution.mentions.phrases import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered
from attribution.text import lower, words_of

_VALUE = re.compile(r"(?<![\d:.])(\d{1,2})(?:(?::(\d\d)(?::\d\d)?)?\s?([ap])\.?m\b|:(\d\d)(?::\d\d)?)", re.ASCII)
_DAY_BEFORE = re.compile(r"\d{4}-\d\d-\d\d[t ]", re.ASCII)
"""Behind such a day stands one time; a second would be that of its time zone."""
_FIRST_HOUR = re.compile(r"\s*(\d{1,2})\s?(?:[-–—]|to|until)", re.ASCII)
_NAMED = {720: "noon", 0: "midnight"}
_HOUR = 60
_HALF_DAY = 720
_RANGE_REACH = 12
_BEFORE_A_RANGE = frozenset({"from", "between", "open", "opens", "hours"})


def match_time(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """Find the minute of the day; of a span of time both ends, else one."""
    times = times_of(str(value))
    if len(times) > 1:
        return _range(times, answer, profile)
    minutes = times[0] if times else None
    found = match_minutes(minutes, answer, profile)
    return found or (_part_of_day(minutes, field, answer, profile) if minutes is not None else None)


@remembered
def times_of(value: str) -> tuple[int, ...]:
    """The minutes of the day that a field holds, one or the two ends; without am or pm they are on the 24-hour clock."""
    lowered = value.lower()
    found = list(_VALUE.finditer(lowered))[: 1 if _DAY_BEFORE.match(lowered) else 2]
    times = [readings[0] for each in found if (readings := minutes_of_day(int(each[1]), int(each[2] or each[4] or 0), each[3] or ""))]
    first = _FIRST_HOUR.match(lowered) if len(found) == 1 else None
    if first and times and found[0].start() > first.end(1):
        half = found[0][3] or ""
        start = minutes_of_day(int(first[1]), 0, half)[:1]
        times = [*(start if start and start[0] < times[0] else minutes_of_day(int(first[1]), 0, "")[:1]), *times]
    return tuple(times)


@remembered
def minutes_of(value: str) -> int | None:
    """The minute of the day that a field holds; nothing where it holds a span of time."""
    times = times_of(value)
    return times[0] if len(times) == 1 else None


def match_minutes(minutes: int | None, answer: Answer, profile: Profile) -> Evidence | None:
    """Evidence for a minute of the day."""
    if minutes is None:
        return None
    plain, left_open = _spans_of(minutes, answer)
    if plain:
        return _evidence_of_time("clock_time", plain, answer, profile)
    if left_open:
        return _evidence_of_time("open_half_day", left_open, answer, profile, "; morning or afternoon is left open")
    shared = _with_half_behind(minutes, answer) if answer.figures.times else []
    return _evidence_of_time("open_half_day", shared, answer, profile, "; the time behind it tells the half of the day") if shared else None


def _with_half_behind(minutes: int, answer: Answer) -> list[Span]:
    """The 2 of "between 2 and 5 pm": a full hour, and close behind it a time of the same half of the day."""
    found: list[Span] = []
    for span in _hours(minutes, answer):
        place = answer.place_at(span[0])
        if place and (answer.words[place - 1] in _BEFORE_A_RANGE or answer.words[place - 1] in BEFORE_A_TIME):
            behind = answer.figures_in(span[1], span[1] + _RANGE_REACH)
            if any(_tells_half(minutes, figure) for figure in behind):
                found.append(span)
    return found


def _tells_half(minutes: int, figure: Figure) -> bool:
    """Return True if a figure is a later time of the same half of the day."""
    key = figure.key
    is_plain_time = figure.kind is FigureKind.TIME and not figure.detail
    return is_plain_time and isinstance(key, int) and minutes < key and minutes // _HALF_DAY == key // _HALF_DAY


def _spans_of(minutes: int, answer: Answer) -> tuple[list[Span], list[Span]]:
    """Return where a time stands, and where it stands with the half of the day left open."""
    figures = answer.figures.times.get(minutes, ())
    named = answer.find((_NAMED[minutes],)) if minutes in _NAMED else ()
    plain = [figure.span for figure in figures if not figure.detail] + [answer.span(place) for place in named]
    if answer.figures.numbers:
        plain += _with_full_stop(minutes, answer)
    return plain, [figure.span for figure in figures if figure.detail]


def _with_full_stop(minutes: int, answer: Answer) -> list[Span]:
    """``at 14.30``, on the 24-hour clock."""
    hour, minute = divmod(minutes, _HOUR)
    figures = answer.figures.numbers.get(canonical_number(f"{hour}.{minute:02}"), ())
    written = (f"{hour}.{minute:02}", f"{hour:02}.{minute:02}")
    return [each.span for each in figures if answer.as_written(each.span) in written and _is_announced(each.span, answer)]


def _is_announced(span: Span, answer: Answer) -> bool:
    place = answer.place_at(span[0])
    return place > 0 and answer.words[place - 1] in BEFORE_A_TIME and answer.text[span[1] : span[1] + 2].strip(" .,;!?\n") in ("", "i")


def _range(times: Sequence[int], answer: Answer, profile: Profile) -> Evidence | None:
    start, end = (_spans_of(each, answer) for each in times[:2])
    if start[0] and end[0]:
        return _evidence_of_time("time_range", [start[0][0], end[0][0]], answer, profile)
    pair = _pair([*start[0], *start[1], *_hours(times[0], answer)], [*end[0], *end[1], *_hours(times[1], answer)], answer)
    if pair:
        return _evidence_of_time("time_range", pair, answer, profile, "; morning or afternoon is left open")
    for plain, _ in (start, end):
        if plain:
            return _evidence_of_time("one_end", plain, answer, profile, "; one end of the record's span of time")
    return None


def _hours(minutes: int, answer: Answer) -> list[Span]:
    """Return where a full hour may stand as a plain number."""
    if minutes % _HOUR:
        return []
    hour = minutes // _HOUR
    keys = {str(hour), str(hour % 12 or 12)}
    spans = [figure.span for key in keys for figure in answer.figures.numbers.get(key, ())]
    return spans + [answer.span(place, count) for key in keys for place, count in answer.number_words.get(key, ())]


def _pair(starts: Sequence[Span], ends: Sequence[Span], answer: Answer) -> list[Span]:
    """A start and an end close behind it, behind a word that announces a span of time: "from 2 to 4"."""
    for start in sorted(starts):
        place = answer.place_at(start[0])
        if place and answer.words[place - 1] in _BEFORE_A_RANGE:
            near = [end for end in ends if 0 < end[0] - start[1] <= _RANGE_REACH]
            if near:
                return [start, near[0]]
    return []


def _part_of_day(minutes: int, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """``in the morning`` beside the field's name: much less than the time."""
    parts = [part for part, (start, end) in DAY_PARTS.items() if start <= minutes < end and part in answer.places]
    labels = profile.registry.leaf_name(field.leaf).label_stems if parts else frozenset()
    for part in parts:
        for place in answer.find(("in", "the", part)):
            label = answer.label_near(labels, place, 3)
            if label:
                return _evidence_of_time("part_of_day", [answer.span(place + 2)], answer, profile, f"; {label}; only the part of the day")
    return None


def _evidence_of_time(rule: str, spans: list[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    score = profile.score(FieldType.TIME, rule)
    trace = " and ".join(describe(answer, span) for span in spans[:2]) if rule == "time_range" else describe(answer, spans[0])
    return Evidence(FieldType.TIME, rule, score, tuple(spans), trace + because)


_LONGEST_DATE = 40
_LEAP_YEAR = 2000
_GAP = 3
_GAP_WITH_ARTICLE = 6
_SHORTEST_WITH_TIME = len("3/8/26 2pm")


def match_date(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The day; with a date and time, the time's span as well."""
    text = str(value)
    written = _written_day(text)
    if written is None:
        return None
    evidence = _written(written, answer, profile)
    day = None if evidence else day_of(text)
    if day:
        evidence = (
            _relative(day, field, answer, profile)
            or (_day_of_month(day, field, answer, profile) if answer.figures.ordinals else None)
            or _weekday(day, answer, profile)
        )
    return _with_time(text, evidence, answer, profile) if evidence else None


@remembered
def day_of(value: str) -> date | None:
    """The calendar day that a value writes with its year; nothing if there is no such day."""
    day = _written_day(value)
    return date(*day) if day and day[0] else None


@remembered
def _written_day(value: str) -> Day | None:
    """Year, month and day as a value writes them first, if there is such a day; the year is 0 where it has none."""
    figures = find_figures(lower(value.strip()[:_LONGEST_DATE]))
    day = next((figure.key for figure in figures if isinstance(figure.key, tuple) and not figure.detail), None)
    return day if day and is_real(day) else None


def is_real(day: Day) -> bool:
    """Return True if the calendar has this day; without a year, in any year."""
    try:
        date(day[0] or _LEAP_YEAR, day[1], day[2])
    except ValueError:
        return False
    return True


def _written(day: Day, answer: Answer, profile: Profile) -> Evidence | None:
    dates = answer.figures.dates
    if not dates:
        return None
    year, month, in_month = day
    full = dates.get(day, ()) if year else [figure for key, same in dates.items() if key[0] and key[1:] == day[1:] for figure in same]
    for found, rule in ((full, "full_date" if year else "month_and_day"), (dates.get((0, month, in_month), ()), "month_and_day")):
        if found:
            plain = [figure.span for figure in found if not figure.detail]
            spans = plain or [figure.span for figure in found]
            return _evidence(rule if plain else "day_first", spans, answer, profile)
    return None


def _relative(day: date, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    answered_on = answer.answered_on
    if answered_on is None:
        return _unchecked(field, answer, profile) if answer.relative_days.by_distance else None
    spans = answer.relative_days.by_distance.get((day - answered_on).days)
    if not spans:
        return None
    return _evidence(
        "relative_day", spans, answer, profile, f"; the message is of {WEEKDAYS[answered_on.weekday()].title()}, {answered_on}"
    )


def _unchecked(field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """``check in tomorrow``: beside the field's name a day is told, but by the day of the message, which is not known."""
    labels = profile.registry.leaf_name(field.leaf).label_stems
    told = [span for spans in answer.relative_days.by_distance.values() for span in spans if not has_its_own_date(span, answer)]
    near = [(abs(label.distance), span, label) for span in told if (label := _label_of(span, labels, field, answer))]
    if not near:
        return None
    _, span, label = min(near, key=lambda each: each[:2])
    return _evidence("unchecked_day", [span], answer, profile, f"; {label}; the day of the message is not known")


def _label_of(span: Span, labels: frozenset[str], field: Field, answer: Answer) -> Label | None:
    """The label near a day; none where its verb has a particle that the field's name has not: "check in" is not ``check_out``."""
    place = answer.place_at(span[0])
    label = answer.label_near(labels, place, len(answer.places_in(span)))
    if label is None or label.distance > 0:
        return label
    behind = answer.words[place + label.distance + 1]
    return None if behind in PARTICLES and behind not in words_of(field.leaf) else label


def _day_of_month(day: date, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """``Sunday the 8th``, and ``the 8th`` beside the field's name."""
    figures = answer.figures.ordinals.get(str(day.day), ())
    free = [figure for figure in figures if not counts_something(figure.span, answer)]
    for figure in free:
        weekday = _weekday_before(figure, answer)
        if weekday >= 0 and answer.words[weekday] == WEEKDAYS[day.weekday()]:
            return _evidence("weekday_and_day", [(answer.starts[weekday], figure.span[1])], answer, profile)
    labels = profile.registry.leaf_name(field.leaf).label_stems
    for figure in free:
        label = answer.label_near(labels, answer.place_at(figure.span[0]), 1) if _weekday_before(figure, answer) < 0 else None
        if label:
            return _evidence("day_of_month", [figure.span], answer, profile, f"; {label}; the month is not written")
    return None


def _weekday_before(figure: Figure, answer: Answer) -> int:
    """The place of the weekday directly before a day of the month, "the" between them or not."""
    place = answer.place_at(figure.span[0]) - 1
    if place > 0 and answer.words[place] == "the":
        place -= 1
    return place if place >= 0 and answer.words[place] in WEEKDAYS else -1


def _weekday(day: date, answer: Answer, profile: Profile) -> Evidence | None:
    name = WEEKDAYS[day.weekday()]
    places = answer.places.get(name)
    if places is None:
        return None
    settled = answer.relative_days.weekdays if answer.answered_on else ()
    spans = [
        _qualified(place, answer)
        for place in answer.find((name,))
        if place not in settled and not has_its_own_date(answer.span(place), answer) and not _is_repeated(place, answer)
    ]
    return _evidence("weekday", spans, answer, profile) if spans else None


def _is_repeated(place: int, answer: Answer) -> bool:
    """Return True if a weekday is that of any week: every Friday."""
    if place > 0 and answer.words[place - 1] in BEFORE_ANY_DAY:
        return True
    return place + 1 < len(answer.words) and answer.words[place + 1] in BEHIND_ANY_DAY


def _qualified(place: int, answer: Answer) -> Span:
    """A weekday with the "next" or "this" before it."""
    begin = place
    while begin and place - begin < len(("this", "coming")) and answer.words[begin - 1] in QUALIFIERS:
        begin -= 1
    return answer.span(begin, place + 1 - begin)


def has_its_own_date(span: Span, answer: Answer) -> bool:
    """Return True if a date or a day of the month is beside a day, as in "Thursday, March 12th": then that decides."""
    start, end = span
    near = answer.figures_in(start - _LONGEST_DATE, end + _GAP_WITH_ARTICLE + 1)
    return any(
        (figure.kind is FigureKind.DATE and (0 <= figure.span[0] - end <= _GAP or 0 <= start - figure.span[1] <= _GAP))
        or (figure.kind is FigureKind.ORDINAL and figure.span[0] >= end and not counts_something(figure.span, answer))
        for figure in near
    )


def _with_time(value: str, evidence: Evidence, answer: Answer, profile: Profile) -> Evidence:
    time = match_minutes(minutes_of(value), answer, profile) if len(value) >= _SHORTEST_WITH_TIME else None
    if time is None:
        return evidence
    return Evidence(evidence.method, evidence.rule, evidence.score, evidence.spans + time.spans, f"{evidence.trace}, {time.trace}")


def _evidence(rule: str, spans: Sequence[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    score = profile.score(FieldType.DATE, rule)
    return Evidence(FieldType.DATE, rule, score, tuple(spans), describe(answer, spans[0]) + because)
