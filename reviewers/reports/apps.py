"""App configuration of the reports slice."""

from __future__ import annotations

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Suggestions and exports."""

    name = "reviewers.reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        """Delete copies of what is redacted, hide the events of exports from blind reviewers, and verify search words and stored files."""
        from reviewers.ledger.hooks import hidden_event_checks, verification_checks  # noqa: PLC0415 — models are not loaded before
        from reviewers.reports.exports.actions import forget_redacted  # noqa: PLC0415 — as above
        from reviewers.reports.exports.bundle.writer import check_bundles  # noqa: PLC0415 — as above
        from reviewers.reports.exports.chunks import check_report_files  # noqa: PLC0415 — as above
        from reviewers.reports.exports.policies import hidden_from  # noqa: PLC0415 — as above
        from reviewers.reports.why.queries import check_names  # noqa: PLC0415 — as above
        from reviewers.review.hooks import redaction_hooks  # noqa: PLC0415 — as above

        redaction_hooks.append(forget_redacted)
        hidden_event_checks.append(hidden_from)
        verification_checks += [check_names, check_report_files, check_bundles]
