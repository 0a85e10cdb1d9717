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
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.hooks import Combination
from reviewers.snapshots.ingest.actions import attribution_details, attributions_in_order, ensure_profiles
from reviewers.snapshots.ingest.freeze import Frozen, freeze
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redaction import NOT_JUDGED, is_answer_gone, lock_snapshot
from reviewers.snapshots.versions.in_use import FreezingTerms, profile_under, read_policy


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
    frozen = {each.pk: _freeze(each, profile, organisation, at) for each in read}
    if not frozen:
        return {}
    profiles = ensure_profiles([profile])
    frozen |= {each.pk: _freeze(each, profile, organisation, at) for each in _changed_since(read)}
    events = [_event(each, at) for each in frozen.values()]
    events[0] = replace(events[0], rows=[*profiles, *events[0].rows])
    record_all(events, attributions_in_order([*frozen.values()]))
    return {pk: each.attribution_row.id for pk, each in frozen.items()}


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


def _freeze(snapshot: Snapshot, profile: EngineProfile, organisation: Organisation, at: datetime) -> Frozen:
    """Return the record with attributions that are made now. They are like those that a redaction leaves if its answer is redacted."""
    record, is_gone = bytes(snapshot.record), is_answer_gone(bytes(snapshot.record))
    kept, table_id = getattr(snapshot, "policy", None), getattr(snapshot, "trust_table_id", None)
    policy = read_policy(kept, table_id, repairs=not is_gone)
    terms = FreezingTerms(organisation, profile_under(profile, snapshot.schema_id), snapshot.schema_id, policy, table_id)
    frozen = freeze(read_stored_record(record), snapshot.frozen_at, terms)
    frozen.attribution_row.snapshot, frozen.attribution_row.attributed_at = snapshot, at
    if frozen.documents_row and is_gone:
        frozen.documents_row.validity = NOT_JUDGED
    return frozen


def _event(frozen: Frozen, at: datetime) -> Event:
    row, written = frozen.attribution_row, rows_of(frozen.attributions)
    details = attribution_details(row)
    return Event(Action.SNAPSHOT_ATTRIBUTED, row.organisation_id, SYSTEM, at, "snapshot", row.snapshot_id, details, rows=written)
