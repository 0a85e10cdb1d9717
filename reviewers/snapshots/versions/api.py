"""Endpoints of the API for versions, as all kinds have them: a program sends a text and reads versions; people propose and approve them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, cast
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Schema
from ninja.responses import Status

from reviewers.accounts.models import Organisation
from reviewers.accounts.policies import Refused
from reviewers.accounts.service_keys import KeyRequest
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.versions import actions, queries
from reviewers.snapshots.versions.kinds import Kind

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


def receive(kind: Kind, request: HttpRequest, tell: Tell) -> Status[Any]:
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


def read(kind: Kind, request: HttpRequest, version_id: UUID) -> queries.VersionRow | Status[Any]:
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
