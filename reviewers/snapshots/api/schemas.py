"""What the API answers with, as its own document describes it."""

from __future__ import annotations

import json
import zlib
from typing import Annotated, Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from ninja import Field, Schema

from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots import queries
from reviewers.snapshots.ingest.records import RecordError
from reviewers.snapshots.queries import SearchState
from reviewers.snapshots.redactable_parts import is_of_record


class AttributionSummary(Schema):
    """What the engine found, in short."""

    profile: str
    engine: str
    source: str
    fields: int
    found: int
    cited: int
    guardrails: dict[str, int]
    digest: str


class WithheldAttribution(Schema):
    """An attribution that is kept back for now, and why, as while a blind review runs."""

    profile: str
    engine: str
    withheld: str


class DocumentsSummary(Schema):
    """What the engine found of citations of documents, in short: how many sources there are and how many are cited, issues by code."""

    sources: int
    cited: int
    issues: dict[str, int]
    validity: str
    trust: str
    digest: str


class SnapshotSummary(Schema):
    """A frozen record. ``documents`` is nothing where the record has none, nor anything that cites any, and where it is withheld."""

    id: UUID
    external_id: str
    url: str
    frozen_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    digest: str
    attribution: AttributionSummary | WithheldAttribution
    documents: DocumentsSummary | None


class Problem(Schema):
    """Why a record was not taken: the place in it, as a path, and the reason."""

    place: str
    reason: str


class Instruction(Schema):
    """Whether the organisation asks for citations, and the paragraph for the system prompt if it does."""

    on: bool
    text: str | None
    digest: str | None
    profile: str


class Refusal(Schema):
    """Why a key opens nothing here."""

    detail: str


EVERYWHERE = {401: Refusal, 403: Refusal, 429: Refusal, 503: Problem}
"""What any address of it may answer. With 429, ``Retry-After`` says how many seconds to wait."""


# What the API tells of a snapshot, as plain values.


def summary_of(found: queries.Summary) -> dict[str, Any]:
    """A snapshot in short."""
    return {
        "id": str(found.id),
        "external_id": found.external_id,
        "url": settings.ADDRESS + reverse("item", args=[found.id]),
        "frozen_at": found.frozen_at.isoformat(),
        "digest": found.digest,
        "attribution": {
            "profile": found.profile,
            "engine": found.engine,
            "source": found.source,
            "fields": found.field_count,
            "found": found.found_count,
            "cited": found.cited_count,
            "guardrails": found.guardrails,
            "digest": found.attribution_digest,
        },
        "documents": _documents(found.documents),
    }


def withheld(summary: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return which attribution there is, and nothing of what it says.

    Nor its digest: whoever has the record can work out the few attributions there may be, and compare.
    """
    named = {name: summary["attribution"][name] for name in ("profile", "engine")}
    return summary | {"attribution": named | {"withheld": reason}, "documents": None}


def documents_in_full(found: queries.Summary) -> dict[str, Any] | None:
    """All that is said of its documents."""
    if found.documents is None:
        return None
    attribution: dict[str, Any] = json.loads(zlib.decompress(found.cited_document))
    return attribution | {"digest": found.documents.digest}


def search_of(search: SearchState | None) -> dict[str, Any] | None:
    """What came of looking for citations afterwards."""
    if search is None:
        return None
    told = {"state": search.state, "method": search.method, "number": search.number, "asked_at": search.asked_at.isoformat()}
    if search.ended_at:
        told |= {"ended_at": search.ended_at.isoformat(), "attempts": search.attempts, "model": search.model, "reason": search.reason}
    if search.values:
        told |= {name: search.values[name] for name in ("engine", "sources", "references", "refused")} | {"digest": search.digest}
    return told


def redactions_of(snapshot_id: UUID, *, only_of_record: bool = False) -> list[dict[str, Any]]:
    """In so far as a program may know: not by whom. What people wrote beside a record may be withheld, and that they did."""
    told = (
        {
            "at": each.at.isoformat(),
            "basis": each.basis.value,
            "parts": [name for name in each.parts if not only_of_record or is_of_record(name)],
        }
        for each in list_redacted_of([snapshot_id])
    )
    return [each for each in told if each["parts"]]


def problem_of(error: RecordError) -> dict[str, str]:
    """Why a record was not taken."""
    return {"place": error.place, "reason": error.reason}


def _documents(found: queries.DocumentSummary | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "sources": found.source_count,
        "cited": found.cited_count,
        "issues": found.issues,
        "validity": found.validity,
        "trust": found.trust,
        "digest": found.digest,
    }
