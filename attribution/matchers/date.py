"""Dates: in full, as month and day, as a weekday, and relative to the day of the message where that is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from attribution.answer import Answer
from attribution.figures import FigureKind
from attribution.lexicon import WEEKDAYS
from attribution.matchers.base import describe
from attribution.matchers.time import match_minutes, minutes_of
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.remembering import remembered

_VALUE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_LONGEST_DATE = 40
_GAP = 3
_RELATIVE_DAYS = {
    ("the", "day", "after", "tomorrow"): 2,
    ("day", "after", "tomorrow"): 2,
    ("tomorrow",): 1,
    ("today",): 0,
    ("tonight",): 0,
    ("yesterday",): -1,
}


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
    """The day; with a date and time, the time's span as well."""
    day = day_of(str(value))
    if day is None:
        return None
    evidence = _written(day, answer, profile) or _relative(day, answer, profile) or _weekday(day, answer, profile)
    return _with_time(str(value), evidence, answer, profile)


@remembered
def day_of(value: str) -> date | None:
    """The calendar day at the start of an ISO date; nothing if there is no such day."""
    found = _VALUE.match(value.strip())
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _written(day: date, answer: Answer, profile: Profile) -> Evidence | None:
    figures = answer.figures.dates
    full = figures.get((day.year, day.month, day.day), ())
    partial = figures.get((0, day.month, day.day), ())
    for found, rule in ((full, "full_date"), (partial, "month_and_day")):
        if found:
            plain = [figure.span for figure in found if not figure.detail]
            spans = plain or [figure.span for figure in found]
            return _evidence(rule if plain else "day_first", spans, answer, profile)
    return None


def _relative(day: date, answer: Answer, profile: Profile) -> Evidence | None:
    answered_on = answer.answered_on
    if answered_on is None:
        return None
    for words, spans in _relative_spans(answer):
        if (day - answered_on).days == _RELATIVE_DAYS[words]:
            return _evidence("relative_day", spans, answer, profile, f"; the message is of {answered_on.isoformat()}")
    return None


def _relative_spans(answer: Answer) -> list[tuple[tuple[str, ...], list[Span]]]:
    """The relative days of an answer, the longest phrase first; "tomorrow" is not looked for inside "day after tomorrow"."""
    taken: set[int] = set()
    found: list[tuple[tuple[str, ...], list[Span]]] = []
    for words in _RELATIVE_DAYS:
        places = [place for place in answer.find(words) if place + len(words) - 1 not in taken]
        taken.update(place + len(words) - 1 for place in places)
        if places:
            found.append((words, [answer.span(place, len(words)) for place in places]))
    return found


def _weekday(day: date, answer: Answer, profile: Profile) -> Evidence | None:
    name = WEEKDAYS[day.weekday()]
    places = [place for place in answer.find((name,)) if not _has_its_own_date(place, answer)]
    return _evidence("weekday", [answer.span(place) for place in places], answer, profile) if places else None


def _has_its_own_date(place: int, answer: Answer) -> bool:
    """Whether a date stands beside a weekday, as in "Thursday, March 12th": then the date decides."""
    start, end = answer.span(place)
    near = answer.figures_in(start - _LONGEST_DATE, end + _GAP + 1)
    return any(
        figure.kind is FigureKind.DATE and (0 <= figure.span[0] - end <= _GAP or 0 <= start - figure.span[1] <= _GAP) for figure in near
    )


def _with_time(value: str, evidence: Evidence | None, answer: Answer, profile: Profile) -> Evidence | None:
    time = match_minutes(minutes_of(value), answer, profile) if evidence and len(value) > len("2026-03-08") else None
    if evidence is None or time is None:
        return evidence
    return Evidence(evidence.method, evidence.rule, evidence.score, evidence.spans + time.spans, f"{evidence.trace}, {time.trace}")


def _evidence(rule: str, spans: Sequence[Span], answer: Answer, profile: Profile, because: str = "") -> Evidence:
    score = profile.score(FieldType.DATE, rule)
    return Evidence(FieldType.DATE, rule, score, tuple(spans), describe(answer, spans[0]) + because)
