"""Ingest records: freeze, attribute and store them, each with its audit event, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from psycopg.errors import ForeignKeyViolation, UniqueViolation

from attribution import Profile as EngineProfile
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots.citation_search import defer_searches, request_searches
from reviewers.snapshots.hooks import Combination, combination_of, profiles_for
from reviewers.snapshots.ingest import store
from reviewers.snapshots.ingest.citation_policy import AnswerPolicy, policy_of
from reviewers.snapshots.ingest.freeze import Frozen, freeze, parts_of, parts_of_repair
from reviewers.snapshots.ingest.records import Record, RecordError, read_record
from reviewers.snapshots.ingest.store import SnapshotRows, ensure_profiles_once, forget_profiles
from reviewers.snapshots.judged_support.actions import defer_support, request_support
from reviewers.snapshots.models import SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.snapshots.versions.in_use import SchemaInUse, find_approved_schemas, find_table_in_use

BATCH = 500
"""The most records in one transaction."""

_MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a record: a new snapshot with its attribution, the snapshot that existed, or the error."""

    external_id: str
    snapshot_id: UUID | None = None
    attribution: SnapshotAttribution | None = None
    documents: SnapshotDocuments | None = None
    error: RecordError | None = None

    @property
    def is_new(self) -> bool:
        """True if the record was frozen now."""
        return self.attribution is not None


def ingest_lines(*, lines: Sequence[bytes], organisation: Organisation, by: Actor, at: datetime) -> list[Outcome]:
    """Read and freeze records, one a line; return an outcome for each, in order."""
    read: list[Record] = []
    refused: dict[int, Outcome] = {}
    for index, line in enumerate(lines):
        try:
            read.append(read_record(line))
        except RecordError as error:
            refused[index] = Outcome("", error=error)
    frozen = iter(ingest(records=read, organisation=organisation, by=by, at=at) if read else ())
    return [refused.get(index) or next(frozen) for index in range(len(lines))]


def ingest(*, records: Sequence[Record], organisation: Organisation, by: Actor, at: datetime) -> list[Outcome]:
    """Freeze records in one transaction; return an outcome for each, in order.

    A record with a known external id is compared by content: equal content gives the existing snapshot, different content an error 409. The
    database settles concurrent requests with one id: the loser tries again.
    """
    for _ in range(_MOST_ATTEMPTS):
        try:
            with transaction.atomic():
                return _ingest(records, organisation, by, at)
        except IntegrityError as error:
            if not _may_pass(error):
                raise
    lost = RecordError("", "other requests keep sending the same records; try again", status=409)
    return [Outcome(record.external_id, error=lost) for record in records]


def _may_pass(error: IntegrityError) -> bool:
    """Return True if another try may succeed: another request was first, or a restored backup lacks a profile known to this process."""
    cause = error.__cause__
    return isinstance(cause, UniqueViolation) or (isinstance(cause, ForeignKeyViolation) and forget_profiles())


def _ingest(records: Sequence[Record], organisation: Organisation, by: Actor, at: datetime) -> list[Outcome]:
    known = _known(organisation, [record.external_id for record in records])
    grounds = _grounds(organisation, [record for record in records if record.external_id not in known])
    fresh: list[SnapshotRows] = []
    outcomes: list[Outcome] = []
    for record in records:
        outcome = _compare(record, known)
        if outcome is None:
            try:
                rows = store.snapshot_rows(_freeze(record, at, grounds), organisation, at)
            except RecordError as error:
                outcome = Outcome(record.external_id, error=error)
            else:
                fresh.append(rows)
                known[record.external_id] = (rows.snapshot.id, record.content_digest)
                outcome = Outcome(record.external_id, rows.snapshot.id, rows.attribution, rows.documents)
        outcomes.append(outcome)
    if fresh:
        _write(fresh, organisation, by, at, grounds.profiles.values())
    return outcomes


@dataclass(frozen=True, slots=True)
class _Grounds:
    """The profiles, schemas and policy that new records are frozen under."""

    profiles: Mapping[Combination, EngineProfile]
    schemas: Mapping[str, SchemaInUse]
    policy: AnswerPolicy


def _grounds(organisation: Organisation, new: Sequence[Record]) -> _Grounds:
    """Return what new records are frozen under, in one lookup each; none for what no record needs."""
    schemas = find_approved_schemas(organisation.id, {record.names["schema_version"] for record in new})
    own = find_table_in_use(organisation.id) if any(record.citing.is_given for record in new) else None
    profiles = profiles_for(organisation.id, {combination_of(record.names) for record in new}) if new else {}
    return _Grounds(profiles, schemas, policy_of(organisation, own))


_KNOWN = "SELECT external_id, id, content_digest FROM snapshots_snapshot WHERE organisation_id = %s AND external_id = ANY(%s)"


def _known(organisation: Organisation, external_ids: list[str]) -> dict[str, tuple[UUID, bytes]]:
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, [organisation.id, external_ids])
        return {external_id: (pk, bytes(content)) for external_id, pk, content in cursor}


def _compare(record: Record, known: dict[str, tuple[UUID, bytes]]) -> Outcome | None:
    """Return the outcome of a record that exists already, or None for a new one."""
    if record.external_id not in known:
        return None
    snapshot_id, content_digest = known[record.external_id]
    if content_digest == record.content_digest:
        return Outcome(record.external_id, snapshot_id)
    return Outcome(record.external_id, error=RecordError("id", _why_refused(snapshot_id), 409))


def _why_refused(snapshot_id: UUID) -> str:
    """Return the reason for refusing different content. Redacted content cannot be compared, and does not come back by being sent again.

    What people wrote beside the record is none of its content: that it was redacted is not told.
    """
    redacted = [each for each in list_redacted_of([snapshot_id]) if any(is_of_record(name) for name in each.parts)]
    if not redacted:
        return "a snapshot of this id has another content; it is not changed"
    return f"parts of the snapshot of this id were redacted on {redacted[-1].at:%Y-%m-%d}; what is sent is not compared with it or kept"


def _freeze(record: Record, at: datetime, grounds: _Grounds) -> Frozen:
    profile, schema = grounds.profiles[combination_of(record.names)], grounds.schemas.get(record.names["schema_version"])
    return freeze(record, at, profile, schema=schema, policy=grounds.policy)


def _write(rows: Sequence[SnapshotRows], organisation: Organisation, by: Actor, at: datetime, profiles: Iterable[EngineProfile]) -> None:
    profile = ensure_profiles_once(profiles)
    fresh = [each.frozen for each in rows]
    asked = request_searches(fresh, organisation, by, at)
    judging = request_support(fresh, organisation, by, at)
    events = [_event(each, organisation.id, by, at) for each in rows]
    events[0] = replace(events[0], rows=[*profile, *events[0].rows])
    events += [event for each in rows if (event := _repair_event(each, organisation.id, by, at))]
    written = [*store.snapshots_in_order(rows), *store.attributions_in_order(rows), *asked.searches, *asked.results, *judging.rows]
    record_all([*events, *asked.events, *judging.events], written)
    defer_searches(asked.pending, organisation.id)
    defer_support([row.id for row in judging.rows], organisation.id)


def _event(rows: SnapshotRows, organisation_id: UUID, by: Actor, at: datetime) -> Event:
    frozen = rows.frozen
    details = {
        "attribution": str(frozen.attribution_id),
        "profile": frozen.attribution.profile,
        "engine": frozen.attribution.engine_version,
    }
    return Event(Action.SNAPSHOT_FROZEN, organisation_id, by, at, "snapshot", frozen.id, details, parts_of(frozen), rows=rows.all)


def _repair_event(rows: SnapshotRows, organisation_id: UUID, by: Actor, at: datetime) -> Event | None:
    """Return the event of a repair, if sources were attached to the answer."""
    frozen, documents = rows.frozen, rows.frozen.documents
    if documents is None or not documents.attached:
        return None
    details = {"attribution": str(frozen.attribution_id), "attached": len(documents.attached)}
    return Event(Action.ANSWER_REPAIRED, organisation_id, by, at, "snapshot", frozen.id, details, parts_of_repair(documents), rows=rows.all)
