"""The Django app of the snapshots slice."""

from __future__ import annotations

from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    """Frozen turns and their attributions."""

    name = "reviewers.snapshots"
    verbose_name = "Snapshots"

    def ready(self) -> None:
        """Have the ledger's verification check redacted snapshots, and the worker know the jobs of traces."""
        import reviewers.snapshots.otlp.jobs  # noqa: F401, PLC0415 — ingest imports the slice's own jobs, so that they cannot import these
        from reviewers.ledger.hooks import verification_checks  # noqa: PLC0415 — models are not loaded before
        from reviewers.snapshots.redaction import check_derived  # noqa: PLC0415 — as above

        verification_checks.append(check_derived)
