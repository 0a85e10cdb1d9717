"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Why a provider was suggested."""

    name = "reviewers.reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        """Copies of what is redacted are let go of; say what the ledger may not tell of reports."""
        from reviewers.ledger.hooks import hidden_event_checks  # noqa: PLC0415 — models are not loaded before
        from reviewers.reports.exports.actions import forget_redacted  # noqa: PLC0415 — as above
        from reviewers.reports.exports.visibility import hidden_from  # noqa: PLC0415 — as above
        from reviewers.review.hooks import add_redaction_hook  # noqa: PLC0415 — as above

        add_redaction_hook(forget_redacted)
        hidden_event_checks.append(hidden_from)
