"""The Django app of the ledger."""

from __future__ import annotations

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """The audit events and the log that seals them."""

    name = "reviewers.ledger"
    verbose_name = "Ledger"

    def ready(self) -> None:
        """Record what accounts announce; seal events while the worker runs."""
        from reviewers.accounts.hooks import announcement_listeners  # noqa: PLC0415 — models are not loaded before
        from reviewers.ledger.actions import record_announcement  # noqa: PLC0415 — as above
        from reviewers.ledger.jobs import seal_continually  # noqa: PLC0415 — as above
        from reviewers.web.hooks import background_loops  # noqa: PLC0415 — as above

        announcement_listeners.append(record_announcement)
        background_loops.append(seal_continually)
