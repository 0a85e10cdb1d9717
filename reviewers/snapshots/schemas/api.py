"""Endpoints of the API for schemas: a program uploads a version, and reads which ones there are and what they hold."""

from __future__ import annotations

from typing import Annotated, Any, cast
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema
from ninja.responses import Status

from attribution import SchemaError
from reviewers.accounts.models import Scope
from reviewers.accounts.service_keys import KeyRequest, KeyWithScope
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.schemas import actions, queries

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
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


class SchemaProblem(Schema):
    """A problem of a schema, and its place in it, as a path."""

    place: str
    reason: str


class SchemaProblems(Schema):
    """Everything that is wrong with a schema; ``place`` and ``reason`` are the first of it."""

    place: str
    reason: str
    problems: list[SchemaProblem]


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
    response={200: SchemaVersion, 201: SchemaVersion, 413: Problem, 422: SchemaProblems} | EVERYWHERE,
    openapi_extra={"requestBody": _BODY},
    summary="Upload a version of the schema",
)
def post_schema(request: HttpRequest) -> Status[Any]:
    """Store a version of the organisation's schema, its registry of fields. It is used when two people have approved it, on the site.

    The same content is stored once, and then answered with 200. What is wrong is told with its place, all of it at once.
    """
    key = cast("KeyRequest", request).auth
    try:
        schema, is_new = actions.upload(content=request.body, by=key, now=timezone.now())
    except RequestDataTooBig:
        return Status(413, {"place": "", "reason": f"larger than {actions.LARGEST // 1024} KB"})
    except SchemaError as error:
        place, reason = error.problems[0]
        told = [{"place": each, "reason": why} for each, why in error.problems]
        return Status(422, {"place": place, "reason": reason, "problems": told})
    found = cast("queries.Version", queries.find_version(key.organisation, schema.pk))
    return Status(201 if is_new else 200, _version(found))


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
    return [_version(each) for each in queries.list_versions(cast("KeyRequest", request).auth.organisation)]


@router.get(
    "/schemas/{schema_id}",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SchemaInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    summary="Read a version of the schema",
)
def get_schema(request: HttpRequest, schema_id: UUID) -> dict[str, Any] | Status[Any]:
    """A version with its `document`, which can be uploaded again."""
    found = queries.find_version(cast("KeyRequest", request).auth.organisation, schema_id)
    if found is None:
        return Status(404, {"place": "schema_id", "reason": "there is no such schema"})
    return _version(found) | {"document": queries.read_document(found)}


def _version(found: queries.Version) -> dict[str, Any]:
    """Return a version as the API tells it, without its people."""
    approved = found.approved
    return {
        "id": found.id,
        "schema_version": found.version,
        "digest": found.digest,
        "state": found.state,
        "uploaded_at": found.uploaded_at.isoformat(),
        "approved_at": approved.decided_at.isoformat() if approved and approved.decided_at else None,
    }
