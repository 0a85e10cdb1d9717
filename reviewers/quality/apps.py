"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    """The quality page, its counts and its alarms."""

    name = "reviewers.quality"
    verbose_name = "Quality"

    def ready(self) -> None:
        """Say how the precision of profiles is watched; add to what the ledger verifies."""
        from reviewers.quality import alarms, watches  # noqa: F401, PLC0415 — say so when they are read
