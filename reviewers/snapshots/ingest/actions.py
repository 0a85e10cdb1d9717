"""Ingest records: freeze, attribute and store them, each with its audit event, in one transaction.

A summary is built from what was just frozen, as it would be read back, without asking the database.
"""

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
from reviewers.ledger.encoding import Row
from reviewers.ledger.events import Action, Event
from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots.citation_search import defer_searches, request_searches
from reviewers.snapshots.hooks import Combination, combination_of, profiles_for
from reviewers.snapshots.ingest import store
from reviewers.snapshots.ingest.citation_policy import AnswerPolicy, policy_of
from reviewers.snapshots.ingest.freeze import Frozen, FrozenDocuments, freeze, parts_of, parts_of_repair
from reviewers.snapshots.ingest.records import Record, RecordError, read_record
from reviewers.snapshots.ingest.store import ensure_profiles_once, forget_profiles
from reviewers.snapshots.judged_support.actions import defer_support, request_support
from reviewers.snapshots.queries import DocumentSummary, Summary, named
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.snapshots.versions.in_use import SchemaInUse, find_approved_schemas, find_table_in_use


def summary_of(frozen: Frozen, at: datetime) -> Summary:
    """Return the summary of a record that was frozen ``at`` a moment."""
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
    """Return the counts in the order in which PostgreSQL keeps keys: the shortest first."""
    return dict(sorted(counts.items(), key=lambda each: (len(each[0]), each[0])))


BATCH = 500
"""The most records in one transaction."""

_MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a record: a new snapshot with its summary, the snapshot that existed, or the error."""

    external_id: str
    snapshot_id: UUID | None = None
    summary: Summary | None = None
    error: RecordError | None = None

    @property
    def is_new(self) -> bool:
        """True if the record was frozen now."""
        return self.summary is not None


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
    new = [record for record in records if record.external_id not in known]
    grounds = _grounds(organisation, new)
    fresh: list[Frozen] = []
    outcomes: list[Outcome] = []
    for record in records:
        outcome = _compare(record, known)
        if outcome is None:
            outcome, frozen = _try_to_freeze(record, at, grounds)
            if frozen:
                fresh.append(frozen)
                known[record.external_id] = (frozen.id, record.content_digest)
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


def _try_to_freeze(record: Record, at: datetime, grounds: _Grounds) -> tuple[Outcome, Frozen | None]:
    try:
        profile, schema = grounds.profiles[combination_of(record.names)], grounds.schemas.get(record.names["schema_version"])
        frozen = freeze(record, at, profile, schema=schema, policy=grounds.policy)
    except RecordError as error:
        return Outcome(record.external_id, error=error), None
    return Outcome(record.external_id, frozen.id, summary_of(frozen, at)), frozen


def _write(fresh: Sequence[Frozen], organisation: Organisation, by: Actor, at: datetime, profiles: Iterable[EngineProfile]) -> None:
    profile = ensure_profiles_once(profiles)
    rows = [store.snapshot_rows(frozen, organisation, at) for frozen in fresh]
    asked = request_searches(fresh, organisation, by, at)
    judging = request_support(fresh, organisation, by, at)
    events = [_event(frozen, each.all, organisation.id, by, at) for frozen, each in zip(fresh, rows, strict=True)]
    events[0] = replace(events[0], rows=[*profile, *events[0].rows])
    repairs = [_repair_event(frozen, each.all, organisation.id, by, at) for frozen, each in zip(fresh, rows, strict=True)]
    events += [event for event in repairs if event]
    written = [*store.snapshots_in_order(rows), *store.attributions_in_order(rows), *asked.searches, *asked.results, *judging.rows]
    record_all([*events, *asked.events, *judging.events], written)
    defer_searches(asked.pending, organisation.id)
    defer_support([row.id for row in judging.rows], organisation.id)


def _event(frozen: Frozen, rows: Sequence[Row], organisation_id: UUID, by: Actor, at: datetime) -> Event:
    details = {
        "attribution": str(frozen.attribution_id),
        "profile": frozen.attribution.profile,
        "engine": frozen.attribution.engine_version,
    }
    return Event(Action.SNAPSHOT_FROZEN, organisation_id, by, at, "snapshot", frozen.id, details, parts_of(frozen), rows=rows)


def _repair_event(frozen: Frozen, rows: Sequence[Row], organisation_id: UUID, by: Actor, at: datetime) -> Event | None:
    """Return the event of a repair, if sources were attached to the answer."""
    if frozen.documents is None or not frozen.documents.attached:
        return None
    details = {"attribution": str(frozen.attribution_id), "attached": len(frozen.documents.attached)}
    parts = parts_of_repair(frozen.documents)
    return Event(Action.ANSWER_REPAIRED, organisation_id, by, at, "snapshot", frozen.id, details, parts, rows=rows)
