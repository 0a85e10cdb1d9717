"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class CalibrationConfig(AppConfig):
    """What labels make of scores."""

    name = "reviewers.calibration"
    verbose_name = "Calibration"

    def ready(self) -> None:
        """Say under which profile records are attributed; add to what the ledger verifies."""
        from reviewers.calibration import combinations, verification  # noqa: F401, PLC0415 — say so when they are read
