"""Times of the day in minutes since midnight."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.figures.kinds import Figure, FigureKind
from attribution.model import Span

HALF_DAY_OPEN = "morning or afternoon left open"
"""What a figure of a time says that leaves open which half of the day is meant."""

_HALF_DAY = 720
_FIRST_HOUR_OF_NIGHT = 5


def minutes_of_day(hour: int, minute: int, meridiem: str) -> list[int]:
    """The minutes since midnight that a clock time may mean; two where it leaves morning or afternoon open."""
    if minute > 59 or hour > 24:
        return []
    if meridiem:
        is_on_the_clock = 1 <= hour <= 12 or (hour == 0 and meridiem == "a")
        return [(hour % 12 + (12 if meridiem == "p" else 0)) * 60 + minute] if is_on_the_clock else []
    first = hour % 24 * 60 + minute
    return [first, first + _HALF_DAY] if 1 <= hour < 12 else [first, 0] if (hour, minute) == (12, 0) else [first]


def half_of_day(words: Sequence[str], hour: int) -> str:
    """``a`` or ``p`` by the words behind a time: am, p.m., in the morning, at night; empty where they do not tell."""
    if not words or words[-1] in ("clock", "oclock", "h"):
        return ""
    if words[-1] == "night":
        return "p" if _FIRST_HOUR_OF_NIGHT <= hour < _HALF_DAY // 60 else "a"
    return "a" if words[-1] == "morning" or words[-1] == "am" or words[0] == "a" else "p"


def times_at(minutes: list[int], span: Span) -> list[Figure]:
    """The figures of one written time."""
    detail = HALF_DAY_OPEN if len(minutes) > 1 else ""
    return [Figure(FigureKind.TIME, minute_of_day, span, detail) for minute_of_day in minutes]
