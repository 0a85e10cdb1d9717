"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    """Frozen messages."""

    name = "reviewers.snapshots"
    verbose_name = "Snapshots"

    def ready(self) -> None:
        """Add to what the ledger verifies."""
        from reviewers.snapshots import redaction  # noqa: F401, PLC0415 — adds to verify
