"""Import of label sets, each stored once however often it is imported, and export of a profile's labels."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from attribution.calibration import Stream, label_set
from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.calibration.combinations import ENGINE, scope_of
from reviewers.calibration.labels.imports import Incoming, LabelledTurn, Numbered, digest_of, imports_of, read_labels, sets_of_turns
from reviewers.calibration.labels.label_sets import NotLabelsError, heading, lines_of
from reviewers.calibration.labels.queries import hidden_answers
from reviewers.calibration.labels.thresholds import own_thresholds
from reviewers.calibration.models import CalibrationProfile, ImportedSet, SeenCombination
from reviewers.calibration.shadow import record_of
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.review.visibility import hides_engine_from, viewer_of
from reviewers.snapshots.hooks import Combination, LabelsRefusedError
from reviewers.snapshots.models import Snapshot

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ImportResult:
    """A set, and whether it is new."""

    imported: ImportedSet
    is_new: bool


def read_file(lines: Iterable[Numbered], organisation: Organisation, source: str, combination: Combination | None = None) -> list[Incoming]:
    """Return the sets in a file; raise ``NotLabelsError`` for an invalid one.

    Turns that are stored here keep their name, so that a reviewer's label on them takes precedence. ``combination`` replaces the one that
    turns name.
    """
    read = list(read_labels(lines, combination._asdict() if combination else None))
    turns = [each for each in read if isinstance(each, LabelledTurn)]
    if not turns:
        return [each for each in read if isinstance(each, Incoming)]
    stored = _stored([each.id for each in turns], organisation)
    return sets_of_turns(((each, stored.get(each.id, f"{source}:{each.id}")) for each in turns), str(organisation.pk))


@transaction.atomic
def import_sets(*, sets: Iterable[Incoming], source: str, organisation: Organisation, by: Actor, now: datetime) -> list[ImportResult]:
    """Store all the sets of a file, or none; raise ``NotLabelsError`` if one has no usable label."""
    return [import_labels(incoming=each, source=source, organisation=organisation, by=by, now=now) for each in sets]


def import_with_turns(lines: Sequence[Numbered], organisation: Organisation, source: str, by: Actor, now: datetime) -> list[str]:
    """Store the labels that came with imported turns; return sentences of what came in, as `LabelImporter` says."""
    try:
        all_brought = import_sets(sets=read_file(lines, organisation, source), source=source, organisation=organisation, by=by, now=now)
    except NotLabelsError as error:
        raise LabelsRefusedError(str(error)) from error
    return [told_of(brought) for brought in all_brought]


def told_of(brought: ImportResult) -> str:
    """Return what came of a set in a sentence."""
    made, said = brought.imported.combination, "brought in" if brought.is_new else "known already"
    return f"{brought.imported.label_count} labels on {made.model or 'no model given'}, {made.prompt_version or 'no prompt given'} {said}."


@transaction.atomic
def import_labels(*, incoming: Incoming, source: str, organisation: Organisation, by: Actor, now: datetime) -> ImportResult:
    """Store a set beside the labels of reviewers, with its source; raise ``NotLabelsError`` if it has no usable label."""
    digest, seen = digest_of(incoming), _find_or_note(incoming.combination, organisation, now)
    there = ImportedSet.objects.filter(combination=seen, digest=digest).first()
    if there is not None:
        return ImportResult(there, is_new=False)
    labels, told = label_set(incoming.gathered.observations), f"sha256:{digest.hex()}"
    first = heading(incoming.scope, None, told, incoming.gathered.imports)
    imported: ImportedSet = ImportedSet.objects.create(
        organisation_id=organisation.pk,
        combination=seen,
        origin=incoming.origin,
        source=source,
        digest=digest,
        document=zlib.compress(b"\n".join([first, *lines_of(incoming.gathered)])),
        label_count=labels.labels,
        conversation_count=labels.conversations,
        imported_by_id=by.id,
        imported_at=now,
    )
    details = {"form": imported.origin, "labels": imported.label_count, "conversations": imported.conversation_count}
    event = Event(Action.LABELS_IMPORTED, organisation.pk, by, now, "label_set", imported.pk, details, rows=rows_of([imported]))
    record(event)
    return ImportResult(imported, is_new=True)


def _find_or_note(combination: Combination, organisation: Organisation, now: datetime) -> SeenCombination:
    """Return the combination, locked; create it if labels come before any answer."""
    names = combination._asdict()
    SeenCombination.objects.bulk_create(
        [SeenCombination(organisation_id=organisation.pk, engine=ENGINE, first_seen_at=now, **names)], ignore_conflicts=True
    )
    held = SeenCombination.objects.select_for_update(of=("self",))
    seen: SeenCombination = held.get(organisation_id=organisation.pk, engine=ENGINE, **names)
    return seen


def _stored(ids: list[str], organisation: Organisation) -> dict[str, str]:
    """Return the identifiers of the snapshots that are stored under the names of turns."""
    found: dict[str, str] = {}
    for start in range(0, len(ids), _AT_ONCE):
        known = Snapshot.objects.filter(organisation_id=organisation.pk, external_id__in=ids[start : start + _AT_ONCE])
        found |= {external: str(pk) for external, pk in known.values_list("external_id", "pk")}
    return found


def document_of(profile: CalibrationProfile) -> bytes:
    """Return the exported lines of a profile's labels, which give the same profile wherever they are fitted."""
    parent = profile.parent.name if profile.parent else None
    told, digest = record_of(profile), "sha256:" + bytes(profile.labels.digest).hex()
    first = heading(
        scope_of(profile.combination),
        parent,
        digest,
        imports_of(told),
        audit=(told.get("audit") or {}).get("digest"),
        calibrator=record_of(profile.parent)["calibrator"] if told["kind"] == "transfer" and profile.parent else None,
        thresholds=own_thresholds(told),
    )
    return first + b"\n" + zlib.decompress(bytes(profile.labels.document)) + b"\n"


def has_hidden_imports(profile: CalibrationProfile, by: Membership) -> bool:
    """Return True if imported labels of a profile are on answers that the member reviews blind. They say what the engine found there."""
    lines = map(json.loads, zlib.decompress(bytes(profile.labels.document)).splitlines())
    observed = [line["observation"] for line in lines if "observation" in line]
    messages = {each["message"] for each in observed if each["stream"] == Stream.IMPORTED.value}
    return bool(hidden_answers(messages, hides_engine_from(viewer_of(by))))


@transaction.atomic
def export(*, profile: CalibrationProfile, by: Membership, now: datetime) -> bytes:
    """Return the exported lines of a profile's labels, and record who took them."""
    details = {"profile": profile.name, "labels": profile.labels.label_count}
    record(Event(Action.LABELS_EXPORTED, profile.organisation_id, user_actor(by.user_id), now, "profile", profile.id, details))
    return document_of(profile)
