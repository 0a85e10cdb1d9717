"""How the newest search for citations of an attribution stands, read with whatever else is read of it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, JSONField, QuerySet
from django.db.models.functions import JSONObject

from attribution import Profile, SearchRecord, decode_search, read_profile
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import CitationSearch, SearchOutcome, SnapshotAttribution
from reviewers.snapshots.models import Profile as StoredProfile

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


# Profiles that answers were attributed under, as they were then.


@dataclass(frozen=True, slots=True)
class TransferredCounts:
    """Whose counts a table has that was taken over: those of ``profile``, for another combination.

    It was shifted as ``labels`` labels ask for: in log odds, all rules by ``of_all`` and each besides by its own.
    """

    profile: str
    labels: int
    of_all: float
    by_rule: Mapping[str, float]

    def shift_of(self, rule: str) -> float:
        """By how much the confidences of a rule moved, in log odds."""
        return self.of_all + self.by_rule.get(rule, 0.0)


@lru_cache(maxsize=16)
def read_stored(name: str) -> Profile:
    """A profile never changes under its name, so each is read once."""
    document = StoredProfile.objects.values_list("document", flat=True).get(pk=name)
    return read_profile(json.loads(bytes(document)))


@lru_cache(maxsize=1024)
def read_cutoff(name: str) -> float | None:
    """Its cut-off alone, which is small: kept of many."""
    return read_stored(name).cutoff


@lru_cache(maxsize=1024)
def read_transferred_counts(name: str) -> TransferredCounts | None:
    """Whose counts it has; nothing where they are its own."""
    return carried_by(read_stored(name).data["calibration"])


def carried_by(calibration: Mapping[str, Any]) -> TransferredCounts | None:
    """The same of the record of a calibration. Records of earlier days do not say by how much they were shifted, and so nothing."""
    shift = calibration.get("shift")
    return TransferredCounts(calibration["parent"], shift["labels"], shift["of_all"], shift["by_rule"]) if shift else None


# Reads of snapshots, as plain values.


_SUMMARY = (
    "snapshot_id",
    "snapshot__external_id",
    "snapshot__frozen_at",
    "snapshot__digest",
    "profile_id",
    "engine_version",
    "source",
    "field_count",
    "found_count",
    "cited_count",
    "guardrails",
    "digest",
    "documents__source_count",
    "documents__cited_count",
    "documents__issues",
    "documents__validity",
    "documents__trust",
    "documents__digest",
)


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """An answer's attribution to documents, in short."""

    source_count: int
    cited_count: int
    issues: dict[str, int]
    validity: str
    trust: str
    digest: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A snapshot and its newest attribution, in short. Digests as ``sha256:…``."""

    id: UUID
    external_id: str
    frozen_at: datetime
    digest: str
    profile: str
    engine: str
    source: str
    field_count: int
    found_count: int
    cited_count: int
    guardrails: dict[str, int]
    attribution_digest: str
    documents: DocumentSummary | None
    record: bytes = b""
    document: bytes = b""
    cited_document: bytes = b""
    search: SearchState | None = None


def find_summaries(organisation: Organisation, snapshot_ids: Iterable[UUID]) -> dict[UUID, Summary]:
    """The summaries of some snapshots of an organisation."""
    return {row[0]: _summary(row) for row in _summaries(organisation.id, list(snapshot_ids))}


def _summaries(organisation_id: UUID, snapshot_ids: list[UUID]) -> QuerySet[SnapshotAttribution, tuple[Any, ...]]:
    rows = SnapshotAttribution.objects.filter(snapshot__in=snapshot_ids, organisation=organisation_id)
    return rows.order_by("attributed_at").values_list(*_SUMMARY)


def find_snapshot(organisation: Organisation, snapshot_id: UUID) -> Summary | None:
    """A snapshot with its frozen bytes, its attribution's document and its search; nothing if it is not this organisation's."""
    rows = SnapshotAttribution.objects.filter(organisation=organisation, snapshot=snapshot_id).order_by("-attributed_at")
    columns = (*_SUMMARY, "snapshot__record", "document", "documents__document", "searched")
    row = rows.annotate(searched=newest_search("pk")).values_list(*columns).first()
    return replace(_summary(row[:-1]), search=read_search(row[-1])) if row else None


def _summary(row: Sequence[Any]) -> Summary:
    pk, external_id, frozen_at, digest, profile, engine, source, fields, found, cited, guardrails, attribution_digest, *rest = row
    sources, cited_sources, issues, validity, trust, documents_digest, *contents = rest
    return Summary(
        pk,
        external_id,
        frozen_at,
        named(digest),
        profile,
        engine,
        source,
        fields,
        found,
        cited,
        guardrails,
        named(attribution_digest),
        DocumentSummary(sources, cited_sources, issues, validity, trust, named(documents_digest)) if documents_digest else None,
        *_three(contents),
    )


def _three(contents: Sequence[bytes | None]) -> tuple[bytes, bytes, bytes]:
    """The record and both documents; empty where they were not asked for."""
    record, document, cited = (*contents, b"", b"", b"")[:3]
    return bytes(record or b""), bytes(document or b""), bytes(cited or b"")


def named(digest: bytes) -> str:
    """A digest as it is told."""
    return "sha256:" + bytes(digest).hex()
