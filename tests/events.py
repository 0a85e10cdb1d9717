"""What the ledger holds, read out of the bodies of events, which are the truth."""

from __future__ import annotations

import json
from typing import Any

from reviewers.ledger.models import AuditEvent


def events(action: str = "") -> list[dict[str, Any]]:
    """The bodies of all events, or of one kind, in the order in which they were written."""
    bodies = [json.loads(bytes(body)) for body in AuditEvent.objects.order_by("id").values_list("body", flat=True)]
    return [body for body in bodies if action in ("", body["action"])]


def actions_of(bodies: list[dict[str, Any]]) -> list[str]:
    """What was done, in order."""
    return [body["action"] for body in bodies]
