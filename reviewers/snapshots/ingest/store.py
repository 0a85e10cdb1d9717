"""The rows of frozen records, in the order in which they are written, and the profiles that they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from attribution import Profile as EngineProfile
from reviewers.accounts.models import Organisation
from reviewers.ledger.encoding import Row, rows_of
from reviewers.snapshots.ingest.citation_policy import policy_data
from reviewers.snapshots.ingest.freeze import Frozen, FrozenDocuments, completeness_of, profile_document
from reviewers.snapshots.models import Profile, Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.web.models import uuid7


@dataclass(frozen=True, slots=True)
class SnapshotRows:
    """A frozen record with its rows."""

    frozen: Frozen
    snapshot: Snapshot
    attribution: SnapshotAttribution
    documents: SnapshotDocuments | None

    @property
    def all(self) -> list[Row]:
        """The rows that the event commits to."""
        return rows_of([self.snapshot, self.attribution, *([self.documents] if self.documents else [])])


def snapshot_rows(frozen: Frozen, organisation: Organisation, at: datetime) -> SnapshotRows:
    """Return the rows of a frozen record."""
    snapshot = _snapshot_row(frozen, organisation, at)
    attribution = _attribution_row(frozen, snapshot, at)
    return SnapshotRows(frozen, snapshot, attribution, _documents_row(attribution, frozen.documents) if frozen.documents else None)


def snapshots_in_order(rows: Iterable[SnapshotRows]) -> list[Snapshot]:
    """Return the snapshots in the order of their external ids, so that concurrent requests with the same ids cannot deadlock."""
    return sorted((each.snapshot for each in rows), key=lambda row: row.external_id)


def attributions_in_order(rows: Sequence[SnapshotRows]) -> list[SnapshotAttribution | SnapshotDocuments]:
    """Return the attributions of those snapshots, to fields and then to documents."""
    return [*(each.attribution for each in rows), *(each.documents for each in rows if each.documents)]


def _snapshot_row(frozen: Frozen, organisation: Organisation, at: datetime) -> Snapshot:
    record = frozen.record
    return Snapshot(
        id=frozen.id,
        organisation_id=organisation.id,
        external_id=record.external_id,
        **record.names,
        schema_id=frozen.schema_id,
        turn_index=record.turn_index,
        answered_at=frozen.answered_at,
        frozen_at=at,
        record=record.raw,
        digest=record.digest,
        content_digest=record.content_digest,
        excerpt=frozen.excerpt,
        search=frozen.search,
        hidden_sections=frozen.hidden_sections,
        given_sections=frozen.given_sections,
        completeness=completeness_of(record),
        completeness_threshold=frozen.completeness_threshold,
        instruction_reported=record.instruction,
        instruction_switch=organisation.asks_for_citations,
    )


def _attribution_row(frozen: Frozen, snapshot: Snapshot, at: datetime) -> SnapshotAttribution:
    return SnapshotAttribution(
        id=frozen.attribution_id,
        organisation_id=snapshot.organisation_id,
        snapshot=snapshot,
        profile_id=frozen.attribution.profile,
        engine_version=frozen.attribution.engine_version,
        attributed_at=at,
        field_count=len(frozen.attribution.fields),
        **attribution_values(frozen),
    )


def _documents_row(row: SnapshotAttribution, frozen: FrozenDocuments) -> SnapshotDocuments:
    return SnapshotDocuments(
        id=uuid7(),
        organisation_id=row.organisation_id,
        attribution=row,
        policy=policy_data(frozen.policy),
        trust_table_id=frozen.policy.trust_table_id,
        **documents_values(frozen),
    )


def attribution_values(frozen: Frozen) -> dict[str, Any]:
    """Return the columns of an attribution that the engine derives from a record: those that a redaction changes."""
    return {
        "document": frozen.document,
        "digest": frozen.document_digest,
        "source": frozen.attribution.source.value,
        "guardrails": frozen.guardrails,
        "sections": frozen.sections,
        "found_count": frozen.found_count,
        "cited_count": frozen.cited_count,
    }


def documents_values(frozen: FrozenDocuments) -> dict[str, Any]:
    """Like `attribution_values`, for an attribution to documents."""
    attribution = frozen.attribution
    return {
        "document": frozen.document,
        "digest": frozen.digest,
        "issues": frozen.issues,
        "validity": attribution.validity.colour.value,
        "trust": attribution.answer_trust.level.value,
        "source_count": len(attribution.sources),
        "cited_count": len(attribution.cited),
        "repaired_count": len(frozen.attached),
        "citation_counts": frozen.citation_counts,
        "is_withheld": bool(attribution.abstention_reason),
    }


_stored: set[str] = set()
"""Names of profiles that a committed transaction of this process has stored or found: profiles never change or disappear."""


def ensure_profiles_once(used: Iterable[EngineProfile]) -> list[Row]:
    """Like `ensure_profiles`, but look each profile up once in this process. Call this in a transaction.

    If one is missing after all, the database refuses the attributions at commit; see `forget_profiles`.
    """
    asked = [profile for profile in used if profile.id not in _stored]
    if not asked:
        return []
    rows = ensure_profiles(asked)
    transaction.on_commit(partial(_stored.update, [profile.id for profile in asked]))
    return rows


def forget_profiles() -> bool:
    """Forget which profiles are stored; return True if any were known."""
    were_known = bool(_stored)
    _stored.clear()
    return were_known


def ensure_profiles(used: Iterable[EngineProfile]) -> list[Row]:
    """Store those of the profiles that are missing; return their rows."""
    by_id = {profile.id: profile for profile in used}
    there = set(Profile.objects.filter(pk__in=by_id).values_list("pk", flat=True))
    new = [Profile(id=each, document=profile_document(by_id[each])) for each in sorted(by_id.keys() - there)]
    if new:
        Profile.objects.bulk_create(new, ignore_conflicts=True)
    return rows_of(new)
