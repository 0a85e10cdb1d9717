"""Moments as reports write them."""

from __future__ import annotations

from datetime import UTC, datetime


def written(moment: datetime) -> str:
    """``2026-03-04T01:42:08.000000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
