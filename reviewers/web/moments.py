"""Days as moments, in the site's time zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from django.utils import timezone

_FIRST, _LAST = date(1900, 1, 1), date(9000, 1, 1)
"""Days before and after these are taken for them: the calendar's own ends cannot be moved to another time zone."""


def day_begins(day: date) -> datetime:
    """The first moment of a day."""
    return timezone.make_aware(datetime.combine(min(max(day, _FIRST), _LAST), time.min))


def day_ends(day: date) -> datetime:
    """The first moment after it."""
    return day_begins(min(day, _LAST) + timedelta(days=1))
