"""App configuration of the webhooks slice."""

from __future__ import annotations

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Endpoints and deliveries."""

    name = "reviewers.webhooks"
    verbose_name = "Webhooks"

    def ready(self) -> None:
        """Put a delivery into the outbox for each event and conflict that an endpoint wants, and hide its events."""
        from reviewers.ledger.hooks import event_listeners, hidden_event_checks  # noqa: PLC0415 — models are not loaded before
        from reviewers.review.hooks import conflict_listeners  # noqa: PLC0415 — as above
        from reviewers.webhooks.outbox import add_conflict, add_events  # noqa: PLC0415 — as above
        from reviewers.webhooks.queries import hidden_from  # noqa: PLC0415 — as above

        event_listeners.append(add_events)
        conflict_listeners.append(add_conflict)
        hidden_event_checks.append(hidden_from)
