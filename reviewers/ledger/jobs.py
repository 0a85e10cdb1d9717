"""What the worker does for the ledger when somebody asks for it."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from procrastinate.contrib.django import app

from reviewers.ledger.checking import check


@app.task
def verify_ledger(organisation_id: str) -> None:
    """Verify an organisation's ledger and keep what came out."""
    check(organisation_id=UUID(organisation_id), begun_at=timezone.now())
