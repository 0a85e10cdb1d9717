"""Days as they come in, and as moments in the site's time zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

_FIRST, _LAST = date(1900, 1, 1), date(9000, 1, 1)
"""Days before and after these are taken for them: the calendar's own ends cannot be moved to another time zone."""


class DayField(forms.DateField):
    """A day that can be counted on from, in every time zone: of a form or an address."""

    def to_python(self, value: Any) -> date | None:
        """Return the day, moved between the first and the last that are counted with."""
        day = super().to_python(value)
        return within_bounds(day) if day else None


def within_bounds(day: date) -> date:
    """Return the day, or the first or last one that can be counted on from where it lies beyond these."""
    return min(max(day, _FIRST), _LAST)


def start_of_day(day: date) -> datetime:
    """The first moment of a day."""
    return timezone.make_aware(datetime.combine(within_bounds(day), time.min))


def end_of_day(day: date) -> datetime:
    """The first moment after it."""
    return timezone.make_aware(datetime.combine(within_bounds(day) + timedelta(days=1), time.min))
