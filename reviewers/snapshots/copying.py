"""Writes many rows by COPY, which takes a tenth of the time of INSERT."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models
from psycopg import sql

from reviewers.accounts.models import Organisation
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.snapshots.freezing import Frozen, completeness_of
from reviewers.snapshots.freezing_documents import FrozenDocuments
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.web.ids import uuid7


def copy_snapshots(fresh: Sequence[Frozen], organisation: Organisation, at: datetime) -> None:
    """The snapshots. Raises ``IntegrityError`` where one of their external ids has come in meanwhile."""
    _copy(Snapshot, [_snapshot_row(frozen, organisation, at) for frozen in fresh])


def copy_attributions(fresh: Sequence[Frozen], organisation_id: UUID, at: datetime) -> None:
    """The attributions of those snapshots, to fields and to documents."""
    _copy(SnapshotAttribution, [_attribution_row(frozen, organisation_id, at) for frozen in fresh])
    _copy(SnapshotDocuments, [_documents_row(each.attribution_id, each.documents, organisation_id) for each in fresh if each.documents])


def copy_events(prepared: Sequence[tuple[AuditEvent, EventSecret | None]]) -> None:
    """Events and what opens their commitments."""
    _copy(AuditEvent, [_row_of(event) for event, _ in prepared])
    _copy(EventSecret, [_row_of(secret) for _, secret in prepared if secret])


def _copy(model: type[models.Model], rows: Iterable[dict[str, Any]]) -> None:
    rows = list(rows)
    if not rows:
        return
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, rows[0]))
    )
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(tuple(row.values()))


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
        "completeness": json.dumps(completeness_of(record)),
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
        "guardrails": json.dumps(frozen.guardrails),
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
        "issues": json.dumps(frozen.issues),
        "validity": attribution.validity.colour.value,
        "trust": attribution.answer_trust.level.value,
        "source_count": len(attribution.sources),
        "cited_count": len(attribution.cited),
    }
