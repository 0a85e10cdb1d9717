"""Rules on endpoints and deliveries in their state, for anybody."""

from __future__ import annotations

from uuid import UUID

from reviewers.accounts.policies import Refused
from reviewers.webhooks.models import Delivery, DueDelivery, Endpoint

MOST_ENDPOINTS = 20


def check_can_be_added(organisation_id: UUID) -> None:
    """Refuse another endpoint while there are very many: each costs a message for everything that happens."""
    if Endpoint.objects.filter(organisation=organisation_id).count() >= MOST_ENDPOINTS:
        raise Refused(f"There are {MOST_ENDPOINTS} endpoints already, which is the most.")


def check_can_be_sent_again(delivery: Delivery) -> None:
    """Refuse to send a delivery again that is still to be sent, or whose endpoint is off."""
    if delivery.endpoint.off_reason:
        raise Refused("The endpoint is off. Switch it on first; what waits is sent then.")
    if DueDelivery.objects.filter(pk=delivery.pk).exists():
        raise Refused("This delivery waits to be sent already.")
