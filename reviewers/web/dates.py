"""Days in forms and addresses, and as moments in the site's time zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone

_FIRST, _LAST = date(1900, 1, 1), date(9000, 1, 1)
"""The first and last day in use; others are moved to these. The calendar's own ends cannot be moved to another time zone."""


class DayField(forms.DateField):
    """A form field for a day within the bounds."""

    def to_python(self, value: Any) -> date | None:
        """Return the day, moved to within the bounds."""
        day = super().to_python(value)
        return within_bounds(day) if day else None


def within_bounds(day: date) -> date:
    """Return the day, or the nearest one within the bounds."""
    return min(max(day, _FIRST), _LAST)


def start_of_day(day: date) -> datetime:
    """Return the first moment of a day."""
    return timezone.make_aware(datetime.combine(within_bounds(day), time.min))


def end_of_day(day: date) -> datetime:
    """Return the first moment after a day."""
    return timezone.make_aware(datetime.combine(within_bounds(day) + timedelta(days=1), time.min))
