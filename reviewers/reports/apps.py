"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Why a provider was suggested."""

    name = "reviewers.reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        """Copies of what is redacted are let go of; say what the ledger may not tell of reports."""
        from reviewers.reports.exports import visibility  # noqa: F401, PLC0415 — says so when it is read
        from reviewers.reports.exports.actions import forget_redacted  # noqa: PLC0415 — models are not loaded before
        from reviewers.review.hooks import add_redaction_hook  # noqa: PLC0415 — the same

        add_redaction_hook(forget_redacted)
