"""The slice's Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Queue, leases, review page, labels."""

    name = "reviewers.review"
    verbose_name = "Review"

    def ready(self) -> None:
        """Listen to who signs out; say what programs and the ledger may not tell, and of signatures; add to what the ledger verifies."""
        from reviewers.review import receivers as answering  # noqa: F401, PLC0415 — add to the API's answer and to verify
        from reviewers.review import receivers as events  # noqa: F401, PLC0415 — say so when they are read
        from reviewers.review import verification as queue_verifying  # noqa: F401, PLC0415 — adds to verify; connects its receiver
