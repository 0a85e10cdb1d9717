"""Days in forms and addresses, and as moments in the site's time zone; and keys of pages, which begin with a moment."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

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


PageKey = tuple[datetime, UUID]
"""Moment and identifier of the row that a page begins after or ends before."""


def read_page_key(key: str) -> PageKey | None:
    """Return the page key in a link, or None for the first page if it is invalid, such as a moment outside the calendar in UTC."""
    moment, _, pk = key.partition("~")
    try:
        parsed = datetime.fromisoformat(moment)
        return (parsed.astimezone(UTC), UUID(pk)) if parsed.tzinfo else None
    except (ValueError, OverflowError):
        return None
