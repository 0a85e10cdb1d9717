"""Attribution of frozen records under another profile: a further attribution beside the existing ones, which stay."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from attribution import ENGINE_VERSION, Attribution, CitationPolicy, StoredResult, decode, read_json
from attribution import Profile as EngineProfile
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record_all
from reviewers.ledger.encoding import LedgerRow, rows_of
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.hooks import Combination
from reviewers.snapshots.ingest.actions import attribution_details, ensure_profiles
from reviewers.snapshots.ingest.freeze import Frozen, attribution_row, freeze, thaw_grounds
from reviewers.snapshots.ingest.freeze import documents_row as documents_row_of
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redaction import NOT_JUDGED, is_answer_gone, lock_snapshot
from reviewers.snapshots.versions.in_use import FreezingTerms, profile_under, read_policy


def not_yet_under(profile_name: str, organisation_id: UUID, combination: Combination, until: datetime) -> QuerySet[Snapshot]:
    """Return a combination's snapshots, frozen until a moment, without an attribution under the profile by the present engine version."""
    return not_yet_attributed(profile_name, organisation_id).filter(frozen_at__lte=until, **combination._asdict())


def not_yet_attributed(profile_name: str, organisation_id: UUID) -> QuerySet[Snapshot]:
    """Return an organisation's snapshots without an attribution under the profile by the present engine version."""
    done = SnapshotAttribution.objects.filter(organisation=organisation_id, profile=profile_name, engine_version=ENGINE_VERSION)
    return Snapshot.objects.filter(organisation=organisation_id).exclude(pk__in=done.values("snapshot"))


def attribute_again(*, snapshots: QuerySet[Snapshot], profile: EngineProfile, organisation: Organisation, at: datetime) -> dict[UUID, UUID]:
    """Write an attribution of each snapshot, with its event; return the attributions by snapshot. Call this in a transaction.

    Each keeps the schema of its freezing, and what was asked of citations at that time. What is redacted while the engine reads is read
    again.
    """
    read = list(with_policies(snapshots))
    frozen = {each.pk: _freeze(each, profile, organisation, at) for each in read}
    if not frozen:
        return {}
    profiles = ensure_profiles([profile])
    frozen |= {each.pk: _freeze(each, profile, organisation, at) for each in _changed_since(read)}
    return _write([AttributedRows(each.attribution_row, each.documents_row) for each in frozen.values()], profiles, at)


def enter_attributions(
    *, results: Mapping[UUID, StoredResult], profile: EngineProfile, organisation: Organisation, at: datetime
) -> dict[UUID, UUID]:
    """Write attributions that were made elsewhere from stored turns, as ``attribute_again`` does. Call this in a transaction.

    A snapshot that has one under the profile meanwhile is left out, and one that was redacted meanwhile is attributed here. Raise
    ``ForeignResult`` for a result that is not one of this engine under this profile.
    """
    for key in sorted(results):
        lock_snapshot(key)
    waiting = not_yet_attributed(profile.id, organisation.pk).filter(pk__in=results)
    rows: list[AttributedRows] = []
    changed: list[UUID] = []
    for snapshot in with_policies(waiting).order_by("pk"):
        result = results[snapshot.pk]
        if result.digest != bytes(snapshot.digest):
            changed.append(snapshot.pk)
        elif result.fields is not None:
            rows.append(_rows_of_result(snapshot, result, profile, at))
    entered = _write(rows, ensure_profiles([profile]), at) if rows else {}
    redacted = Snapshot.objects.filter(pk__in=changed)
    return entered | (attribute_again(snapshots=redacted, profile=profile, organisation=organisation, at=at) if changed else {})


class ForeignResult(Exception):  # noqa: N818 — says what it is
    """A result that this engine has not written, or of another version or profile."""


def _rows_of_result(snapshot: Snapshot, result: StoredResult, profile: EngineProfile, at: datetime) -> AttributedRows:
    fields = decode(json.loads(result.fields or b"{}"), {})
    if (fields.engine_version, fields.profile) != (ENGINE_VERSION, profile.id):
        raise ForeignResult(f"It is of engine {fields.engine_version} and profile {fields.profile}.")
    row, documents_row = attribution_row(fields, snapshot, profile.cutoff), None
    row.attributed_at = at
    if result.documents is not None:
        record = read_json(bytes(snapshot.record))
        documents_row = documents_row_of(thaw_grounds(json.loads(result.documents), record), row, *terms_kept(snapshot))
        if is_answer_gone(bytes(snapshot.record)):
            documents_row.validity = NOT_JUDGED
    written = (result.fields, result.documents)
    if written != (_unpacked(row), _unpacked(documents_row) if documents_row else None):
        raise ForeignResult("It is not as this engine writes it.")
    return AttributedRows(row, documents_row)


def _unpacked(row: SnapshotAttribution | SnapshotDocuments) -> bytes:
    return zlib.decompress(bytes(row.document))


class AttributedRows(NamedTuple):
    """The rows of an attribution: to fields and, if the turn has or cites documents, to these."""

    fields: SnapshotAttribution
    documents: SnapshotDocuments | None


def _write(rows: Sequence[AttributedRows], profiles: Sequence[LedgerRow], at: datetime) -> dict[UUID, UUID]:
    """Write attributions with an event each, the first of which also has the profiles that are new; return them by snapshot."""
    events = [_event(each, at) for each in rows]
    events[0] = replace(events[0], rows=[*profiles, *events[0].rows])
    record_all(events, [*(each.fields for each in rows), *(each.documents for each in rows if each.documents)])
    return {each.fields.snapshot_id: each.fields.id for each in rows}


def read_under(snapshots: QuerySet[Snapshot], profile: EngineProfile) -> Iterator[tuple[UUID, Attribution]]:
    """Yield what the engine says of the fields of stored snapshots under a profile, in their order. Nothing is written."""
    for each in with_policies(snapshots.select_related("organisation")):
        yield each.pk, _freeze(each, profile, each.organisation, each.frozen_at).attribution


def with_policies(snapshots: QuerySet[Snapshot]) -> QuerySet[Snapshot]:
    """Return snapshots with what was asked of citations, and the table of trust, at their freezing; see ``terms_kept``."""
    documents = SnapshotDocuments.objects.filter(attribution__snapshot=OuterRef("pk")).order_by("id")
    policy, table = (Subquery(documents.values(name)[:1]) for name in ("policy", "trust_table_id"))
    return snapshots.annotate(policy=policy, trust_table_id=table)


def _changed_since(read: Sequence[Snapshot]) -> QuerySet[Snapshot]:
    """Lock snapshots against redaction; return those that were redacted since they were read."""
    digests = {each.pk: bytes(each.digest) for each in read}
    for key in sorted(digests):
        lock_snapshot(key)
    present = Snapshot.objects.filter(pk__in=digests).values_list("pk", "digest")
    return with_policies(Snapshot.objects.filter(pk__in=[key for key, digest in present if bytes(digest) != digests[key]]))


def _freeze(snapshot: Snapshot, profile: EngineProfile, organisation: Organisation, at: datetime) -> Frozen:
    """Return the record with attributions that are made now. They are like those that a redaction leaves if its answer is redacted."""
    record, is_gone = bytes(snapshot.record), is_answer_gone(bytes(snapshot.record))
    policy, table_id = terms_kept(snapshot)
    terms = FreezingTerms(organisation, profile_under(profile, snapshot.schema_id), snapshot.schema_id, policy, table_id)
    frozen = freeze(read_stored_record(record), snapshot.frozen_at, terms)
    frozen.attribution_row.snapshot, frozen.attribution_row.attributed_at = snapshot, at
    if frozen.documents_row and is_gone:
        frozen.documents_row.validity = NOT_JUDGED
    return frozen


def terms_kept(snapshot: Snapshot) -> tuple[CitationPolicy, UUID | None]:
    """Return what is asked of the citations of a snapshot from ``with_policies``, and its table of trust.

    Nothing is attached to an answer that was redacted.
    """
    table_id = getattr(snapshot, "trust_table_id", None)
    repairs = not is_answer_gone(bytes(snapshot.record))
    return read_policy(getattr(snapshot, "policy", None), table_id, repairs=repairs), table_id


def _event(written: AttributedRows, at: datetime) -> Event:
    row, rows = written.fields, rows_of([written.fields, *([written.documents] if written.documents else [])])
    details = attribution_details(row)
    return Event(Action.SNAPSHOT_ATTRIBUTED, row.organisation_id, SYSTEM, at, "snapshot", row.snapshot_id, details, rows=rows)
