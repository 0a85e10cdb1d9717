"""Clock times: 14:00, 2 pm, half past two, noon; from when to when; a part of the day at least."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from attribution.answer import Answer
from attribution.figures import Figure, FigureKind, canonical_number, minutes_of_day
from attribution.lexicon.words import BEFORE_A_TIME, DAY_PARTS
from attribution.matchers.base import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered

_VALUE = re.compile(r"(?<![\d:.])(\d{1,2})(?:(?::(\d\d)(?::\d\d)?)?\s?([ap])\.?m\b|:(\d\d)(?::\d\d)?)", re.ASCII)
_DAY_BEFORE = re.compile(r"\d{4}-\d\d-\d\d[t ]", re.ASCII)
"""Behind such a day stands one time; a second would be that of its time zone."""
_FIRST_HOUR = re.compile(r"\s*(\d{1,2})\s?(?:[-–—]|to|until)", re.ASCII)
_NAMED = {720: "noon", 0: "midnight"}
_HOUR = 60
_HALF_DAY = 720
_RANGE_REACH = 12
_BEFORE_A_RANGE = frozenset({"from", "between", "open", "opens", "hours"})


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The same minute of the day; of a span of time both ends, else one."""
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
        return _evidence("clock_time", plain, answer, profile)
    if left_open:
        return _evidence("open_half_day", left_open, answer, profile, "; morning or afternoon is left open")
    shared = _with_half_behind(minutes, answer) if answer.figures.times else []
    return _evidence("open_half_day", shared, answer, profile, "; the time behind it tells the half of the day") if shared else None


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
        return _evidence("time_range", [start[0][0], end[0][0]], answer, profile)
    pair = _pair([*start[0], *start[1], *_hours(times[0], answer)], [*end[0], *end[1], *_hours(times[1], answer)], answer)
    if pair:
        return _evidence("time_range", pair, answer, profile, "; morning or afternoon is left open")
    for plain, _ in (start, end):
        if plain:
            return _evidence("one_end", plain, answer, profile, "; one end of the record's span of time")
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
                return _evidence("part_of_day", [answer.span(place + 2)], answer, profile, f"; {label}; only the part of the day")
    return None


def _evidence(rule: str, spans: list[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    score = profile.score(FieldType.TIME, rule)
    trace = " and ".join(describe(answer, span) for span in spans[:2]) if rule == "time_range" else describe(answer, spans[0])
    return Evidence(FieldType.TIME, rule, score, tuple(spans), trace + because)
