"""Attribution of frozen records under another profile: a further attribution beside the existing ones, which stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from attribution import ENGINE_VERSION
from attribution import Profile as EngineProfile
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.hooks import Combination
from reviewers.snapshots.ingest import store
from reviewers.snapshots.ingest.citation_policy import read_policy
from reviewers.snapshots.ingest.freeze import Frozen, freeze
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redaction import NOT_JUDGED, is_answer_gone, lock_snapshot
from reviewers.snapshots.versions.in_use import find_schema


def not_yet_under(profile_name: str, organisation_id: UUID, combination: Combination, until: datetime) -> QuerySet[Snapshot]:
    """Return a combination's snapshots, frozen until a moment, without an attribution under the profile by the present engine version."""
    done = SnapshotAttribution.objects.filter(profile=profile_name, engine_version=ENGINE_VERSION)
    own = Snapshot.objects.filter(organisation=organisation_id, frozen_at__lte=until, **combination._asdict())
    return own.exclude(pk__in=done.filter(organisation=organisation_id).values("snapshot"))


def attribute_again(*, snapshots: QuerySet[Snapshot], profile: EngineProfile, organisation: Organisation, at: datetime) -> dict[UUID, UUID]:
    """Write an attribution of each snapshot, with its event; return the attributions by snapshot. Call this in a transaction.

    Each keeps the schema of its freezing, and what was asked of citations at that time. What is redacted while the engine reads is read
    again.
    """
    read = list(_with_policies(snapshots))
    frozen = {each.pk: _freeze(each, profile) for each in read}
    if not frozen:
        return {}
    profiles = store.ensure_profiles([profile])
    frozen |= {each.pk: _freeze(each, profile) for each in _changed_since(read)}
    rows = [_rows(each, organisation, at) for each in frozen.values()]
    events = [_event(each, organisation.pk, at) for each in rows]
    events[0] = replace(events[0], rows=[*profiles, *events[0].rows])
    record_all(events, store.attributions_in_order(rows))
    return {each.id: each.attribution_id for each in frozen.values()}


def _with_policies(snapshots: QuerySet[Snapshot]) -> QuerySet[Snapshot]:
    documents = SnapshotDocuments.objects.filter(attribution__snapshot=OuterRef("pk")).order_by("id")
    policy, table = (Subquery(documents.values(name)[:1]) for name in ("policy", "trust_table_id"))
    return snapshots.annotate(policy=policy, trust_table_id=table)


def _changed_since(read: Sequence[Snapshot]) -> QuerySet[Snapshot]:
    """Lock snapshots against redaction; return those that were redacted since they were read."""
    digests = {each.pk: bytes(each.digest) for each in read}
    for key in sorted(digests):
        lock_snapshot(key)
    present = Snapshot.objects.filter(pk__in=digests).values_list("pk", "digest")
    return _with_policies(Snapshot.objects.filter(pk__in=[key for key, digest in present if bytes(digest) != digests[key]]))


def _freeze(snapshot: Snapshot, profile: EngineProfile) -> Frozen:
    record = bytes(snapshot.record)
    kept, table_id = getattr(snapshot, "policy", None), getattr(snapshot, "trust_table_id", None)
    policy = read_policy(kept, table_id, repairs=not is_answer_gone(record))
    schema = find_schema(snapshot.schema_id)
    return replace(freeze(read_stored_record(record), snapshot.frozen_at, profile, schema=schema, policy=policy), id=snapshot.pk)


def _rows(frozen: Frozen, organisation: Organisation, at: datetime) -> store.SnapshotRows:
    """Return the rows of a record, like those that a redaction leaves if its answer is redacted."""
    rows = store.snapshot_rows(frozen, organisation, at)
    if rows.documents and is_answer_gone(frozen.record.raw):
        rows.documents.validity = NOT_JUDGED
    return rows


def _event(rows: store.SnapshotRows, organisation_id: UUID, at: datetime) -> Event:
    frozen = rows.frozen
    details = {
        "attribution": str(frozen.attribution_id),
        "profile": frozen.attribution.profile,
        "engine": frozen.attribution.engine_version,
    }
    written = rows.all[1:]  # the snapshot is stored already
    return Event(Action.SNAPSHOT_ATTRIBUTED, organisation_id, SYSTEM, at, "snapshot", frozen.id, details, rows=written)
