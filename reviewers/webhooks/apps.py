"""App configuration of the webhooks slice."""

from __future__ import annotations

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Endpoints and deliveries."""

    name = "reviewers.webhooks"
    verbose_name = "Webhooks"

    def ready(self) -> None:
        """Put a delivery into the outbox for each event, conflict and contradiction that an endpoint wants, and hide its events."""
        from reviewers.ledger import hooks  # noqa: PLC0415 — models are not loaded before
        from reviewers.review.hooks import conflict_listeners  # noqa: PLC0415 — as above
        from reviewers.snapshots.hooks import contradiction_listeners  # noqa: PLC0415 — as above
        from reviewers.webhooks import outbox  # noqa: PLC0415 — as above
        from reviewers.webhooks.queries import hidden_from  # noqa: PLC0415 — as above

        hooks.event_listeners.append(outbox.add_events)
        conflict_listeners.append(outbox.add_conflict)
        contradiction_listeners.append(outbox.add_contradictions)
        hooks.hidden_event_checks.append(hidden_from)
        hooks.rows_without_event["webhooks_delivery"] = outbox.NOT_TRIED
        hooks.verification_checks.append(outbox.check_waiting)
