"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Queue, leases, review page, labels."""

    name = "reviewers.review"
    verbose_name = "Review"

    def ready(self) -> None:
        """Listen to who signs out."""
        from reviewers.review import signouts  # noqa: F401, PLC0415 — connects its receiver
