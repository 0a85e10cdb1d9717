"""Attribute stored turns again by the present engine, and enter the results beside the attributions that they have.

Turns leave the database as plain values and come back as results, so that where the engine runs does not matter. A piece of results is
entered in one transaction. What was entered is not done again, so a run that was stopped goes on when it is started again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from attribution import Profile as EngineProfile
from attribution import StoredResult, StoredTurn, canonical_bytes, write_terms
from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.calibration.recomputing.changes import AttributionChange, ChangeKind, ShadowOfEngine, changes_of
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.models import QueueItem
from reviewers.review.queue.actions import switch_attribution
from reviewers.snapshots.hooks import Combination, profiles_for
from reviewers.snapshots.ingest.freeze import hidden_sections_of
from reviewers.snapshots.ingest.records import read_stored_record
from reviewers.snapshots.models import Schema, Snapshot, TrustTable
from reviewers.snapshots.reattribution import enter_attributions, not_yet_under, terms_kept, with_policies
from reviewers.snapshots.versions.in_use import policy_data, profile_under, title_of_table
from reviewers.web.models import unpack

_READ_AT_ONCE = 500
"""Turns that are read by one query."""

AT_ONCE = 100
"""Results in one transaction."""

Engine = Callable[[Iterable[StoredTurn], Mapping[str, str]], Iterator[StoredResult]]
"""Attributes turns. The terms are complete once all turns were read."""

Told = Callable[[int], object]
"""Called with the number of turns that a piece had."""


class TurnReader:
    """Reads stored turns. ``terms`` are those of the turns that were read, as JSON by name, and ``profiles`` the profile of each."""

    def __init__(self) -> None:
        self.terms: dict[str, str] = {}
        self.profiles: dict[str, EngineProfile] = {}
        self._names: dict[tuple[object, ...], str] = {}

    def read(self, snapshots: QuerySet[Snapshot], profile: EngineProfile) -> Iterator[StoredTurn]:
        """Yield snapshots in the order of their identifiers, to be attributed under a profile."""
        ahead = with_policies(snapshots).order_by("pk")
        while piece := list(ahead[:_READ_AT_ONCE]):
            yield from self._read(piece, profile)
            ahead = with_policies(snapshots.filter(pk__gt=piece[-1].pk)).order_by("pk")

    def _read(self, snapshots: Sequence[Snapshot], profile: EngineProfile) -> Iterator[StoredTurn]:
        for snapshot in snapshots:
            content = read_stored_record(bytes(snapshot.record))
            hidden = hidden_sections_of(content, profile_under(profile, snapshot.schema_id))
            yield StoredTurn(
                key=str(snapshot.pk),
                digest=bytes(snapshot.digest),
                record=bytes(snapshot.record),
                hidden_sections=canonical_bytes(sorted(hidden)),
                answered_on=content.answered_at.date() if content.answered_at else None,
                cited_on=(content.answered_at or snapshot.frozen_at).date(),
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


@dataclass
class RecomputedTurns:
    """The outcome of recomputing: attributions entered, answers that show theirs now, and the report of what changes."""

    entered: int = 0
    switched: int = 0
    left: int = 0
    report: ShadowOfEngine = field(default_factory=ShadowOfEngine)


@transaction.atomic
def waiting_turns(organisation: Organisation, now: datetime) -> dict[Combination, EngineProfile]:
    """Return the combinations of an organisation with turns that the present engine has not attributed, with the profile of each."""
    names = Snapshot.objects.filter(organisation=organisation).order_by().values_list(*Combination._fields).distinct()
    profiles = profiles_for(organisation.pk, [Combination(*each) for each in names])
    return {each: profile for each, profile in sorted(profiles.items()) if _waiting(organisation, each, profile, now).exists()}


def count_waiting(organisation: Organisation, profiles: Mapping[Combination, EngineProfile], now: datetime) -> int:
    """Return the number of turns that wait to be attributed."""
    return sum(_waiting(organisation, each, profile, now).count() for each, profile in profiles.items())


def _waiting(organisation: Organisation, combination: Combination, profile: EngineProfile, now: datetime) -> QuerySet[Snapshot]:
    return not_yet_under(profile.id, organisation.pk, combination, now)


@transaction.atomic
def note_export(*, organisation: Organisation, turns: int, by: Actor, now: datetime) -> None:
    """Write the audit event of an export of stored turns, before the first of them is in a file."""
    record(Event(Action.TURNS_EXPORTED, organisation.pk, by, now, "organisation", organisation.pk, {"turns": turns}))


def recompute(
    *, organisation: Organisation, engine: Engine, now: datetime, is_trial: bool = False, told: Told = lambda _: None
) -> RecomputedTurns:
    """Attribute the turns that wait, compare each result with the attribution that is shown, and enter it unless it is a trial.

    Answers that nobody has begun to review show the new attribution from then on.
    """
    reader, done = TurnReader(), RecomputedTurns()
    waiting = waiting_turns(organisation, now)
    turns = (turn for each, profile in waiting.items() for turn in reader.read(_waiting(organisation, each, profile, now), profile))
    results = engine(turns, reader.terms)
    while piece := list(islice(results, AT_ONCE)):
        _compare(piece, done.report)
        if not is_trial:
            _enter(piece, reader.profiles, organisation, now, done)
        told(len(piece))
    return done


def _compare(piece: Sequence[StoredResult], report: ShadowOfEngine) -> None:
    shown = QueueItem.objects.filter(pk__in=[each.key for each in piece])
    documents = shown.values_list("pk", "attribution__document", "attribution__documents__document")
    before = {str(pk): (bytes(fields), bytes(cited or b"")) for pk, fields, cited in documents}
    for each in piece:
        if each.key in before:
            report.add(each.key, list(_changes(*before[each.key], each)))


def _changes(fields: bytes, documents: bytes, result: StoredResult) -> Iterator[AttributionChange]:
    """Yield the changes from an attribution as it is stored; ``documents`` is empty if there is none to documents."""
    if result.fields is None:
        yield AttributionChange(ChangeKind.UNREADABLE)
        return
    yield from changes_of(unpack(fields), json.loads(result.fields))
    if _without_engine(zlib.decompress(documents) if documents else None) != _without_engine(result.documents):
        yield AttributionChange(ChangeKind.DOCUMENTS)


def _without_engine(documents: bytes | None) -> Any:
    """Return an attribution to documents without the version that made it."""
    return None if documents is None else json.loads(documents) | {"engine": ""}


@transaction.atomic
def _enter(
    piece: Sequence[StoredResult],
    profiles: Mapping[str, EngineProfile],
    organisation: Organisation,
    now: datetime,
    done: RecomputedTurns,
) -> None:
    """Enter results, by their profiles. One whose profile is not in use any more is left out."""
    names = {UUID(each.key): profiles[each.terms] for each in piece}
    rows = Snapshot.objects.filter(pk__in=names).values_list("pk", *Combination._fields)
    combinations = {pk: Combination(*each) for pk, *each in rows}
    in_use = profiles_for(organisation.pk, set(combinations.values()))
    results = {UUID(each.key): each for each in piece if in_use[combinations[UUID(each.key)]].id == profiles[each.terms].id}
    for profile in {profile.id: profile for profile in names.values()}.values():
        own = {pk: each for pk, each in results.items() if names[pk].id == profile.id}
        entered = enter_attributions(results=own, profile=profile, organisation=organisation, at=now)
        done.entered += len(entered)
        done.switched += switch_attribution(entered)
    done.left = done.report.compared - done.entered
