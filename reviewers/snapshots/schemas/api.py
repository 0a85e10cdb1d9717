"""Endpoints of the API for schemas: a program uploads a version, and reads which ones there are and what they hold."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.responses import Status

from reviewers.accounts.models import Scope
from reviewers.accounts.service_keys import KeyWithScope
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.schemas.kind import SCHEMAS
from reviewers.snapshots.versions.api import REFUSALS, Moment, common, key_holder, read, receive
from reviewers.snapshots.versions.queries import VersionRow, list_versions, read_text

EXAMPLE: dict[str, Any] = {
    "schema_version": "2026-03",
    "sections": [
        {
            "name": "care_plan",
            "prefix": "CP",
            "title": "Care plan",
            "fields": {
                "next-visit": {"type": "date", "label": "next appointment"},
                "pain_level": {"type": "enum", "values": ["none", "mild", "severe"], "ordered": True},
            },
        }
    ],
}
_BODY: dict[str, Any] = {"required": True, "content": {"application/json": {"schema": {"type": "object"}, "example": EXAMPLE}}}


class SchemaVersion(Schema):
    """A version of the organisation's schema. Its ``state`` is uploaded, proposed, declined or approved."""

    id: UUID
    schema_version: str
    digest: str
    state: str
    uploaded_at: Moment
    approved_at: Moment | None


class SchemaInFull(SchemaVersion):
    """A version of the organisation's schema with what it holds."""

    document: dict[str, Any]


router = Router(tags=["schemas"])


@router.post(
    "/schemas",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SchemaVersion, 201: SchemaVersion} | REFUSALS,
    openapi_extra={"requestBody": _BODY},
    summary="Upload a version of the schema",
)
def post_schema(request: HttpRequest) -> Status[Any]:
    """Store a version of the organisation's schema, its registry of fields. It is used when two people have approved it, on the site.

    The same content is stored once, and then answered with 200. What is wrong is told with its place, all of it at once.
    """
    return receive(SCHEMAS, request, _version)


@router.get(
    "/schemas/versions",
    auth=KeyWithScope(Scope.INGEST),
    response={200: list[SchemaVersion]} | EVERYWHERE,
    summary="List the versions of the schema",
)
def list_schemas(request: HttpRequest) -> list[dict[str, Any]]:
    """All versions that somebody has proposed and the newest 50 others, the newest first.

    Turns that name an approved version are attributed under it.
    """
    return [_version(each) for each in list_versions(SCHEMAS, key_holder(request))]


@router.get(
    "/schemas/{schema_id}",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SchemaInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    summary="Read a version of the schema",
)
def get_schema(request: HttpRequest, schema_id: UUID) -> dict[str, Any] | Status[Any]:
    """A version with its `document`, which can be uploaded again."""
    found = read(SCHEMAS, request, schema_id)
    return found if isinstance(found, Status) else _version(found) | {"document": json.loads(read_text(found))}


def _version(found: VersionRow) -> dict[str, Any]:
    return common(found) | {"schema_version": found.label, "uploaded_at": found.written_at.isoformat()}
