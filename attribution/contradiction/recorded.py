"""What a field records, to be compared with figures of its kind: the figures that say the same."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from attribution.contradiction.turn import Turn
from attribution.figures import Figure, FigureKind
from attribution.matchers.date import day_of
from attribution.matchers.money import amounts_of
from attribution.matchers.time import minutes_of
from attribution.model import Field, FieldType
from attribution.numbers import as_percentage, canonical_value

_MOST_ROWS = 200
_SHORTEST_CODE = 5
_MOST_OF_A_SCALE = 10.0


class Recorded(NamedTuple):
    """The kind of figure that states a field, the keys that state its own value, and for amounts the ends between which it lies."""

    kind: FigureKind
    keys: frozenset[object]
    low: float = 0.0
    high: float = 0.0

    def agrees(self, figure: Figure) -> bool:
        """Whether a figure says what is recorded."""
        if figure.key in self.keys:
            return True
        return self.kind is FigureKind.MONEY and self.low <= float(str(figure.key)) <= self.high


def recorded_in(field: Field) -> Recorded | None:
    """Nothing for fields that no figure states."""
    reader = _READERS.get(field.type)
    return reader(field.value) if reader else None


def is_comparable(figure: Figure, recorded: Recorded) -> bool:
    """Whether a figure could state a field at all."""
    if recorded.kind is FigureKind.PERCENT:
        return figure.kind is FigureKind.PERCENT or (figure.kind is FigureKind.NUMBER and str(figure.key).startswith("0."))
    return figure.kind is recorded.kind


def _date(value: object) -> Recorded | None:
    day = day_of(str(value))
    keys: list[object] = [(0, day.month, day.day), (day.year, day.month, day.day)] if day else []
    return Recorded(FigureKind.DATE, frozenset(keys)) if day else None


def _time(value: object) -> Recorded | None:
    minutes = minutes_of(str(value))
    return Recorded(FigureKind.TIME, frozenset([minutes])) if minutes is not None else None


def _money(value: object) -> Recorded | None:
    amounts = amounts_of(value)
    if not amounts:
        return None
    numbers = list(map(float, amounts))
    return Recorded(FigureKind.MONEY, frozenset(amounts), min(numbers), max(numbers))


def _numeric(value: object) -> Recorded | None:
    key = canonical_value(value)
    if key is None:
        return None
    if key.startswith("0."):
        return Recorded(FigureKind.PERCENT, frozenset([key, as_percentage(key)]))
    return Recorded(FigureKind.NUMBER, frozenset([key]))


def _code(value: object) -> Recorded | None:
    digits = "".join([each for each in str(value) if each.isdecimal()])
    return Recorded(FigureKind.DIGITS, frozenset([digits, digits[-10:]])) if len(digits) >= _SHORTEST_CODE else None


_READERS = {
    FieldType.DATE: _date,
    FieldType.TIME: _time,
    FieldType.MONEY: _money,
    FieldType.NUMERIC: _numeric,
    FieldType.IDENTIFIER: _code,
}


class Candidate(NamedTuple):
    """A row that figures may state."""

    number: int
    recorded: Recorded


def candidates_of(numbers: Iterable[int], turn: Turn) -> list[Candidate]:
    """Of these rows the ones whose values figures state; of very many only the first, which keeps hostile records linear."""
    return [Candidate(number, recorded) for number in islice(numbers, _MOST_ROWS) if (recorded := recorded_in(turn.rows[number].field))]


def readings_of(figure: Figure, turn: Turn) -> list[Figure]:
    """All that a figure may be read as."""
    return turn.answer.figures_in(figure.span[0], figure.span[0] + 1)
