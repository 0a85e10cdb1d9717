"""A frozen record in short, as it would be read back: whoever has just written it need not ask the database."""

from __future__ import annotations

from datetime import datetime

from reviewers.snapshots.freezing import Frozen
from reviewers.snapshots.freezing_documents import FrozenDocuments
from reviewers.snapshots.queries import DocumentSummary, Summary, named


def summary_of(frozen: Frozen, at: datetime) -> Summary:
    """What was frozen ``at`` a moment."""
    attribution = frozen.attribution
    return Summary(
        id=frozen.id,
        external_id=frozen.record.external_id,
        frozen_at=at,
        digest=named(frozen.record.digest),
        profile=attribution.profile,
        engine=attribution.engine_version,
        source=attribution.source.value,
        field_count=len(attribution.fields),
        found_count=frozen.found_count,
        cited_count=frozen.cited_count,
        guardrails=_as_stored(frozen.guardrails),
        attribution_digest=named(frozen.document_digest),
        documents=_documents_of(frozen.documents) if frozen.documents else None,
    )


def _documents_of(frozen: FrozenDocuments) -> DocumentSummary:
    attribution = frozen.attribution
    return DocumentSummary(
        source_count=len(attribution.sources),
        cited_count=len(attribution.cited),
        issues=_as_stored(frozen.issues),
        validity=attribution.validity.colour.value,
        trust=attribution.answer_trust.level.value,
        digest=named(frozen.digest),
    )


def _as_stored(counts: dict[str, int]) -> dict[str, int]:
    """In the order in which the database keeps names: the shortest first."""
    return dict(sorted(counts.items(), key=lambda each: (len(each[0]), each[0])))
