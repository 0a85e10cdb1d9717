"""Stored turns as plain values, with the terms they are attributed under, for a process that has no database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models import QuerySet

from attribution import Profile as EngineProfile
from attribution import StoredTurn, canonical_bytes, write_terms
from reviewers.snapshots.ingest.freeze import hidden_sections_of
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.models import Schema, Snapshot, TrustTable
from reviewers.snapshots.reattribution import terms_kept, with_policies
from reviewers.snapshots.versions.in_use import policy_data, profile_under, title_of_table

AT_ONCE = 500
"""Turns that are read by one query."""


class TurnReader:
    """Reads stored turns. ``terms`` are those of the turns that were read, as JSON by name, and ``profiles`` the profile of each."""

    def __init__(self) -> None:
        self.terms: dict[str, str] = {}
        self.profiles: dict[str, EngineProfile] = {}
        self._names: dict[tuple[object, ...], str] = {}

    def read(self, snapshots: QuerySet[Snapshot], profile: EngineProfile) -> Iterator[StoredTurn]:
        """Yield snapshots in the order of their identifiers, to be attributed under a profile."""
        ahead = with_policies(snapshots).order_by("pk")
        while piece := list(ahead[:AT_ONCE]):
            yield from self._read(piece, profile)
            ahead = with_policies(snapshots.filter(pk__gt=piece[-1].pk)).order_by("pk")

    def _read(self, snapshots: Sequence[Snapshot], profile: EngineProfile) -> Iterator[StoredTurn]:
        for snapshot in snapshots:
            record = read_stored_record(bytes(snapshot.record))
            hidden = hidden_sections_of(record, profile_under(profile, snapshot.schema_id))
            yield StoredTurn(
                key=str(snapshot.pk),
                digest=bytes(snapshot.digest),
                record=bytes(snapshot.record),
                hidden_sections=canonical_bytes(sorted(hidden)),
                answered_on=record.answered_at.date() if record.answered_at else None,
                cited_on=(record.answered_at or snapshot.frozen_at).date(),
                terms=self._name(snapshot, profile),
            )

    def _name(self, snapshot: Snapshot, profile: EngineProfile) -> str:
        policy, table_id = terms_kept(snapshot)
        asked = policy_data(policy)
        key = (profile.id, snapshot.schema_id, *asked.values(), table_id)
        if key not in self._names:
            schema, table = _schema(snapshot.schema_id), _table(table_id)
            title = title_of_table(table.number) if table else ""
            text = bytes(table.document) if table else None
            name, content = write_terms(profile=profile, schema=schema, policy=asked, trust_table=text, trust_title=title)
            self._names[key], self.terms[name], self.profiles[name] = name, content, profile
        return self._names[key]


def _schema(schema_id: UUID | None) -> bytes | None:
    return bytes(Schema.objects.values_list("document", flat=True).get(pk=schema_id)) if schema_id else None


def _table(table_id: UUID | None) -> TrustTable | None:
    return TrustTable.objects.get(pk=table_id) if table_id else None
