"""The thresholds of a profile, and labels as if their answers had been read under them.

Only reading an answer again tells which rows are found under other thresholds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from attribution import DEFAULT_PROFILE, FieldAttribution, Profile, calibrated
from attribution.calibration import Observation
from reviewers.calibration.combinations import read_profile
from reviewers.calibration.labels.dataset import Dataset
from reviewers.calibration.labels.queries import answers_of
from reviewers.calibration.models import CalibrationProfile, ProfileOutcome, SeenCombination
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.reattribution import read_under

Thresholds = Mapping[str, float]
"""Thresholds of a profile that are not the shipped ones, by name."""

CHOSEN = ("summary_share", "summary_cap", "common_word_cap", "tokens_per_marker")
"""The thresholds that can be put into a profile."""
_OF_ROWS = frozenset(CHOSEN) - {"tokens_per_marker"}
"""Thresholds that decide which rows are found and with which scores. The remaining one decides a finding alone."""

NOT_HERE = "its answer is not here to be read under the thresholds of the profile"
_AT_ONCE = 200


def shipped(name: str) -> float:
    """Return a threshold of the shipped profile."""
    return float(getattr(DEFAULT_PROFILE.thresholds, name))


def thresholds_of(profile: CalibrationProfile | None) -> Thresholds:
    """Return the thresholds that a profile has instead of the shipped ones."""
    return own_thresholds(read_profile(profile.name, profile.pk).data["calibration"]) if profile else {}


def own_thresholds(record: Mapping[str, Any]) -> Thresholds:
    """Return the thresholds that the record of a profile has instead of the shipped ones."""
    return {name: record["thresholds"][name] for name in CHOSEN if name in record["thresholds"]}


def choose_thresholds(present: Thresholds, chosen: Thresholds) -> Thresholds:
    """Return the thresholds of a new profile: those of the present one, but for what is chosen; none that is as it is shipped."""
    wanted = {**present, **chosen}
    return {name: _as_number(name, wanted[name]) for name in CHOSEN if name in wanted and wanted[name] != shipped(name)}


def _as_number(name: str, value: float) -> float:
    """Return a threshold as the engine reads it: words to a marker are a whole number."""
    return int(value) if isinstance(getattr(DEFAULT_PROFILE.thresholds, name), int) else float(value)


def reading_profile(thresholds: Thresholds) -> Profile:
    """Return the shipped profile with other thresholds and without confidences."""
    return calibrated(DEFAULT_PROFILE, {"thresholds": dict(thresholds)}) if thresholds else DEFAULT_PROFILE


def reads_otherwise(one: Thresholds, other: Thresholds) -> bool:
    """Return True if rows may be found under some thresholds that are not found under others, or with other scores."""
    return any(one.get(name) != other.get(name) for name in _OF_ROWS)


def read_again(gathered: Dataset, seen: SeenCombination, thresholds: Thresholds) -> Dataset:
    """Return a data set as it would be if all its answers had been read under these thresholds.

    Labels on answers that are not stored here are left out. Nothing is read where all were read so: no profile of the combination has
    ever had thresholds of rows.
    """
    gathered = replace(gathered, thresholds=thresholds)
    if not any(reads_otherwise({}, each) for each in (thresholds, *_thresholds_before(seen))):
        return gathered
    rows = _rows_of(seen, [*gathered.observations, *gathered.held], reading_profile(thresholds))
    observations, held = (
        [replace(each, **_shown(rows[key])) for each in its if (key := (each.message, each.section, each.path)) in rows]
        for its in (gathered.observations, gathered.held)
    )
    kept = {each.id for each in (*observations, *held)}
    lost = {each.id: NOT_HERE for each in (*gathered.observations, *gathered.held) if each.id not in kept}
    return replace(gathered, observations=observations, held=held, excluded={**gathered.excluded, **lost})


def _thresholds_before(seen: SeenCombination) -> Iterator[Thresholds]:
    """Yield the thresholds of the profiles that answers of a combination were read under."""
    approved = CalibrationProfile.objects.filter(combination=seen, decision__outcome=ProfileOutcome.APPROVED)
    yield from map(thresholds_of, approved.only("name"))


def _rows_of(seen: SeenCombination, observations: Iterable[Observation], profile: Profile) -> dict[tuple[str, str, str], FieldAttribution]:
    """Return the rows of the fields that labels are on, by answer, section and path, as a profile reads them."""
    wanted = {(each.message, each.section, each.path) for each in observations}
    found: dict[tuple[str, str, str], FieldAttribution] = {}
    for message, row in rows_under(seen, answers_of(observations), profile):
        key = (message, row.field.section, row.field.path)
        if key in wanted:
            found[key] = row
    return found


def rows_under(seen: SeenCombination, answers: Iterable[UUID], profile: Profile) -> Iterator[tuple[str, FieldAttribution]]:
    """Yield the rows of stored answers as a profile reads them, each with the name of its answer; nothing is stored."""
    ordered = sorted(answers)
    for begin in range(0, len(ordered), _AT_ONCE):
        own = Snapshot.objects.filter(organisation=seen.organisation_id, pk__in=ordered[begin : begin + _AT_ONCE])
        for snapshot_id, attribution in read_under(own.order_by("pk"), profile):
            yield from ((str(snapshot_id), row) for row in attribution.fields)


def _shown(row: FieldAttribution) -> dict[str, Any]:
    """Return what a label says of its row, as reviewers' labels have it."""
    evidence = row.evidence
    return {
        "method": row.method,
        "rule": row.rule,
        "score": row.score,
        "uncapped_score": evidence.uncapped_score if evidence and evidence.is_ambiguous else row.score,
        "is_cited": row.is_cited,
        "fired": (f"{evidence.method}.{evidence.rule}",) if evidence else (),
    }
