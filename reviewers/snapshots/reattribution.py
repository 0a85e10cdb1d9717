"""Attribution of frozen records under another profile: a further attribution beside the existing ones, which stay."""

from __future__ import annotations

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
from reviewers.snapshots.ingest.freeze import Frozen, freeze
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments


def not_yet_under(profile_name: str, organisation_id: UUID, combination: Combination, until: datetime) -> QuerySet[Snapshot]:
    """Return a combination's snapshots, frozen until a moment, without an attribution under the profile by the present engine version."""
    done = SnapshotAttribution.objects.filter(profile=profile_name, engine_version=ENGINE_VERSION)
    own = Snapshot.objects.filter(organisation=organisation_id, frozen_at__lte=until, **combination._asdict())
    return own.exclude(pk__in=done.filter(organisation=organisation_id).values("snapshot"))


def attribute_again(*, snapshots: QuerySet[Snapshot], profile: EngineProfile, organisation: Organisation, at: datetime) -> dict[UUID, UUID]:
    """Write an attribution of each snapshot, with its event; return the attributions by snapshot. Call this in a transaction.

    A repair depends on the switch at the time of freezing, not on the present one.
    """
    documents = SnapshotDocuments.objects.filter(attribution__snapshot=OuterRef("pk")).order_by("id")
    frozen = [_freeze(each, profile) for each in snapshots.annotate(policy=Subquery(documents.values("policy")[:1]))]
    if not frozen:
        return {}
    profiles = store.ensure_profiles([profile])
    rows = [store.snapshot_rows(each, organisation, at) for each in frozen]
    events = [_event(each, its, organisation.pk, at) for each, its in zip(frozen, rows, strict=True)]
    events[0] = replace(events[0], rows=[*profiles, *events[0].rows])
    record_all(events, store.attributions_in_order(rows))
    return {each.id: each.attribution_id for each in frozen}


def _freeze(snapshot: Snapshot, profile: EngineProfile) -> Frozen:
    policy = getattr(snapshot, "policy", None) or {}
    frozen = freeze(read_record(bytes(snapshot.record)), snapshot.frozen_at, profile, repairs=bool(policy.get("repairs")))
    return replace(frozen, id=snapshot.pk)


def _event(frozen: Frozen, rows: store.SnapshotRows, organisation_id: UUID, at: datetime) -> Event:
    details = {
        "attribution": str(frozen.attribution_id),
        "profile": frozen.attribution.profile,
        "engine": frozen.attribution.engine_version,
    }
    written = rows.all[1:]  # the snapshot is stored already
    return Event(Action.SNAPSHOT_ATTRIBUTED, organisation_id, SYSTEM, at, "snapshot", frozen.id, details, rows=written)
