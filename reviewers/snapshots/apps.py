"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    """Frozen messages."""

    name = "reviewers.snapshots"
    verbose_name = "Snapshots"
