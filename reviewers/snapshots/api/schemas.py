"""The API's response schemas, and the values that fill them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from ninja import Field, Schema

from attribution import SearchUnit
from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots.ingest.freeze import thaw_documents
from reviewers.snapshots.ingest.records import RecordError
from reviewers.snapshots.judged_support.queries import Judgement, SupportState
from reviewers.snapshots.models import SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.queries import SearchState, named
from reviewers.snapshots.redactable_parts import is_of_record


class AttributionSummary(Schema):
    """The engine's findings, in short."""

    profile: str
    engine: str
    source: str
    fields: int
    found: int
    cited: int
    guardrails: dict[str, int]
    digest: str


class WithheldAttribution(Schema):
    """An attribution that is withheld for now, as during a blind review, and the reason."""

    profile: str
    engine: str
    withheld: str


class DocumentsSummary(Schema):
    """The engine's findings about citations of documents, in short: numbers of sources and of cited ones, issues by code."""

    sources: int
    cited: int
    issues: dict[str, int]
    validity: str
    trust: str
    digest: str


class SnapshotSummary(Schema):
    """A frozen record. ``documents`` is null if the record neither has nor cites any, and while it is withheld."""

    id: UUID
    external_id: str
    url: str
    frozen_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    digest: str
    attribution: AttributionSummary | WithheldAttribution
    documents: DocumentsSummary | None


class Problem(Schema):
    """The reason why a record was refused, and its place in the record, as a path."""

    place: str
    reason: str


InstructedGrammar = Literal["fields", "numbered", "keyed", "structured", "claims"]
"""The ways to cite that there is an instruction for: of fields, or a grammar for documents."""


class Instruction(Schema):
    """The organisation's switch for citations, and the paragraph for the system prompt while it is on."""

    on: bool
    text: str | None
    digest: str | None
    profile: str


class Refusal(Schema):
    """The reason why a key gives no access here."""

    detail: str


EVERYWHERE = {401: Refusal, 403: Refusal, 429: Refusal, 503: Problem}
"""Responses that any address may give. With 429, ``Retry-After`` says how many seconds to wait."""


def summary_of(found: SnapshotAttribution, documents: SnapshotDocuments | None) -> SnapshotSummary:
    """Return a snapshot in short, with its attribution to fields and to documents."""
    snapshot = found.snapshot
    return SnapshotSummary(
        id=snapshot.pk,
        external_id=snapshot.external_id,
        url=settings.ADDRESS + reverse("item", args=[snapshot.pk]),
        frozen_at=snapshot.frozen_at.isoformat(),
        digest=named(snapshot.digest),
        attribution=AttributionSummary(
            profile=found.profile_id,
            engine=found.engine_version,
            source=found.source,
            fields=found.field_count,
            found=found.found_count,
            cited=found.cited_count,
            guardrails=_as_stored(found.guardrails),
            digest=named(found.digest),
        ),
        documents=_documents(documents) if documents else None,
    )


def withheld_summary(found: SnapshotAttribution, reason: str) -> SnapshotSummary:
    """Return a snapshot in short with only the name of its attribution, none of its findings.

    Its digest is left out too: a client that has the record could compute the few possible attributions, and compare.
    """
    name = WithheldAttribution(profile=found.profile_id, engine=found.engine_version, withheld=reason)
    return summary_of(found, None).model_copy(update={"attribution": name})


def documents_of(found: SnapshotAttribution) -> SnapshotDocuments | None:
    """Return the attribution to documents, or None if the record has none. The database is asked, unless it was read with ``found``."""
    return getattr(found, "documents", None)


def documents_in_full(documents: SnapshotDocuments | None) -> dict[str, Any] | None:
    """Return the stored attribution to documents, if there is one."""
    return _read(documents.document) | {"digest": named(documents.digest)} if documents else None


def attribution_in_full(found: SnapshotAttribution) -> dict[str, Any]:
    """Return the stored attribution to fields."""
    return _read(found.document) | {"digest": named(found.digest)}


def _read(document: bytes | memoryview) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(zlib.decompress(bytes(document)))
    return read


def search_of(search: SearchState | None) -> dict[str, Any] | None:
    """Return the state of a search for citations, and its result if it has one."""
    if search is None:
        return None
    told = {"state": search.state, "method": search.method, "number": search.number, "asked_at": search.asked_at.isoformat()}
    if search.ended_at:
        told |= {"ended_at": search.ended_at.isoformat(), "attempts": search.attempts, "model": search.model, "reason": search.reason}
    if search.values:
        told |= {name: search.values[name] for name in ("engine", "sources", "references", "refused")} | {"digest": search.digest}
        told["unit"] = search.values.get("unit", SearchUnit.SENTENCE.value)
    return told


def redactions_of(snapshot_id: UUID, *, only_of_record: bool = False) -> list[dict[str, Any]]:
    """Return the redactions of a snapshot, without their people. Parts that people wrote beside the record can be left out."""
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
    """Return the reason why a record was refused."""
    return {"place": error.place, "reason": error.reason}


def _documents(found: SnapshotDocuments) -> DocumentsSummary:
    return DocumentsSummary(
        sources=found.source_count,
        cited=found.cited_count,
        issues=_as_stored(found.issues),
        validity=found.validity,
        trust=found.trust,
        digest=named(found.digest),
    )


def _as_stored(counts: dict[str, int]) -> dict[str, int]:
    """Return counts in the order in which PostgreSQL keeps keys, the shortest first, also those that were just written."""
    return dict(sorted(counts.items(), key=lambda each: (len(each[0]), each[0])))


# Judgements by a model.


def support_of(found: SnapshotAttribution, state: SupportState | None) -> dict[str, Any] | None:
    """Return the state of the newest request and the judgement on each citation, or None if no model was asked."""
    if state is None:
        return None
    documents = thaw_documents(_read(found.documents.document), json.loads(bytes(found.snapshot.record)))
    texts = {each.id: each.content for each in documents.sources}
    told = sorted(state.judgements.values(), key=lambda each: (each.key.start or 0, each.key.source, each.key.repeat))
    return {
        "state": state.state,
        "number": state.number,
        "asked_at": state.asked_at.isoformat(),
        "reason": state.reason,
        "judgements": [_told(each, texts) for each in told],
    }


def _told(judgement: Judgement, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a judgement. Places of the cited words are those in the answer as the model wrote it, without citations."""
    return {
        "source": judgement.key.source,
        "start": judgement.key.start,
        "end": judgement.key.end,
        "found_afterwards": not judgement.key.is_own,
        "verdict": judgement.verdict or None,
        "refused": judgement.reason or None,
        "sentence": texts.get(judgement.key.source, "")[slice(*judgement.sentence)] if judgement.sentence else None,
        "model": judgement.model,
        "judged_at": judgement.judged_at.isoformat(),
    }
