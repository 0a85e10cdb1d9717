"""Endpoints of the API for versions, as all kinds have them: a program sends a text and reads versions; people propose and approve them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema
from ninja.params.models import Path
from ninja.responses import Status
from ninja.utils import contribute_operation_args

from reviewers.accounts.models import Scope
from reviewers.accounts.policies import Refused
from reviewers.accounts.service_keys import KeyRequest, KeyWithScope
from reviewers.snapshots.api.schemas import EVERYWHERE, Cursor, Moment, Problem
from reviewers.snapshots.versions import actions, queries
from reviewers.snapshots.versions.kinds import VersionKind
from reviewers.snapshots.versions.schemas import SCHEMAS
from reviewers.snapshots.versions.trust import EXAMPLE, TRUST_TABLES

Before = Annotated[Cursor, Query(None, description="The `after` of the page before.")]


class VersionProblems(Schema):
    """Everything that is wrong with a text, each with its place in it; ``place`` and ``reason`` are the first of it."""

    place: str
    reason: str
    problems: list[Problem]


REFUSALS: dict[int, Any] = {409: Problem, 413: Problem, 422: VersionProblems} | EVERYWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEndpoints:
    """The endpoints of a kind of versions: their path, what they take and return, and the words of the reference.

    ``values`` returns what is told of every version, and ``contents`` what is added in full. ``operations`` begins the identifiers.
    """

    kind: VersionKind
    path: str
    operations: str
    tag: str
    noun: str
    body: Mapping[str, Any]
    version: type[Schema]
    in_full: type[Schema]
    page: type[Schema]
    values: Callable[[queries.VersionRow], dict[str, Any]]
    contents: Callable[[queries.VersionRow], dict[str, Any]]
    sending: str
    listing: str
    reading: str


def router_of(told: VersionEndpoints) -> Router:
    """Return the endpoints of a kind: send a version, list all of them by cursor, and read one."""
    router, kind, key = Router(tags=[told.tag]), told.kind, KeyWithScope(Scope.INGEST)

    @router.post(
        told.path,
        auth=key,
        response={200: told.version, 201: told.version} | REFUSALS,
        openapi_extra={"requestBody": {"required": True, "content": told.body}},
        url_name=f"post_{kind.name}",
        operation_id=f"{told.operations}_post_{kind.name}",
        summary=f"Send a version of the {told.noun}",
        description=told.sending,
    )
    def post(request: HttpRequest) -> Status[Any]:
        return _receive(told, cast("KeyRequest", request))

    @router.get(
        f"{told.path}/versions",
        auth=key,
        response={200: told.page, 422: Problem} | EVERYWHERE,
        url_name=f"list_{kind.plural}",
        operation_id=f"{told.operations}_list_{kind.plural}",
        summary=f"List the versions of the {told.noun}",
        description=told.listing,
    )
    def list_versions(request: HttpRequest, after: Before = None) -> dict[str, Any]:
        rows, end = queries.page_of_versions(kind, cast("KeyRequest", request).auth.organisation, after)
        return {"versions": [_values(told, each) for each in rows], "after": end}

    def get(request: HttpRequest, **named: UUID) -> dict[str, Any] | Status[Any]:
        found = queries.find_version(kind, cast("KeyRequest", request).auth.organisation, named[kind.key])
        if found is None:
            return Status(404, {"place": kind.key, "reason": f"there is no such {kind.text}"})
        return _values(told, found) | told.contents(found)

    contribute_operation_args(get, kind.key, UUID, Path(...))
    router.get(
        f"{told.path}/{{{kind.key}}}",
        auth=key,
        response={200: told.in_full, 404: Problem, 422: Problem} | EVERYWHERE,
        url_name=f"get_{kind.name}",
        operation_id=f"{told.operations}_get_{kind.name}",
        summary=f"Read a version of the {told.noun}",
        description=told.reading,
    )(get)
    return router


def _receive(told: VersionEndpoints, request: KeyRequest) -> Status[Any]:
    """Store the text that a program sends, and tell its version; or everything that is wrong with it."""
    kind, key = told.kind, request.auth
    try:
        version, is_new = actions.write(kind, content=request.body, by=key, now=timezone.now())
    except RequestDataTooBig:
        return Status(413, {"place": "", "reason": f"larger than {kind.largest // 1024} KB"})
    except Refused as refusal:
        return Status(409, {"place": "", "reason": str(refusal)})
    except kind.error as error:
        problems = [{"place": _place(place), "reason": reason} for place, reason in error.problems]
        return Status(422, {**problems[0], "problems": problems})
    found = cast("queries.VersionRow", queries.find_version(kind, key.organisation, version.pk))
    return Status(201 if is_new else 200, _values(told, found))


def _place(place: str | int) -> str:
    return f"line {place}" if isinstance(place, int) and place else str(place or "")


def _values(told: VersionEndpoints, found: queries.VersionRow) -> dict[str, Any]:
    """Return what is told of a version, without its people."""
    approved = found.approved
    return told.values(found) | {
        "id": found.id,
        "digest": found.digest,
        "state": found.state,
        "approved_at": approved.decided_at.isoformat() if approved and approved.decided_at else None,
    }


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


class SchemaPage(Schema):
    """A page of versions, the newest first. `after` is the cursor of the next page, or null on the last one."""

    versions: list[SchemaVersion]
    after: UUID | None


schema_router = router_of(
    VersionEndpoints(
        kind=SCHEMAS,
        path="/schemas",
        operations="reviewers_snapshots_schemas_api",
        tag="schemas",
        noun="schema",
        body={"application/json": {"schema": {"type": "object"}, "example": SCHEMA_EXAMPLE}},
        version=SchemaVersion,
        in_full=SchemaInFull,
        page=SchemaPage,
        values=lambda found: {"schema_version": found.label, "uploaded_at": found.written_at.isoformat()},
        contents=lambda found: {"document": json.loads(queries.read_text(found))},
        sending="Store a version of the organisation's schema, its registry of fields. It is used when two people have approved it, on the "
        "site.\n\nThe same content is stored once, and then answered with 200. What is wrong is told with its place, all of it at once.",
        listing="All versions, 50 a page. Ask again with `after` for the next page, until it is null.\n\nTurns that name an approved "
        "version are attributed under it.",
        reading="A version with its `document`, which can be uploaded again.",
    )
)


# Tables of trust.


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


class TrustTablePage(Schema):
    """A page of versions, the newest first. `after` is the cursor of the next page, or null on the last one."""

    versions: list[TrustTableVersion]
    after: UUID | None


trust_router = router_of(
    VersionEndpoints(
        kind=TRUST_TABLES,
        path="/trust-tables",
        operations="reviewers_snapshots_trust_api",
        tag="tables of trust",
        noun="table of trust",
        body={"text/plain": {"schema": {"type": "string"}, "example": EXAMPLE}},
        version=TrustTableVersion,
        in_full=TrustTableInFull,
        page=TrustTablePage,
        values=lambda found: {
            "number": int(found.label),
            "rules": found.counts["rules"],
            "written_at": found.written_at.isoformat(),
        },
        contents=lambda found: {"text": queries.read_text(found)},
        sending="Store a version of the organisation's own table of trust: a rule a line. It is used when two people have approved it, on "
        "the site.\n\nThe same text is stored once, and then answered with 200. What is wrong is told with its line, all of it at once.",
        listing="All versions, 50 a page. Ask again with `after` for the next page, until it is null.\n\nAnswers that come in are judged "
        "under the one that is in use.",
        reading="A version with its `text`, which can be sent again.",
    )
)
