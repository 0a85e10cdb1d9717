"""The day of a date as sources write it, by which they are old."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_ISO = re.compile(r"\s*([0-9]{4})(?:([-/.]?)([0-9]{1,2})(?:\2([0-9]{1,2}))?)?(?![0-9])")
_NUMBERS = re.compile(r"(?<![0-9])([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})(?![0-9])")
_MONTH_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_ORDINAL = r"([0-9]{1,2})(?:st|nd|rd|th)?"
_IN_WORDS = re.compile(
    rf"(?<![a-z0-9])(?:{_ORDINAL}[ ]+(?:of[ ]+)?)?{_MONTH_NAME}(?:[ ]+{_ORDINAL}(?=[, ]))?,?[ ]+([0-9]{{4}})(?![0-9])", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})(?![0-9])")
_EPOCH = re.compile(r"\s*([0-9]{9,10}|[0-9]{12,13})(?:\.[0-9]+)?\s*\Z")
_MILLISECONDS = 11
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = 12
_LONGEST = 200


def day_of(written: str) -> date | None:
    """Return a whole day, or the last day of a year or month; nothing for what is none.

    Where day and month cannot be told apart, the later day counts: a source is not called older than it is. Long figures are seconds or
    milliseconds since 1970.
    """
    text = written[:_LONGEST]
    if epoch := _EPOCH.match(text):
        seconds = int(epoch[1]) // (1000 if len(epoch[1]) > _MILLISECONDS else 1)
        return datetime.fromtimestamp(seconds, UTC).date()
    if begun := _ISO.match(text):
        return _day(int(begun[1]), int(begun[3] or 0), int(begun[4] or 0))
    if found := _NUMBERS.search(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        days = [_day(year, month, day) for month, day in ((first, second), (second, first)) if 1 <= month <= _MONTHS]
        return max([day for day in days if day], default=_day(year, 0, 0))
    if named := _IN_WORDS.search(text):
        return _day(int(named[4]), _NAMES.index(named[2].lower()) + 1, int(named[1] or named[3] or 0))
    alone = _YEAR.search(text)
    return _day(int(alone[1]), 0, 0) if alone else None


def _day(year: int, month: int, day: int) -> date | None:
    if not year:
        return None
    if not 1 <= month <= _MONTHS:
        month, day = _MONTHS, 0
    last = (date(year, month + 1, 1) - timedelta(days=1)).day if month < _MONTHS else 31
    return date(year, month, day if 1 <= day <= last else last)
