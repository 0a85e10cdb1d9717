"""The Django app of the calibration slice."""

from __future__ import annotations

from django.apps import AppConfig


class CalibrationConfig(AppConfig):
    """Profiles fitted to labels, their approval and their use."""

    name = "reviewers.calibration"
    verbose_name = "Calibration"

    def ready(self) -> None:
        """Fill the hooks below: profiles of new attributions, labels of imported turns, the inbox, hidden events and verification."""
        from reviewers.calibration.combinations import ActiveProfiles  # noqa: PLC0415 — models are not loaded before
        from reviewers.calibration.labels.actions import import_with_turns  # noqa: PLC0415 — as above
        from reviewers.calibration.lifecycle.active_profiles import check_active_profiles  # noqa: PLC0415 — as above
        from reviewers.calibration.queries import PROPOSED_PROFILES  # noqa: PLC0415 — as above
        from reviewers.calibration.shadow import hidden_from  # noqa: PLC0415 — as above
        from reviewers.ledger.hooks import hidden_event_checks, verification_checks  # noqa: PLC0415 — as above
        from reviewers.review.hooks import inbox_sources  # noqa: PLC0415 — as above
        from reviewers.snapshots.hooks import label_importers, profile_choosers  # noqa: PLC0415 — as above

        inbox_sources.append(PROPOSED_PROFILES)
        profile_choosers.append(ActiveProfiles())
        label_importers.append(import_with_turns)
        hidden_event_checks.append(hidden_from)
        verification_checks.append(check_active_profiles)
