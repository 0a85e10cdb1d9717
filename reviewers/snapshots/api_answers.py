"""What the API tells of a snapshot, as plain values."""

from __future__ import annotations

import json
import zlib
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from reviewers.ledger.redacted import list_redacted_of
from reviewers.snapshots import queries
from reviewers.snapshots.cutting import is_of_record
from reviewers.snapshots.refusal import RecordError
from reviewers.snapshots.search_state import SearchState


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
