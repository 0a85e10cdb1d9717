"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    """The quality page, its counts and its alarms."""

    name = "reviewers.quality"
    verbose_name = "Quality"
