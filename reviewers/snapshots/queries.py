"""Reads of snapshots, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import SnapshotAttribution

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
)


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
    record: bytes = b""
    document: bytes = b""


def find_summaries(organisation: Organisation, snapshot_ids: Iterable[UUID]) -> dict[UUID, Summary]:
    """The summaries of some snapshots of an organisation."""
    rows = SnapshotAttribution.objects.filter(organisation=organisation, snapshot__in=list(snapshot_ids)).order_by("attributed_at")
    return {row[0]: _summary(row) for row in rows.values_list(*_SUMMARY)}


def find_snapshot(organisation: Organisation, snapshot_id: UUID) -> Summary | None:
    """A snapshot with its frozen bytes and its attribution's document; nothing if it is not this organisation's."""
    rows = SnapshotAttribution.objects.filter(organisation=organisation, snapshot=snapshot_id).order_by("-attributed_at")
    row = rows.values_list(*_SUMMARY, "snapshot__record", "document").first()
    return _summary(row) if row else None


def _summary(row: Sequence[Any]) -> Summary:
    pk, external_id, frozen_at, digest, profile, engine, source, fields, found, cited, guardrails, attribution_digest, *contents = row
    return Summary(
        pk,
        external_id,
        frozen_at,
        "sha256:" + bytes(digest).hex(),
        profile,
        engine,
        source,
        fields,
        found,
        cited,
        guardrails,
        "sha256:" + bytes(attribution_digest).hex(),
        *(bytes(content) for content in contents),
    )
