"""Writes the rows of many records, a statement for each table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models
from psycopg.types.json import Jsonb

from reviewers.accounts.models import Organisation
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.rows import Row, row_from
from reviewers.snapshots.freezing import Frozen, completeness_of
from reviewers.snapshots.freezing_documents import FrozenDocuments
from reviewers.snapshots.models import CitationSearch, CitationSearchResult, Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.web.ids import uuid7
from reviewers.web.inserting import insert_rows

_Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a frozen record, by column."""

    snapshot: _Values
    attribution: _Values
    documents: _Values | None

    @property
    def all(self) -> list[Row]:
        """Those of its event."""
        rows = [row_from(Snapshot, self.snapshot), row_from(SnapshotAttribution, self.attribution)]
        return [*rows, row_from(SnapshotDocuments, self.documents)] if self.documents else rows


def rows_of(frozen: Frozen, organisation: Organisation, at: datetime) -> Rows:
    """What a frozen record is stored as."""
    documents = _documents_row(frozen.attribution_id, frozen.documents, organisation.id) if frozen.documents else None
    return Rows(_snapshot_row(frozen, organisation, at), _attribution_row(frozen, organisation.id, at), documents)


def copy_snapshots(rows: Sequence[Rows]) -> None:
    """The snapshots, in the order of their external ids: two requests that send the same ones wait for each other, not both for both.

    ``IntegrityError`` is raised, by what is written ``in_one_go`` at its end, where one of their external ids has come in meanwhile.
    """
    insert_rows(Snapshot, sorted((each.snapshot for each in rows), key=lambda row: str(row["external_id"])))


def copy_attributions(rows: Sequence[Rows]) -> None:
    """The attributions of those snapshots, to fields and to documents."""
    insert_rows(SnapshotAttribution, [each.attribution for each in rows])
    insert_rows(SnapshotDocuments, [each.documents for each in rows if each.documents])


def copy_searches(searches: Sequence[CitationSearch], results: Sequence[CitationSearchResult]) -> None:
    """Searches for citations, and the results of those that end at once."""
    insert_rows(CitationSearch, map(_row_of, searches))
    insert_rows(CitationSearchResult, map(_row_of, results))


def copy_events(prepared: Sequence[tuple[AuditEvent, EventSecret | None]]) -> None:
    """Events and what opens their commitments."""
    insert_rows(AuditEvent, [_row_of(event) for event, _ in prepared])
    insert_rows(EventSecret, [_row_of(secret) for _, secret in prepared if secret])


def _row_of(instance: models.Model) -> dict[str, Any]:
    return {field.column: getattr(instance, field.attname) for field in instance._meta.concrete_fields}


def _snapshot_row(frozen: Frozen, organisation: Organisation, at: datetime) -> dict[str, Any]:
    record = frozen.record
    return {
        "id": frozen.id,
        "organisation_id": organisation.id,
        "external_id": record.external_id,
        **record.names,
        "turn_index": record.turn_index,
        "answered_at": frozen.answered_at,
        "frozen_at": at,
        "record": record.raw,
        "digest": record.digest,
        "content_digest": record.content_digest,
        "excerpt": frozen.excerpt,
        "search": frozen.search,
        "hidden_sections": frozen.hidden_sections,
        "given_sections": frozen.given_sections,
        "completeness": Jsonb(completeness_of(record)),
        "completeness_threshold": frozen.completeness_threshold,
        "instruction_reported": record.instruction,
        "instruction_switch": organisation.asks_for_citations,
    }


def _attribution_row(frozen: Frozen, organisation_id: UUID, at: datetime) -> dict[str, Any]:
    return {
        "id": frozen.attribution_id,
        "organisation_id": organisation_id,
        "snapshot_id": frozen.id,
        "profile_id": frozen.attribution.profile,
        "engine_version": frozen.attribution.engine_version,
        "attributed_at": at,
        "document": frozen.document,
        "digest": frozen.document_digest,
        "source": frozen.attribution.source.value,
        "guardrails": Jsonb(frozen.guardrails),
        "sections": frozen.sections,
        "field_count": len(frozen.attribution.fields),
        "found_count": frozen.found_count,
        "cited_count": frozen.cited_count,
    }


def _documents_row(attribution_id: UUID, frozen: FrozenDocuments, organisation_id: UUID) -> dict[str, Any]:
    attribution = frozen.attribution
    return {
        "id": uuid7(),
        "organisation_id": organisation_id,
        "attribution_id": attribution_id,
        "document": frozen.document,
        "digest": frozen.digest,
        "issues": Jsonb(frozen.issues),
        "validity": attribution.validity.colour.value,
        "trust": attribution.answer_trust.level.value,
        "source_count": len(attribution.sources),
        "cited_count": len(attribution.cited),
        "policy": Jsonb({"repairs": frozen.repairs}),
        "repaired_count": len(frozen.attached),
        "is_withheld": bool(attribution.abstention_reason),
    }
