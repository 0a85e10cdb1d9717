"""How the newest search for citations of an attribution stands, read with whatever else is read of it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, JSONField
from django.db.models.functions import JSONObject

from attribution import SearchRecord, decode_search
from reviewers.snapshots.models import CitationSearch, SearchOutcome

PENDING = "pending"
_COLUMNS = {
    "number": "number",
    "method": "method",
    "asked_at": "asked_at",
    **{name: f"result__{name}" for name in ("outcome", "reason", "model", "attempts", "ended_at", "document", "digest")},
}


@dataclass(frozen=True)
class SearchState:
    """A search and how it ended. ``state`` is one of the outcomes, or pending."""

    number: int
    method: str
    state: str
    asked_at: datetime
    ended_at: datetime | None
    reason: str
    model: str
    attempts: int
    document: bytes
    digest: str

    @property
    def is_pending(self) -> bool:
        """Whether it has no result yet."""
        return self.state == PENDING

    @property
    def has_failed(self) -> bool:
        """Whether it came to no result."""
        return self.state == SearchOutcome.FAILED

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """Its stored form; empty where it found its end otherwise."""
        read: Mapping[str, Any] = json.loads(zlib.decompress(self.document)) if self.document else {}
        return read

    @cached_property
    def record(self) -> SearchRecord | None:
        """What it found, read."""
        return decode_search(self.values) if self.values else None


class _NewestSearch(Func):
    template = """ARRAY(
        SELECT jsonb_build_object(
            'number', search.number, 'method', search.method, 'asked_at', search.asked_at, 'outcome', result.outcome,
            'reason', result.reason, 'model', result.model, 'attempts', result.attempts, 'ended_at', result.ended_at,
            'document', result.document, 'digest', result.digest
        )
        FROM snapshots_citationsearch AS search LEFT JOIN snapshots_citationsearchresult AS result ON result.search_id = search.id
        WHERE search.attribution_id = %(expressions)s ORDER BY search.number DESC LIMIT 1
    )"""
    output_field = ArrayField(JSONField())


def newest_search(attribution: str) -> Func:
    """Return the newest search of an attribution, as an annotation; ``attribution`` names the column of its identifier."""
    return _NewestSearch(F(attribution))


def newest_searches(attribution_ids: Iterable[UUID]) -> dict[UUID, SearchState]:
    """The newest searches of several attributions, those that have any."""
    searches = CitationSearch.objects.filter(attribution__in=list(attribution_ids)).order_by("attribution_id", "-number")
    newest = searches.distinct("attribution_id").values("attribution_id", json=JSONObject(**_COLUMNS))
    return {row["attribution_id"]: _read(row["json"]) for row in newest}


def read_search(annotated: Sequence[Mapping[str, Any]]) -> SearchState | None:
    """What ``newest_search`` gave; nothing where no search was asked for."""
    if not annotated:
        return None
    (read,) = annotated
    return _read(read)


def _read(read: Mapping[str, Any]) -> SearchState:
    return SearchState(
        number=read["number"],
        method=read["method"],
        state=read["outcome"] or PENDING,
        asked_at=datetime.fromisoformat(read["asked_at"]),
        ended_at=datetime.fromisoformat(read["ended_at"]) if read["ended_at"] else None,
        reason=read["reason"] or "",
        model=read["model"] or "",
        attempts=read["attempts"] or 0,
        document=_bytes(read["document"]),
        digest="sha256:" + _bytes(read["digest"]).hex() if read["digest"] else "",
    )


def _bytes(written: str | None) -> bytes:
    """Of a binary column as JSON has it: hexadecimal digits behind a backslash and an x."""
    return bytes.fromhex(written.removeprefix("\\x")) if written else b""
