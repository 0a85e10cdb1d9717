"""App configuration of the quality slice."""

from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    """The quality page, its counts and its alarms."""

    name = "reviewers.quality"
    verbose_name = "Quality"

    def ready(self) -> None:
        """Monitor the precision of profiles; have the ledger's verification check the count of open alarms."""
        from reviewers.calibration.hooks import precision_alarms, precision_statuses  # noqa: PLC0415 — models are not loaded before
        from reviewers.ledger.hooks import verification_checks  # noqa: PLC0415 — as above
        from reviewers.quality.alarms import check_open_alarms  # noqa: PLC0415 — as above
        from reviewers.quality.watches import precision_alarms_on, precision_status_of  # noqa: PLC0415 — as above

        precision_statuses.append(precision_status_of)
        precision_alarms.append(precision_alarms_on)
        verification_checks.append(check_open_alarms)
