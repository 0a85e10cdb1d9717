"""Dates: in full, as month and day, as a weekday, and relative to the day of the message where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from attribution.answer import Answer, Label
from attribution.figures import Day, Figure, FigureKind, find_figures
from attribution.lexicon.words import BEFORE_ANY_DAY, BEHIND_ANY_DAY, PARTICLES, WEEKDAYS
from attribution.matchers.base import describe
from attribution.matchers.numeric import counts_something
from attribution.matchers.time import match_minutes, minutes_of
from attribution.model import Evidence, Field, FieldType, Span
from attribution.profile import Profile
from attribution.relative_days import QUALIFIERS
from attribution.remembering import remembered
from attribution.text import lower, words_of

_LONGEST_DATE = 40
_LEAP_YEAR = 2000
_GAP = 3
_GAP_WITH_ARTICLE = 6
_SHORTEST_WITH_TIME = len("3/8/26 2pm")


def match(value: Any, field: Field, answer: Answer, profile: Profile) -> Evidence | None:
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
    return day if day and _is_real(day) else None


def _is_real(day: Day) -> bool:
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
    """Return True if a date or a day of the month stands beside a day, as in "Thursday, March 12th": then that decides."""
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
