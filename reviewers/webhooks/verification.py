"""Verification of deliveries: one that was tried is told of by the events of its attempts, and any other waits to be sent."""

from __future__ import annotations

from uuid import UUID

from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.webhooks.models import Delivery

NOT_TRIED = "NOT EXISTS (SELECT FROM webhooks_attempt WHERE delivery_id = webhooks_delivery.id)"
"""The condition in SQL for the deliveries that no event tells of yet."""


def check_waiting(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` for a delivery that was never tried and does not wait to be sent."""
    lost = Delivery.objects.filter(organisation=organisation_id, attempts=None, due=None).order_by("pk").first()
    if lost:
        raise LedgerMismatch(Delivery, lost.pk, "was never tried, and does not wait to be sent")
