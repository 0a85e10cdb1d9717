"""What a redaction changes of a snapshot: the record loses its parts, and what was derived from it is derived again from what is left.

Nothing that the engine, the index or a list took out of a part can outlive it that way, whatever they took. Digests are those of what
is left as well: one without a salt would let a guess at a redacted value be confirmed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from uuid import UUID

from attribution import DEFAULT_PROFILE, Profile, read_profile
from reviewers.ledger.closing import Parts
from reviewers.ledger.commitments import Part
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent
from reviewers.ledger.redacting import Change, Work
from reviewers.snapshots.cutting import BARS, REFERENCES, REST, without
from reviewers.snapshots.freezing import Frozen, freeze, parts_of
from reviewers.snapshots.freezing_documents import attribute_citing
from reviewers.snapshots.holding import hold
from reviewers.snapshots.models import CitationSearchResult, SearchOutcome, Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.models import Profile as StoredProfile
from reviewers.snapshots.records import read_record

_NO_VALIDITY = {"validity": ""}
"""An answer that is gone cites nothing, and is not to be blamed for it."""

_REFERENCES_LEFT = {"client_reference": "", "conversation_id": "", "provider": BARS}
"""In the columns. Records are grouped by clients and conversations: under bars, those of many people would become one person's."""

REDACTED = "redacted"
"""Why a search for citations shows nothing any more."""


def work_on_snapshot(snapshot: Snapshot, names: Collection[str]) -> Work:
    """All changes of a snapshot that loses these parts."""
    hold(snapshot.id)
    raw = bytes(snapshot.record)
    left = json.dumps(without(json.loads(raw), names)).encode()  # in the order of the record, which canonical JSON does not keep
    changes: list[Change] = []
    parts: dict[UUID, Parts] = {}
    for attribution, documents, frozen in _derived(snapshot, left):
        changes += _changes(attribution, documents, frozen, has_answer=not _is_answer_gone(left))
        if not parts:
            changes.append(_snapshot_change(snapshot, frozen, names))
            parts = _parts_of_freezing(snapshot, attribution, documents, frozen)
    changes += _searches(snapshot) if any(map(_is_searched, names)) else ()
    return Work(changes, parts=parts)


def derived_changes(snapshot: Snapshot, left: bytes, *, engine_version: str) -> Iterator[Change]:
    """Return what a redaction that leaves this record puts into the rows that were derived by a version of the engine."""
    for attribution, documents, frozen in _derived(snapshot, left):
        if attribution.engine_version == engine_version:
            yield from _changes(attribution, documents, frozen, has_answer=not _is_answer_gone(left))


def _derived(snapshot: Snapshot, left: bytes) -> Iterator[tuple[SnapshotAttribution, SnapshotDocuments | None, Frozen]]:
    """Each attribution of a snapshot, the first one first, with what is derived for it from a record."""
    for attribution in SnapshotAttribution.objects.filter(snapshot=snapshot).select_related("documents").order_by("attributed_at", "id"):
        documents = getattr(attribution, "documents", None)
        repairs = bool(documents and documents.policy.get("repairs")) and not _is_answer_gone(left)
        yield attribution, documents, _derive(left, snapshot, attribution.profile_id, repairs=repairs)


def _is_answer_gone(left: bytes) -> bool:
    return bool(json.loads(left)["response"] == BARS)


def _derive(raw: bytes, snapshot: Snapshot, profile_id: str, *, repairs: bool) -> Frozen:
    return freeze(read_record(raw), snapshot.answered_at, _profile(profile_id), repairs=repairs)


def _profile(profile_id: str) -> Profile:
    if profile_id == DEFAULT_PROFILE.id:
        return DEFAULT_PROFILE
    return read_profile(json.loads(bytes(StoredProfile.objects.get(pk=profile_id).document)))


def _is_searched(name: str) -> bool:
    """Whether citations are looked for in a part, or found in it."""
    return not name.startswith("context.") and name != REST and name not in REFERENCES


def _snapshot_change(snapshot: Snapshot, frozen: Frozen, names: Collection[str]) -> Change:
    record = frozen.record
    values = {"record": record.raw, "digest": record.digest, "content_digest": record.content_digest}
    excerpt = frozen.excerpt if frozen.excerpt == snapshot.excerpt else BARS  # the database lets nothing else through
    gone = {name: _REFERENCES_LEFT[name] for name in REFERENCES if name in names and getattr(snapshot, name)}
    return Change(Snapshot, snapshot.id, values | gone | {"excerpt": excerpt, "search": frozen.search})


def _changes(
    attribution: SnapshotAttribution, documents: SnapshotDocuments | None, frozen: Frozen, *, has_answer: bool
) -> Iterator[Change]:
    values: dict[str, Any] = {
        "document": frozen.document,
        "digest": frozen.document_digest,
        "source": frozen.attribution.source.value,
        "guardrails": frozen.guardrails,
        "sections": frozen.sections,
        "found_count": frozen.found_count,
        "cited_count": frozen.cited_count,
    }
    yield Change(SnapshotAttribution, attribution.id, values)
    if documents:
        values = _documents_values(frozen)
        yield Change(SnapshotDocuments, documents.id, values if has_answer else values | _NO_VALIDITY)


def _documents_values(frozen: Frozen) -> dict[str, Any]:
    record = frozen.record
    found = frozen.documents or attribute_citing(record.citing, response=record.response, question=record.user_text, answered_on=None)
    return {
        "document": found.document,
        "digest": found.digest,
        "issues": found.issues,
        "validity": found.attribution.validity.colour.value,
        "trust": found.attribution.answer_trust.level.value,
        "source_count": len(found.attribution.sources),
        "cited_count": len(found.attribution.cited),
        "repaired_count": len(found.attached),
        "is_withheld": bool(found.attribution.abstention_reason),
    }


def _searches(snapshot: Snapshot) -> Iterator[Change]:
    """What was found afterwards quotes the answer and its sources, and may have been found by a model, which nobody can ask again."""
    ended = CitationSearchResult.objects.filter(search__attribution__snapshot=snapshot, document__isnull=False)
    for result in ended.only("pk"):
        gone = {"document": None, "digest": None, "found_count": 0, "refused_count": 0}
        yield Change(CitationSearchResult, result.pk, {"outcome": SearchOutcome.SKIPPED.value, "reason": REDACTED, **gone})


def _parts_of_freezing(
    snapshot: Snapshot, attribution: SnapshotAttribution, documents: SnapshotDocuments | None, left: Frozen
) -> dict[UUID, Parts]:
    """The parts of the event of freezing, and which of them are no longer what was frozen."""
    events = AuditEvent.objects.filter(organisation_id=snapshot.organisation_id, object_id=snapshot.id, action=Action.SNAPSHOT_FROZEN.value)
    repairs = bool(documents and documents.policy.get("repairs"))
    before = _parts_before(_derive(bytes(snapshot.record), snapshot, attribution.profile_id, repairs=repairs), attribution, documents)
    remaining = dict(parts_of(left))
    closed = [number for number, (name, content) in enumerate(before) if remaining.get(name) != content]
    return {event_id: Parts(before, closed) for event_id in events.values_list("id", flat=True)}


def _parts_before(frozen: Frozen, attribution: SnapshotAttribution, documents: SnapshotDocuments | None) -> Sequence[Part]:
    """With the digests as they are stored: another version of the engine may derive others."""
    stored = {"attribution.sha256": bytes(attribution.digest)}
    if documents:
        stored["documents_attribution.sha256"] = bytes(documents.digest)
    return [(name, stored.get(name, content)) for name, content in parts_of(frozen)]
