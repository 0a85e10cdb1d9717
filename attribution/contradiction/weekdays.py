"""Weekdays that are not those of any date of the record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from attribution.contradiction.quantities import assigned
from attribution.contradiction.recorded import candidates_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.turn import Turn
from attribution.figures import Figure, FigureKind
from attribution.lexicon import BEFORE_ANY_DAY, WEEKDAYS
from attribution.matchers.date import day_of
from attribution.model import FieldType

_LONGEST_DATE = 40
_GAP = 3


def weekdays(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another weekday than a date's beside it, or than the day of the field that is meant. Several are opening hours rather."""
    dated = candidates_of(turn.of(FieldType.DATE), turn)
    days = {day.weekday() for each in dated if (day := _day(each.number, turn))}
    unknown = [place for place in _places(turn) if _weekday(place, turn) not in days and not _is_said_elsewhere(place, turn)]
    if len(unknown) != 1 or not dated:
        return
    place = unknown[0]
    beside = _dates_beside(place, turn)
    if not beside:
        yield from assigned(Figure(FigureKind.DATE, (0, 0, _weekday(place, turn)), turn.answer.span(place)), dated, turn)
    for each in dated:
        if any(each.recorded.agrees(figure) for figure in beside):
            span = turn.answer.span(place)
            day = _day(each.number, turn)
            yield each.number, Rival(turn.answer.as_written(span), span, f"that day is a {WEEKDAYS[day.weekday()].title()}" if day else "")


def _places(turn: Turn) -> list[int]:
    """The weekdays of the answer that no evidence covers."""
    answer = turn.answer
    places = sorted([place for name in WEEKDAYS for place in answer.places.get(name, ())[:8]])
    return [each for each in places if not turn.covers(answer.starts[each]) and not (each and answer.words[each - 1] in BEFORE_ANY_DAY)]


def _weekday(place: int, turn: Turn) -> int:
    return WEEKDAYS.index(turn.answer.words[place])


def _is_said_elsewhere(place: int, turn: Turn) -> bool:
    return turn.knows(turn.answer.words[place])


def _day(number: int, turn: Turn) -> date | None:
    return day_of(str(turn.rows[number].field.value))


def _dates_beside(place: int, turn: Turn) -> list[Figure]:
    """The dates directly before or behind a weekday."""
    start, end = turn.answer.span(place)
    near = turn.answer.figures_in(start - _LONGEST_DATE, end + _GAP + 1)
    return [
        each for each in near if each.kind is FigureKind.DATE and (0 <= each.span[0] - end <= _GAP or 0 <= start - each.span[1] <= _GAP)
    ]
