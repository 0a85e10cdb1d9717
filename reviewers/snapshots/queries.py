"""Reads of snapshots, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import SnapshotAttribution
from reviewers.snapshots.search_state import SearchState, newest_search, read_search

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
