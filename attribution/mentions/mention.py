"""A mention: something in the answer that could be a field's value, whatever the record says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attribution.model import Span, Word


class MentionKind(Word):
    """The kind of value that a mention is read as."""

    NUMBER = "number"
    PERCENT = "percent"
    MONEY = "money"
    RATIO = "ratio"
    DURATION = "duration"
    RATE = "rate"
    DATE = "date"
    TIME = "time"
    WEEKDAY = "weekday"
    CODE = "code"
    VALUE = "value"


class Mention:
    """A mention with its place: words ``first`` up to ``last``, exclusive.

    ``values`` are its canonical readings, more than one where the writing leaves it open. ``unit`` is what it measures or the class
    it belongs to. ``end`` is "low" or "high" in a range. ``is_loose``: a bound or an approximation, which states no exact value.
    ``bound`` is "above" or "below" where it is said to be more or less than the figure, "near" where it is said to be about as much.
    ``counted``: a word behind it says what is counted. ``follows`` is another mention that says what this one is about: the date
    before a time, the withdrawn amount before the right one. ``second`` is the other figure of a pair: 80 of 120/80.
    ``period`` is what an amount is paid or counted for: an hour, a month; ``count`` the number of a quantity as it is written.
    """

    __slots__ = (
        "bound",
        "count",
        "counted",
        "end",
        "first",
        "follows",
        "is_loose",
        "kind",
        "last",
        "other_end",
        "period",
        "second",
        "span",
        "unit",
        "values",
    )

    def __init__(self, kind: MentionKind, values: tuple[Any, ...], first: int, last: int, span: Span, unit: str = "") -> None:
        self.kind = kind
        self.values = values
        self.first = first
        self.last = last
        self.span = span
        self.unit = unit
        self.counted = False
        self.end = ""
        self.other_end: Mention | None = None
        self.is_loose = False
        self.bound = ""
        self.follows: Mention | None = None
        self.second: Fraction | None = None
        self.period = ""
        self.count: Fraction | None = None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.values} {self.unit} {self.span}>"
