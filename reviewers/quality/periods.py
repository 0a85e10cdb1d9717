"""Which days a page is of, and into which pieces they are cut: days, weeks or months, so that a line stays readable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from reviewers.web.moments import within_bounds

_MOST_DAYS = 45
_MOST_WEEKS = 106
_YEAR = timedelta(days=364)
_LONGEST = timedelta(days=20 * 366)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from ``since`` to ``until``, both counted."""

    since: date
    until: date

    @property
    def unit(self) -> str:
        """What a point of a line is of: a day, a week from Monday, or a month."""
        days = (self.until - self.since).days + 1
        if days <= _MOST_DAYS:
            return "day"
        return "week" if days <= 7 * _MOST_WEEKS else "month"

    def pieces(self) -> list[Period]:
        """All pieces, those without an answer too; the first and the last may be cut short."""
        pieces, first = [], self.since
        while first <= self.until:
            last = min(_last_of(first, self.unit), self.until)
            pieces.append(Period(first, last))
            first = last + timedelta(days=1)
        return pieces

    def in_words(self) -> str:
        """``2 Mar to 8 Mar 2026``."""
        if self.since == self.until:
            return _said(self.until)
        return f"{_said(self.since).removesuffix(f' {self.until.year}')} to {_said(self.until)}"


def period_of(since: date | None, until: date | None, ends: Period) -> Period:
    """The period that is asked for; otherwise the last year of those with answers. Dates the wrong way round are turned round."""
    since, until = (day and within_bounds(day) for day in (since, until))
    last = until or max(ends.until, since or ends.until)
    first = since or max(last - _YEAR, min(ends.since, last))
    first, last = min(first, last), max(first, last)
    return Period(max(first, last - _LONGEST), last)


def _said(day: date) -> str:
    return f"{day.day} {day:%b} {day.year}"


def _last_of(day: date, unit: str) -> date:
    if unit == "day":
        return day
    if unit == "week":
        return day + timedelta(days=6 - day.weekday())
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
