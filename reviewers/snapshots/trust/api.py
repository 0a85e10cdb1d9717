"""Endpoints of the API for tables of trust: a program sends a version, and reads which ones there are and what they hold."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.responses import Status

from reviewers.accounts.models import Scope
from reviewers.accounts.service_keys import KeyWithScope
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.trust.kind import EXAMPLE, TRUST_TABLES
from reviewers.snapshots.versions.api import REFUSALS, Moment, common, key_holder, read, receive
from reviewers.snapshots.versions.queries import VersionRow, list_versions, read_text

_BODY: dict[str, Any] = {"required": True, "content": {"text/plain": {"schema": {"type": "string"}, "example": EXAMPLE}}}


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


router = Router(tags=["tables of trust"])


@router.post(
    "/trust-tables",
    auth=KeyWithScope(Scope.INGEST),
    response={200: TrustTableVersion, 201: TrustTableVersion} | REFUSALS,
    openapi_extra={"requestBody": _BODY},
    summary="Send a version of the table of trust",
)
def post_trust_table(request: HttpRequest) -> Status[Any]:
    """Store a version of the organisation's own table of trust: a rule a line. It is used when two people have approved it, on the site.

    The same text is stored once, and then answered with 200. What is wrong is told with its line, all of it at once.
    """
    return receive(TRUST_TABLES, request, _version)


@router.get(
    "/trust-tables/versions",
    auth=KeyWithScope(Scope.INGEST),
    response={200: list[TrustTableVersion]} | EVERYWHERE,
    summary="List the versions of the table of trust",
)
def list_trust_tables(request: HttpRequest) -> list[dict[str, Any]]:
    """All versions that somebody has proposed and the newest 50 others, the newest first.

    Answers that come in are judged under the one that is in use.
    """
    return [_version(each) for each in list_versions(TRUST_TABLES, key_holder(request))]


@router.get(
    "/trust-tables/{table_id}",
    auth=KeyWithScope(Scope.INGEST),
    response={200: TrustTableInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    summary="Read a version of the table of trust",
)
def get_trust_table(request: HttpRequest, table_id: UUID) -> dict[str, Any] | Status[Any]:
    """A version with its `text`, which can be sent again."""
    found = read(TRUST_TABLES, request, table_id)
    return found if isinstance(found, Status) else _version(found) | {"text": read_text(found)}


def _version(found: VersionRow) -> dict[str, Any]:
    return common(found) | {"number": int(found.label), "rules": found.counts["rules"], "written_at": found.written_at.isoformat()}
