"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Why a provider was suggested."""

    name = "reviewers.reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        """Copies of what is redacted are let go of; say what the ledger may not tell of reports."""
        from reviewers.reports.exporting import withheld  # noqa: F401, PLC0415 — says so when it is read
        from reviewers.reports.exporting.forgetting import forget_redacted  # noqa: PLC0415 — models are not loaded before
        from reviewers.review.redacting.announcing import follow_redactions  # noqa: PLC0415 — the same

        follow_redactions(forget_redacted)
