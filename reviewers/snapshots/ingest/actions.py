"""Ingest records: freeze, attribute and store them, each with its audit event, in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import monotonic
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from psycopg.errors import ForeignKeyViolation, UniqueViolation

from attribution import GuardrailCode, canonical_bytes
from attribution import Profile as EngineProfile
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record_all
from reviewers.ledger.encoding import LedgerRow, rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.queries import list_redacted_of
from reviewers.snapshots.hooks import Combination, combination_of, profiles_for, tell_contradictions
from reviewers.snapshots.ingest.freeze import Frozen, freeze, parts_of, parts_of_repair
from reviewers.snapshots.ingest.records import Record, RecordError, read_record
from reviewers.snapshots.models import Profile, Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.snapshots.versions.in_use import FreezingTerms, find_approved_schemas, id_of_table_in_use, policy_of, profile_under
from reviewers.snapshots.work_requests import request_work

BATCH = 500
"""The most records in one transaction."""

NOT_TAKEN = "not taken: the records before it took as long as a request may; send it again"

_MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class IngestOutcome:
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


def ingest_lines(
    *, lines: Sequence[bytes], organisation: Organisation, by: Actor, at: datetime, until: float | None = None
) -> list[IngestOutcome]:
    """Read and freeze records, one a line; return an outcome for each, in order. See ``ingest`` for ``until``."""
    read: list[Record] = []
    refused: dict[int, IngestOutcome] = {}
    for index, line in enumerate(lines):
        try:
            read.append(read_record(line))
        except RecordError as error:
            refused[index] = IngestOutcome("", error=error)
    frozen = iter(ingest(records=read, organisation=organisation, by=by, at=at, until=until) if read else ())
    return [refused.get(index) or next(frozen) for index in range(len(lines))]


def ingest(
    *, records: Sequence[Record], organisation: Organisation, by: Actor, at: datetime, until: float | None = None
) -> list[IngestOutcome]:
    """Freeze records in one transaction; return an outcome for each, in order.

    Once the monotonic clock is past ``until``, no new record is taken but the first: a small one may take as long as a large one.

    A record with a known external id is compared by content: equal content gives the existing snapshot, different content an error 409. The
    database settles concurrent requests with one id: the loser tries again.
    """
    for _ in range(_MOST_ATTEMPTS):
        try:
            with transaction.atomic():
                return _ingest(records, organisation, by, at, until)
        except IntegrityError as error:
            if not _may_pass(error):
                raise
    lost = RecordError("", "other requests keep sending the same records; try again", status=409)
    return [IngestOutcome(record.external_id, error=lost) for record in records]


def _may_pass(error: IntegrityError) -> bool:
    """Return True if another try may succeed: another request was first, or a restored backup lacks a profile known to this process."""
    cause = error.__cause__
    return isinstance(cause, UniqueViolation) or (isinstance(cause, ForeignKeyViolation) and forget_profiles())


def _ingest(records: Sequence[Record], organisation: Organisation, by: Actor, at: datetime, until: float | None) -> list[IngestOutcome]:
    known = _known(organisation, [record.external_id for record in records])
    terms = _terms(organisation, [record for record in records if record.external_id not in known])
    fresh: list[Frozen] = []
    outcomes: list[IngestOutcome] = []
    for record in records:
        outcome = _compare(record, known)
        if outcome is None and fresh and until is not None and monotonic() >= until:
            outcome = IngestOutcome(record.external_id, error=RecordError("", NOT_TAKEN, status=503))
        if outcome is None:
            try:
                frozen = freeze(record, at, terms[combination_of(record.names)])
            except RecordError as error:
                outcome = IngestOutcome(record.external_id, error=error)
            else:
                fresh.append(frozen)
                known[record.external_id] = (frozen.snapshot.id, record.content_digest)
                outcome = IngestOutcome(record.external_id, frozen.snapshot.id, frozen.attribution_row, frozen.documents_row)
        outcomes.append(outcome)
    if fresh:
        _write(fresh, organisation, by, at, terms.values())
    return outcomes


def _terms(organisation: Organisation, new: Collection[Record]) -> Mapping[Combination, FreezingTerms]:
    """Return the terms of new records by their combinations, in one lookup each; none of what no record needs."""
    schemas = find_approved_schemas(organisation.id, {record.names["schema_version"] for record in new})
    table_id = id_of_table_in_use(organisation.id) if any(record.has_sources for record in new) else None
    profiles = profiles_for(organisation.id, {combination_of(record.names) for record in new}) if new else {}
    policy = policy_of(organisation, table_id)
    terms: dict[Combination, FreezingTerms] = {}
    for combination, profile in profiles.items():
        schema_id = schemas.get(combination.schema_version)
        terms[combination] = FreezingTerms(organisation, profile_under(profile, schema_id), schema_id, policy, table_id)
    return terms


_KNOWN = "SELECT external_id, id, content_digest FROM snapshots_snapshot WHERE organisation_id = %s AND external_id = ANY(%s)"


def _known(organisation: Organisation, external_ids: list[str]) -> dict[str, tuple[UUID, bytes]]:
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN, [organisation.id, external_ids])
        return {external_id: (pk, bytes(content)) for external_id, pk, content in cursor}


def _compare(record: Record, known: dict[str, tuple[UUID, bytes]]) -> IngestOutcome | None:
    """Return the outcome of a record that exists already, or None for a new one."""
    if record.external_id not in known:
        return None
    snapshot_id, content_digest = known[record.external_id]
    if content_digest == record.content_digest:
        return IngestOutcome(record.external_id, snapshot_id)
    return IngestOutcome(record.external_id, error=RecordError("id", _why_refused(snapshot_id), 409))


def _why_refused(snapshot_id: UUID) -> str:
    """Return the reason for refusing different content. Redacted content cannot be compared, and does not come back by being sent again.

    What people wrote beside the record is none of its content: that it was redacted is not told.
    """
    redacted = [each for each in list_redacted_of([snapshot_id]) if any(is_of_record(name) for name in each.parts)]
    if not redacted:
        return "a snapshot of this id has another content; it is not changed"
    return f"parts of the snapshot of this id were redacted on {redacted[-1].at:%Y-%m-%d}; what is sent is not compared with it or kept"


def _write(fresh: Sequence[Frozen], organisation: Organisation, by: Actor, at: datetime, terms: Iterable[FreezingTerms]) -> None:
    profiles = ensure_profiles_once(each.profile for each in terms)
    asked = request_work(fresh, organisation, by, at)
    events = [_event(each, by, at) for each in fresh]
    events[0] = replace(events[0], rows=[*profiles, *events[0].rows])
    events += [event for each in fresh if (event := _repair_event(each, by, at))]
    written = [*_snapshots_in_order(fresh), *attributions_in_order(fresh), *asked.rows]
    record_all([*events, *asked.events], written)
    contradicting = [each.snapshot.id for each in fresh if GuardrailCode.CONTRADICTED.value in each.attribution_row.guardrails]
    tell_contradictions(organisation.id, contradicting, at)
    asked.defer(organisation.id)


def _snapshots_in_order(fresh: Iterable[Frozen]) -> list[Snapshot]:
    """Return the snapshots in the order of their external ids, so that concurrent requests with the same ids cannot deadlock."""
    return sorted((each.snapshot for each in fresh), key=lambda row: row.external_id)


def attributions_in_order(fresh: Sequence[Frozen]) -> list[SnapshotAttribution | SnapshotDocuments]:
    """Return the rows of attributions, to fields and then to documents."""
    return [*(each.attribution_row for each in fresh), *(each.documents_row for each in fresh if each.documents_row)]


def attribution_details(row: SnapshotAttribution) -> dict[str, str]:
    """Return the details of an event that are about an attribution."""
    return {"attribution": str(row.id), "profile": row.profile_id, "engine": row.engine_version}


def _event(frozen: Frozen, by: Actor, at: datetime) -> Event:
    snapshot, details = frozen.snapshot, attribution_details(frozen.attribution_row)
    parts = parts_of(frozen)
    return Event(Action.SNAPSHOT_FROZEN, snapshot.organisation_id, by, at, "snapshot", snapshot.id, details, parts, rows=frozen.rows)


def _repair_event(frozen: Frozen, by: Actor, at: datetime) -> Event | None:
    """Return the event of a repair, if sources were attached to the answer."""
    snapshot, documents, row = frozen.snapshot, frozen.documents, frozen.documents_row
    if documents is None or row is None or not row.repaired_count:
        return None
    details = {"attribution": str(frozen.attribution_row.id), "attached": row.repaired_count}
    parts = parts_of_repair(documents, bytes(row.digest))
    return Event(Action.ANSWER_REPAIRED, snapshot.organisation_id, by, at, "snapshot", snapshot.id, details, parts, rows=frozen.rows)


# The profiles that attributions name.


_stored: set[str] = set()
"""Names of profiles that a committed transaction of this process has stored or found: profiles never change or disappear."""


def ensure_profiles_once(used: Iterable[EngineProfile]) -> list[LedgerRow]:
    """Like `ensure_profiles`, but look each profile up once in this process. Call this in a transaction.

    If one is missing after all, the database refuses the attributions at commit; see `forget_profiles`.
    """
    asked = [profile for profile in used if profile.id not in _stored]
    if not asked:
        return []
    rows = ensure_profiles(asked)
    transaction.on_commit(partial(_stored.update, [profile.id for profile in asked]))
    return rows


def forget_profiles() -> bool:
    """Forget which profiles are stored; return True if any were known."""
    were_known = bool(_stored)
    _stored.clear()
    return were_known


def ensure_profiles(used: Iterable[EngineProfile]) -> list[LedgerRow]:
    """Store those of the profiles that are missing; return their rows."""
    by_id = {profile.id: profile for profile in used}
    there = set(Profile.objects.filter(pk__in=by_id).values_list("pk", flat=True))
    new = [Profile(id=each, document=canonical_bytes(by_id[each].data)) for each in sorted(by_id.keys() - there)]
    if new:
        Profile.objects.bulk_create(new, ignore_conflicts=True)
    return rows_of(new)
