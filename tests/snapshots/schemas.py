"""Schemas for tests: uploaded, proposed by one lead and approved by another."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from reviewers.accounts.models import Membership, Organisation
from reviewers.snapshots.models import Schema
from reviewers.snapshots.versions import actions
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.web.tenancy import tenant
from tests.factories import NOW, make_member

FIELDS: dict[str, Any] = {
    "risk_level": {"type": "enum", "label": "risk", "values": ["low", "elevated"], "ordered": True},
    "next-visit": {"type": "date"},
}


def schema_text(version: str = "2026-03", *, name: str = "safety", fields: dict[str, Any] | None = None, **more: Any) -> str:
    section = {"name": name, "prefix": "SF", "title": "Safety", "fields": FIELDS if fields is None else fields}
    return json.dumps({"schema_version": version, "sections": [section], **more})


def upload(lead: Membership, text: str = "") -> Schema:
    with tenant.within(lead.organisation_id):
        return actions.write(SCHEMAS, content=(text or schema_text()).encode(), by=lead, now=NOW)[0]


def make_schema(organisation: Organisation, text: str = "", *, is_proposed: bool = True) -> Schema:
    """A schema that one lead uploaded, and proposed."""
    lead = make_member(organisation, "lead")
    schema = upload(lead, text)
    if is_proposed:
        with tenant.within(organisation.pk):
            actions.propose(SCHEMAS, version_id=schema.pk, by=lead, now=NOW)
    return schema


def approve_schema(organisation: Organisation, text: str = "", *, hours: int = 1) -> Schema:
    """A schema in use."""
    schema = make_schema(organisation, text)
    with tenant.within(organisation.pk):
        actions.approve(SCHEMAS, version_id=schema.pk, by=make_member(organisation, "lead"), now=NOW + timedelta(hours=hours))
    return schema
