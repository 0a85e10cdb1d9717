"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """The audit events."""

    name = "reviewers.ledger"
    verbose_name = "Ledger"

    def ready(self) -> None:
        """Listen to what accounts announce."""
        from reviewers.ledger import listening  # noqa: F401, PLC0415 — connects its receiver
