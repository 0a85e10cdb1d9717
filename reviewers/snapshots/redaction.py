"""Redaction of snapshots: the record loses parts, and everything derived from it is derived again from the rest.

So nothing that the engine, the index or a list took from a part outlives it. Digests are computed again as well: an unsalted one would let
a guess at a redacted value be confirmed.

Writers that store words read from a snapshot earlier take the same lock as a redaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import models

from attribution import DEFAULT_PROFILE, ENGINE_VERSION, Profile, read_profile
from reviewers.ledger.commitments import Part
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, RedactionDecision, RedactionOutcome
from reviewers.ledger.redaction import ClosedParts, RedactionWork, RowChange
from reviewers.ledger.verification.checks import LedgerMismatch, pages
from reviewers.snapshots.ingest.freeze import Frozen, attribute_citations, documents_row, freeze, parts_of
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.models import (
    CitationSearchResult,
    SearchOutcome,
    Snapshot,
    SnapshotAttribution,
    SnapshotDocuments,
    SupportJudgement,
    Trace,
)
from reviewers.snapshots.models import Profile as StoredProfile
from reviewers.snapshots.redactable_parts import BARS, REFERENCES, REST, is_of_record, read_turn, remove_parts, write_turn
from reviewers.snapshots.versions.in_use import USUAL_POLICY, FreezingTerms, profile_under, read_policy
from reviewers.web.models import advisory_lock

NOT_JUDGED = ""
"""The validity of a redacted answer, which cites nothing."""


def lock_snapshot(snapshot_id: UUID) -> None:
    """Lock a snapshot against redaction and against concurrent writers, until the end of the transaction."""
    advisory_lock(f"snapshot {snapshot_id}")


def forget_outline(snapshot_id: UUID) -> None:
    """Delete the names that came with the trace of a snapshot: programs may name a span by what somebody said."""
    Trace.objects.filter(snapshot=snapshot_id).update(outline=[])


_NO_VALIDITY = {"validity": NOT_JUDGED}

_REFERENCES_LEFT = {"client_reference": "", "conversation_id": "", "provider": BARS}
"""Column values after redaction. Records are grouped by client and conversation: with bars, those of many people would form one group."""

REDACTED = "redacted"
"""The reason of a search result that was redacted."""


def work_on_snapshot(snapshot: Snapshot, names: Collection[str]) -> RedactionWork:
    """Return all changes of a snapshot that loses these parts."""
    lock_snapshot(snapshot.id)
    raw = bytes(snapshot.record)
    left = write_turn(remove_parts(read_turn(raw), names))
    changes: list[RowChange] = []
    parts: dict[UUID, ClosedParts] = {}
    for attribution, documents, frozen in _derived(snapshot, left):
        changes += _changes(attribution, documents, frozen, has_answer=not is_answer_gone(left))
        if not parts:
            changes.append(_snapshot_change(snapshot, frozen, names))
            parts = _parts_of_freezing(snapshot, attribution, documents, frozen)
    changes += [*_searches(snapshot), *_judgements(snapshot)] if any(map(_is_searched, names)) else ()
    return RedactionWork(changes, parts=parts)


def derived_changes(snapshot: Snapshot, left: bytes, *, engine_version: str) -> Iterator[RowChange]:
    """Yield the changes of the rows that a version of the engine derives from a redacted record."""
    for attribution, documents, frozen in _derived(snapshot, left):
        if attribution.engine_version == engine_version:
            if snapshot.provider:
                yield RowChange(Snapshot, snapshot.id, {"provider": frozen.snapshot.provider})
            yield from _changes(attribution, documents, frozen, has_answer=not is_answer_gone(left))


def _derived(snapshot: Snapshot, left: bytes) -> Iterator[tuple[SnapshotAttribution, SnapshotDocuments | None, Frozen]]:
    """Yield the attributions of a snapshot, the oldest first, each with its derivation from a record."""
    for attribution in SnapshotAttribution.objects.filter(snapshot=snapshot).select_related("documents").order_by("attributed_at", "id"):
        documents = getattr(attribution, "documents", None)
        yield attribution, documents, _derive(left, snapshot, attribution.profile_id, documents, repairs=not is_answer_gone(left))


def is_answer_gone(left: bytes) -> bool:
    """Return True if the answer of a record was redacted: then nothing is attached to it, and its validity is not judged."""
    return bool(json.loads(left)["response"] == BARS)


def _derive(raw: bytes, snapshot: Snapshot, profile_id: str, documents: SnapshotDocuments | None, *, repairs: bool = True) -> Frozen:
    """Return the derivation from a record under the terms that are kept with an answer."""
    kept = (documents.policy, documents.trust_table_id) if documents else (None, None)
    profile = profile_under(_profile(profile_id), snapshot.schema_id)
    terms = FreezingTerms(snapshot.organisation, profile, snapshot.schema_id, read_policy(*kept, repairs=repairs), kept[1])
    return freeze(read_stored_record(raw), snapshot.answered_at, terms)


def _profile(profile_id: str) -> Profile:
    if profile_id == DEFAULT_PROFILE.id:
        return DEFAULT_PROFILE
    return read_profile(json.loads(bytes(StoredProfile.objects.get(pk=profile_id).document)))


def _is_searched(name: str) -> bool:
    """Return True if citations are looked for, or found, in a part."""
    return not name.startswith("context.") and name != REST and name not in REFERENCES


def _snapshot_change(snapshot: Snapshot, frozen: Frozen, names: Collection[str]) -> RowChange:
    record = frozen.record
    values = {"record": record.raw, "digest": record.digest, "content_digest": record.content_digest}
    excerpt = frozen.snapshot.excerpt if frozen.snapshot.excerpt == snapshot.excerpt else BARS  # the database accepts nothing else
    gone = {name: _REFERENCES_LEFT[name] for name in REFERENCES if name in names and getattr(snapshot, name)}
    if snapshot.provider and snapshot.provider != frozen.snapshot.provider:  # it may have been named by a field of the context
        gone["provider"] = BARS
    return RowChange(Snapshot, snapshot.id, values | gone | {"excerpt": excerpt, "search": frozen.snapshot.search})


def _changes(
    attribution: SnapshotAttribution, documents: SnapshotDocuments | None, frozen: Frozen, *, has_answer: bool
) -> Iterator[RowChange]:
    yield RowChange(SnapshotAttribution, attribution.id, _redactable_values(frozen.attribution_row))
    if documents:
        values = _redactable_values(frozen.documents_row or _emptied(frozen))
        yield RowChange(SnapshotDocuments, documents.id, values if has_answer else values | _NO_VALIDITY)


def _redactable_values(row: SnapshotAttribution | SnapshotDocuments) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.redactable}


def _emptied(frozen: Frozen) -> SnapshotDocuments:
    """Return the attribution to documents of a record that has lost all of them."""
    attribution = attribute_citations(frozen.record, answered_on=None, policy=USUAL_POLICY)
    return documents_row(attribution, frozen.attribution_row, USUAL_POLICY)


def _searches(snapshot: Snapshot) -> Iterator[RowChange]:
    """Yield changes that empty the results of searches. They quote the answer and its sources, and a model cannot be asked again."""
    ended = CitationSearchResult.objects.filter(search__attribution__snapshot=snapshot, document__isnull=False)
    for result in ended.only("pk"):
        gone = {"document": None, "digest": None, "found_count": 0, "refused_count": 0}
        yield RowChange(CitationSearchResult, result.pk, {"outcome": SearchOutcome.SKIPPED.value, "reason": REDACTED, **gone})


def _judgements(snapshot: Snapshot) -> Iterator[RowChange]:
    """Yield changes that empty judgements by a model. They are of the texts before, and a digest would let a guess be confirmed."""
    gone = {"verdict": "", "reason": REDACTED, "sentence_start": None, "sentence_end": None, "question_digest": None}
    for judgement in SupportJudgement.objects.filter(request__attribution__snapshot=snapshot).exclude(reason=REDACTED).only("pk"):
        yield RowChange(SupportJudgement, judgement.pk, gone)


def _parts_of_freezing(
    snapshot: Snapshot, attribution: SnapshotAttribution, documents: SnapshotDocuments | None, left: Frozen
) -> dict[UUID, ClosedParts]:
    """Return all parts of the event of freezing, with the numbers of those that the redaction changes."""
    events = AuditEvent.objects.filter(organisation_id=snapshot.organisation_id, object_id=snapshot.id, action=Action.SNAPSHOT_FROZEN.value)
    before = _parts_before(_derive(bytes(snapshot.record), snapshot, attribution.profile_id, documents), attribution, documents)
    remaining = dict(parts_of(left))
    closed = [number for number, (name, content) in enumerate(before) if remaining.get(name) != content]
    return {event_id: ClosedParts(before, closed) for event_id in events.values_list("id", flat=True)}


def _parts_before(frozen: Frozen, attribution: SnapshotAttribution, documents: SnapshotDocuments | None) -> Sequence[Part]:
    """Return the parts with the stored digests: another version of the engine may derive others."""
    stored = {"attribution.sha256": bytes(attribution.digest)}
    if documents:
        stored["documents_attribution.sha256"] = bytes(documents.digest)
    return [(name, stored.get(name, content)) for name, content in parts_of(frozen)]


def check_derived(organisation_id: UUID) -> None:
    """Derive redacted snapshots again; raise ``LedgerMismatch`` at the first row that differs.

    The database checks only the form of what a redaction stores, as it has no engine. Attributions by another version of the engine cannot
    be compared: their records and seals are.
    """
    approved = RedactionDecision.objects.filter(organisation_id=organisation_id, outcome=RedactionOutcome.APPROVED)
    for decisions in pages(approved.select_related("redaction"), "id"):
        touched: dict[UUID, set[tuple[Any, ...]]] = {}
        parts: dict[UUID, set[str]] = {}
        for decision in decisions:
            touched.setdefault(decision.redaction.object_id, set()).update(tuple(place.split(" ")) for place in decision.touched)
            parts.setdefault(decision.redaction.object_id, set()).update(decision.redaction.parts)
        redacted = Snapshot.objects.filter(organisation_id=organisation_id, pk__in=parts).select_related("organisation")
        for snapshot in redacted.order_by("pk"):
            _check_record(snapshot, {name for name in parts[snapshot.pk] if is_of_record(name)})
            if not _DERIVED.isdisjoint(place[0] for place in touched[snapshot.pk]):
                _check(snapshot, touched[snapshot.pk])


_DERIVED = frozenset(model._meta.db_table for model in (Snapshot, SnapshotAttribution, SnapshotDocuments))
"""Tables that are derived again if a redaction changed any of them: one could be changed alone by whoever writes the decision."""


def _check_record(snapshot: Snapshot, names: Collection[str]) -> None:
    """Check that a record has lost the parts that two people redacted, and that its content still has its digest."""
    raw = bytes(snapshot.record)
    turn = json.loads(raw)
    if remove_parts(turn, names) != turn:
        raise LedgerMismatch(Snapshot, snapshot.pk, "still has a part that was redacted", "record")
    if names and read_stored_record(raw).content_digest != bytes(snapshot.content_digest):
        raise LedgerMismatch(Snapshot, snapshot.pk, "is not the digest of the redacted record", "content_digest")


def _check(snapshot: Snapshot, touched: set[tuple[Any, ...]]) -> None:
    for change in derived_changes(snapshot, bytes(snapshot.record), engine_version=ENGINE_VERSION):
        if change.place not in touched:  # attributed after the redaction, from the redacted record
            continue
        row = change.model._base_manager.get(pk=change.key)  # noqa: SLF001 — Django's documented name for it
        differing = [name for name, value in change.values.items() if not _is_same(row, name, value)]
        if differing:
            raise LedgerMismatch(change.model, change.key, "is not what the engine derives from the redacted record", ", ".join(differing))


def _is_same(row: models.Model, name: str, value: Any) -> bool:
    found = getattr(row, name)
    return bytes(found) == bytes(value) if isinstance(found, bytes | memoryview) else bool(found == value)
