"""Days on which something ends."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.utils import timezone


def last_day(until: datetime | None) -> date | None:
    """Return the day at whose end ``until`` is, or None if there is no such moment."""
    return timezone.localdate(until - timedelta(microseconds=1)) if until else None
