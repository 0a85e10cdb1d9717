"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """The audit events and the log that seals them."""

    name = "reviewers.ledger"
    verbose_name = "Ledger"

    def ready(self) -> None:
        """Listen to what accounts announce; seal events where the worker runs."""
        from reviewers.ledger import actions  # noqa: F401, PLC0415 — connects its receiver
        from reviewers.ledger.jobs import seal_continually  # noqa: PLC0415 — models are not loaded while apps are
        from reviewers.web import hooks  # noqa: PLC0415 — the same

        hooks.background_loops.append(seal_continually)
