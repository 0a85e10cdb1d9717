"""The kinds of figures, and the tables that figures are looked up in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from attribution.model import Span, Word

MOST_PLACES = 64
"""How many places of one thing are looked at and shown: keeps hostile repetition linear."""

Day = tuple[int, int, int]
"""Year, month, day; the year is 0 where it is not written."""


class FigureKind(Word):
    """The kind of a figure."""

    DATE = "date"
    TIME = "time"
    DIGITS = "digits"
    MONEY = "money"
    PERCENT = "percent"
    ORDINAL = "ordinal"
    NUMBER = "number"


class Figure(NamedTuple):
    """A figure and its place. ``key`` by kind: a day, minutes of the day, digits, or a canonical number."""

    kind: FigureKind
    key: str | int | Day
    span: Span
    detail: str = ""


_TABLES = {
    FigureKind.NUMBER: "numbers",
    FigureKind.PERCENT: "percents",
    FigureKind.MONEY: "amounts",
    FigureKind.ORDINAL: "ordinals",
    FigureKind.DIGITS: "digits",
    FigureKind.DATE: "dates",
    FigureKind.TIME: "times",
}


class Figures:
    """The figures of an answer, each kind by key. ``all`` keeps their order, ``starts`` are their first offsets."""

    __slots__ = ("all", "amounts", "dates", "digits", "numbers", "ordinals", "percents", "starts", "times")

    def __init__(self, figures: list[Figure]) -> None:
        self.all = figures
        self.starts = [figure.span[0] for figure in figures]
        self.numbers: dict[str, list[Figure]] = {}
        self.percents: dict[str, list[Figure]] = {}
        self.amounts: dict[str, list[Figure]] = {}
        self.ordinals: dict[str, list[Figure]] = {}
        self.digits: dict[str, list[Figure]] = {}
        self.dates: dict[Day, list[Figure]] = {}
        self.times: dict[int, list[Figure]] = {}
        for figure in figures:
            same = getattr(self, _TABLES[figure.kind]).setdefault(figure.key, [])
            if len(same) < MOST_PLACES:
                same.append(figure)


def merged(figures: Iterable[Figure], spoken: Iterable[Figure]) -> list[Figure]:
    """Both in the order of the text; what is written inside a spoken figure is part of it and no figure of its own."""
    wider = sorted(spoken, key=_by_place)
    kept: list[Figure] = list(wider)
    position = 0
    for figure in figures:
        while position < len(wider) and wider[position].span[1] <= figure.span[0]:
            position += 1
        if position == len(wider) or figure.span[0] < wider[position].span[0]:
            kept.append(figure)
    return sorted(kept, key=_by_place)


def _by_place(figure: Figure) -> int:
    return figure.span[0]
