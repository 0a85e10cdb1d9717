"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    """The quality page, its counts and its alarms."""

    name = "reviewers.quality"
    verbose_name = "Quality"

    def ready(self) -> None:
        """Say how the precision of profiles is watched."""
        from reviewers.quality import holding  # noqa: F401, PLC0415 — says so when it is read
