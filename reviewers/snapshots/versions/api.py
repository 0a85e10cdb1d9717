"""Endpoints of the API for versions, as all kinds have them: a program sends a text and reads versions; people propose and approve them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, cast
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema
from ninja.responses import Status

from reviewers.accounts.models import Organisation, Scope
from reviewers.accounts.policies import Refused
from reviewers.accounts.service_keys import KeyRequest, KeyWithScope
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.versions import actions, queries
from reviewers.snapshots.versions.kinds import VersionKind
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.snapshots.versions.trust import EXAMPLE, TRUST_TABLES

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Tell = Callable[[queries.VersionRow], dict[str, Any]]


class VersionProblems(Schema):
    """Everything that is wrong with a text, each with its place in it; ``place`` and ``reason`` are the first of it."""

    place: str
    reason: str
    problems: list[Problem]


REFUSALS: dict[int, Any] = {409: Problem, 413: Problem, 422: VersionProblems} | EVERYWHERE


def key_holder(request: HttpRequest) -> Organisation:
    """Return the organisation of a program's key."""
    return cast("KeyRequest", request).auth.organisation


def receive(kind: VersionKind, request: HttpRequest, tell: Tell) -> Status[Any]:
    """Store the text that a program sends, and tell its version; or everything that is wrong with it."""
    key = cast("KeyRequest", request).auth
    try:
        version, is_new = actions.write(kind, content=request.body, by=key, now=timezone.now())
    except RequestDataTooBig:
        return Status(413, {"place": "", "reason": f"larger than {kind.largest // 1024} KB"})
    except Refused as refusal:
        return Status(409, {"place": "", "reason": str(refusal)})
    except kind.error as error:
        told = [{"place": _place(place), "reason": reason} for place, reason in error.problems]
        return Status(422, {**told[0], "problems": told})
    found = cast("queries.VersionRow", queries.find_version(kind, key.organisation, version.pk))
    return Status(201 if is_new else 200, tell(found))


def read(kind: VersionKind, request: HttpRequest, version_id: UUID) -> queries.VersionRow | Status[Any]:
    """Return a version, or the answer that there is none."""
    found = queries.find_version(kind, key_holder(request), version_id)
    return found or Status(404, {"place": kind.key, "reason": f"there is no such {kind.text}"})


def common(found: queries.VersionRow) -> dict[str, Any]:
    """Return what is told of every version, without its people."""
    approved = found.approved
    return {
        "id": found.id,
        "digest": found.digest,
        "state": found.state,
        "approved_at": approved.decided_at.isoformat() if approved and approved.decided_at else None,
    }


def _place(place: str | int) -> str:
    return f"line {place}" if isinstance(place, int) and place else str(place or "")


# Schemas.


SCHEMA_EXAMPLE: dict[str, Any] = {
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
_SCHEMA_BODY: dict[str, Any] = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object"}, "example": SCHEMA_EXAMPLE}},
}


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


schema_router = Router(tags=["schemas"])


@schema_router.post(
    "/schemas",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SchemaVersion, 201: SchemaVersion} | REFUSALS,
    openapi_extra={"requestBody": _SCHEMA_BODY},
    operation_id="reviewers_snapshots_schemas_api_post_schema",
    summary="Upload a version of the schema",
)
def post_schema(request: HttpRequest) -> Status[Any]:
    """Store a version of the organisation's schema, its registry of fields. It is used when two people have approved it, on the site.

    The same content is stored once, and then answered with 200. What is wrong is told with its place, all of it at once.
    """
    return receive(SCHEMAS, request, _schema)


@schema_router.get(
    "/schemas/versions",
    auth=KeyWithScope(Scope.INGEST),
    response={200: list[SchemaVersion]} | EVERYWHERE,
    operation_id="reviewers_snapshots_schemas_api_list_schemas",
    summary="List the versions of the schema",
)
def list_schemas(request: HttpRequest) -> list[dict[str, Any]]:
    """All versions that somebody has proposed and the newest 50 others, the newest first.

    Turns that name an approved version are attributed under it.
    """
    return [_schema(each) for each in queries.list_versions(SCHEMAS, key_holder(request))]


@schema_router.get(
    "/schemas/{schema_id}",
    auth=KeyWithScope(Scope.INGEST),
    response={200: SchemaInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_snapshots_schemas_api_get_schema",
    summary="Read a version of the schema",
)
def get_schema(request: HttpRequest, schema_id: UUID) -> dict[str, Any] | Status[Any]:
    """A version with its `document`, which can be uploaded again."""
    found = read(SCHEMAS, request, schema_id)
    return found if isinstance(found, Status) else _schema(found) | {"document": json.loads(queries.read_text(found))}


def _schema(found: queries.VersionRow) -> dict[str, Any]:
    return common(found) | {"schema_version": found.label, "uploaded_at": found.written_at.isoformat()}


# Tables of trust.


_TABLE_BODY: dict[str, Any] = {"required": True, "content": {"text/plain": {"schema": {"type": "string"}, "example": EXAMPLE}}}


class TrustTableVersion(Schema):
    """A version of the organisation's table of trust. Its `state` is written, proposed, declined, in use or used before."""

    id: UUID
    number: int
    rules: int
    digest: str
    state: str
    written_at: Moment
    approved_at: Moment | None


class TrustTableInFull(TrustTableVersion):
    """A version of the organisation's table of trust with its text."""

    text: str


trust_router = Router(tags=["tables of trust"])


@trust_router.post(
    "/trust-tables",
    auth=KeyWithScope(Scope.INGEST),
    response={200: TrustTableVersion, 201: TrustTableVersion} | REFUSALS,
    openapi_extra={"requestBody": _TABLE_BODY},
    operation_id="reviewers_snapshots_trust_api_post_trust_table",
    summary="Send a version of the table of trust",
)
def post_trust_table(request: HttpRequest) -> Status[Any]:
    """Store a version of the organisation's own table of trust: a rule a line. It is used when two people have approved it, on the site.

    The same text is stored once, and then answered with 200. What is wrong is told with its line, all of it at once.
    """
    return receive(TRUST_TABLES, request, _table)


@trust_router.get(
    "/trust-tables/versions",
    auth=KeyWithScope(Scope.INGEST),
    response={200: list[TrustTableVersion]} | EVERYWHERE,
    operation_id="reviewers_snapshots_trust_api_list_trust_tables",
    summary="List the versions of the table of trust",
)
def list_trust_tables(request: HttpRequest) -> list[dict[str, Any]]:
    """All versions that somebody has proposed and the newest 50 others, the newest first.

    Answers that come in are judged under the one that is in use.
    """
    return [_table(each) for each in queries.list_versions(TRUST_TABLES, key_holder(request))]


@trust_router.get(
    "/trust-tables/{table_id}",
    auth=KeyWithScope(Scope.INGEST),
    response={200: TrustTableInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_snapshots_trust_api_get_trust_table",
    summary="Read a version of the table of trust",
)
def get_trust_table(request: HttpRequest, table_id: UUID) -> dict[str, Any] | Status[Any]:
    """A version with its `text`, which can be sent again."""
    found = read(TRUST_TABLES, request, table_id)
    return found if isinstance(found, Status) else _table(found) | {"text": queries.read_text(found)}


def _table(found: queries.VersionRow) -> dict[str, Any]:
    return common(found) | {"number": int(found.label), "rules": found.counts["rules"], "written_at": found.written_at.isoformat()}
