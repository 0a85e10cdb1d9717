"""Read the ledger's content from the bodies of events, which are authoritative."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Organisation
from reviewers.accounts.queries import list_organisation_ids
from reviewers.ledger.models import AuditEvent
from reviewers.web.tenancy import tenant


def events(action: str = "") -> list[dict[str, Any]]:
    """The bodies of all events, or of one kind, in the order in which they were written."""
    bodies = [body for organisation_id in list_organisation_ids() for body in _bodies(organisation_id)]
    return [body for body in sorted(bodies, key=lambda body: body["id"]) if action in ("", body["action"])]


def events_of(organisation_id: UUID) -> list[dict[str, Any]]:
    """The bodies of the events of one organisation, in the order in which they were written."""
    return sorted(_bodies(organisation_id), key=lambda body: body["id"])


def _bodies(organisation_id: UUID) -> list[dict[str, Any]]:
    with tenant.within(organisation_id):
        return [json.loads(bytes(body)) for body in AuditEvent.objects.values_list("body", flat=True)]


def actions_of(bodies: list[dict[str, Any]]) -> list[str]:
    """Return the actions in order."""
    return [body["action"] for body in bodies]


def last_event(organisation: Organisation) -> UUID:
    """The identifier of an organisation's last event."""
    with tenant.within(organisation.pk):
        return AuditEvent.objects.filter(organisation_id=organisation.pk).latest("id").pk
