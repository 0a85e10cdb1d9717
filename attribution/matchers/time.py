"""Clock times: 14:00, 2 pm, 2:00 p.m., noon."""

from __future__ import annotations

import re
from typing import Any

from attribution.answer import Answer
from attribution.figures import minutes_of_day
from attribution.matchers.base import describe
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered

_VALUE = re.compile(r"(\d{1,2}):(\d\d)(?::\d\d)?(?:\s?([ap])\.?m\.?)?", re.ASCII)
_NAMED = {720: "noon", 0: "midnight"}


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The same minute of the day."""
    return match_minutes(minutes_of(str(value)), answer, profile)


@remembered
def minutes_of(value: str) -> int | None:
    """The minute of the day that a field holds; without am or pm it is on the 24-hour clock."""
    found = _VALUE.search(value.lower())
    if found is None:
        return None
    hour, minute, meridiem = int(found[1]), int(found[2]), found[3] or ""
    readings = minutes_of_day(hour, minute, meridiem)
    return readings[0] if readings else None


def match_minutes(minutes: int | None, answer: Answer, profile: Profile) -> Evidence | None:
    """Evidence for a minute of the day."""
    if minutes is None:
        return None
    figures = answer.figures.times.get(minutes, ())
    named = answer.find((_NAMED[minutes],)) if minutes in _NAMED else ()
    plain = [figure.span for figure in figures if not figure.detail] + [answer.span(place) for place in named]
    if plain:
        return _evidence("clock_time", plain, answer, profile)
    open_ended = [figure.span for figure in figures]
    return _evidence("open_half_day", open_ended, answer, profile, "; morning or afternoon is left open") if open_ended else None


def _evidence(rule: str, spans: list[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    score = profile.score(FieldType.TIME, rule)
    return Evidence(FieldType.TIME, rule, score, tuple(spans), describe(answer, spans[0]) + because)
