"""The data set of a combination: one observation for each labelled field, with audit labels held out for certificates.

A lead's decision on a field counts before the labels on it.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from attribution import DEFAULT_PROFILE
from attribution.calibration import Imported, Observation, Scope, Stream, judged
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.review.labels.queries import truth_of_verdict
from reviewers.review.models import DecidedKind, Decision, Label, PlanItem, Rule, Submission, Truth, Verdict
from reviewers.review.models import Stream as PlanStream
from reviewers.review.queue.filters import FACET_KINDS
from reviewers.review.visibility import may_be_learned_from

Place = tuple[UUID, str, str]
"""A snapshot and a field of its context, by section and path."""


LABEL_COLUMNS = ("id", "snapshot", "section", "path", "verdict", "truth", "shown", "snapshot__item__plan__rule")
"""The columns of a label that determine the truth."""


class SettledField(NamedTuple):
    """A field, whether its answer draws on it, and the labels that say so."""

    place: Place
    is_used: bool
    labels: Sequence[Mapping[str, Any]]


class Undecided(Exception):  # noqa: N818 — a state, not an error
    """Nobody can tell yet; the message says why."""


def decisions_on(seen: SeenCombination) -> dict[Place, Mapping[str, Any]]:
    """Return the newest decision on each field of a combination, in the present round of its review."""
    names = ("model", "prompt_version", "schema_version")
    return decisions_among(seen.organisation_id, Q(**{f"snapshot__{name}": getattr(seen, name) for name in names}))


def decisions_among(organisation_id: UUID, about: Q) -> dict[Place, Mapping[str, Any]]:
    """Return the newest decision on each field, for decisions that match ``about``."""
    made = Decision.objects.filter(about, organisation=organisation_id, kind=DecidedKind.FIELD, round=F("snapshot__item__round"))
    rows = made.order_by("id").values("id", "snapshot", "section", "path", "verdict", "labels")
    return {(row["snapshot"], row["section"], row["path"]): row for row in rows}


def effective_truths(rows: Iterable[Mapping[str, Any]], decisions: Mapping[Place, Mapping[str, Any]]) -> Iterator[SettledField]:
    """Yield each field with a known truth, from labels (``LABEL_COLUMNS``) that are grouped by field."""
    said = (row for row in rows if row["verdict"] != Verdict.NONE and not row["shown"].get("planted"))
    for place, group in groupby(said, key=lambda row: (row["snapshot"], row["section"], row["path"])):
        its = list(group)
        try:
            truth = truth_between(its, its[0]["snapshot__item__plan__rule"] or Rule.MAJORITY, decisions.get(place))
        except Undecided:
            continue
        if truth is not None:
            yield SettledField(place, truth, its)


def truth_between(rows: Sequence[Mapping[str, Any]], rule: str, made: Mapping[str, Any] | None) -> bool | None:
    """Return True if a field is used, by its labels, or by a decision between exactly these labels; raise ``Undecided`` if unknown."""
    if made and {str(row["id"]) for row in rows} == set(made["labels"]):
        claims_used = rows[0]["shown"]["track"] != "neither"
        return truth_of([truth_of_verdict(Verdict(made["verdict"]), claims_used=claims_used)], rule)
    if rule == Rule.LEAD and len(rows) > 1:
        raise Undecided("it waits for a lead")
    return truth_of([row["truth"] for row in rows], rule)


def truth_of(said: Sequence[str], rule: str = Rule.MAJORITY) -> bool | None:
    """Return True if a field is used, by what reviewers said; None if nobody could judge.

    More than half of those who judged decide, or all of them under that rule; otherwise raise ``Undecided``.
    """
    judged = Counter(truth for truth in said if truth in (Truth.USED, Truth.NOT_USED))
    if not judged:
        return None
    truth, count = judged.most_common(1)[0]
    if 2 * count <= judged.total() or (rule == Rule.UNANIMOUS and count < judged.total()):
        raise Undecided("reviewers differ")
    return truth == Truth.USED


_CITED = frozenset({"cited_and_found", "cited_only"})
_OF_COMBINATION = frozenset({"model", "prompt"})
AUDITED = Q(snapshot__item__plan__stream=PlanStream.AUDIT) & ~Q(
    snapshot__item__plan__candidates__facets__has_any_keys=sorted({*FACET_KINDS} - _OF_COMBINATION)
)
"""The labels of audits, as a filter; `_is_audit` is the same condition for one label."""

_SEEDED = "an attention check"
CALLED = "called"
"""The stratum of answers that a trigger added. Which one it was would tell whoever exports the labels what a blind plan still looks for."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Observations in order of name; the reasons for leaving others out; and the labels of each of both, by name.

    ``imports`` describes imported sets. Nothing is learned from ``held`` observations, so that a certificate can rest on them (see
    `hold_out`). Its answers were read under ``thresholds``, where these are not the shipped ones.
    """

    observations: Sequence[Observation]
    excluded: Mapping[str, str]
    members: Mapping[str, Sequence[str]]
    imports: Sequence[Imported] = ()
    held: Sequence[Observation] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)


def build_dataset(seen: SeenCombination, engines: Mapping[str, str] | None = None) -> Dataset:
    """Return all labels of a combination that may be learned from. ``engines`` is the result of `engines_of`, if it was read already."""
    scope, engines = scope_of(seen), engines_of(seen.organisation_id) if engines is None else engines
    observations: list[Observation] = []
    excluded: dict[str, str] = {}
    members: dict[str, Sequence[str]] = {}
    decisions, talks = decisions_on(seen), dict[str, str]()
    for name, rows in _by_field(_labels(seen), engines, seen.engine):
        made = decisions.get((rows[0]["snapshot"], rows[0]["section"], rows[0]["path"]))
        members[name] = sorted([str(row["id"]) for row in rows] + ([str(made["id"])] if made else []))
        try:
            observations.append(_observe(name, rows, scope, made, _talk_of(rows[0], talks)))
        except Undecided as reason:
            excluded[name] = str(reason)
    return Dataset(observations, excluded, members)


def submitted_labels(organisation_id: UUID) -> QuerySet[Label]:
    """Return each reviewer's current label on each field, from submitted reviews that may be learned from."""
    submitted = Submission.objects.filter(
        snapshot=OuterRef("snapshot"), reviewer=OuterRef("reviewer"), round=OuterRef("snapshot__item__round")
    )
    known = Label.objects.filter(may_be_learned_from(), Exists(submitted), organisation=organisation_id)
    keys = ("snapshot", "section", "path", "reviewer")
    return known.order_by(*keys, "-id").distinct(*keys)


def _labels(seen: SeenCombination) -> Iterable[dict[str, Any]]:
    drawn = PlanItem.objects.filter(item=OuterRef("snapshot"), plan=OuterRef("snapshot__item__plan"))
    labels = submitted_labels(seen.organisation_id).filter(
        snapshot__model=seen.model, snapshot__prompt_version=seen.prompt_version, snapshot__schema_version=seen.schema_version
    )
    columns = ("id", "snapshot", "reviewer", "section", "path", "verdict", "truth", "shown")
    rows: Iterable[dict[str, Any]] = labels.values(
        *columns,
        "snapshot__conversation_id",
        "snapshot__item__plan__stream",
        "snapshot__item__plan__rule",
        "snapshot__item__plan__candidates",
        stratum=Subquery(drawn.values("stratum")[:1]),
        probability=Subquery(drawn.values("probability")[:1]),
        trigger=Subquery(drawn.values("trigger")[:1]),
    )
    return rows


def engines_of(organisation_id: UUID) -> Mapping[str, str]:
    """Return the origin of scores under each profile of the organisation: labels name the profile they were given under."""
    return dict(CalibrationProfile.objects.filter(organisation=organisation_id).values_list("name", "combination__engine"))


def engine_of(shown: Mapping[str, Any], engines: Mapping[str, str]) -> str:
    """Return the origin of the score that a reviewer saw."""
    profile = shown.get("profile", DEFAULT_PROFILE.id)
    return engines.get(profile) or f"{shown.get('engine', '')} {profile}"


def _by_field(labels: Iterable[dict[str, Any]], engines: Mapping[str, str], engine: str) -> Iterable[tuple[str, Sequence[dict[str, Any]]]]:
    """Yield the labels of each field that say anything and were given on scores of this engine."""
    for (snapshot, section, path), rows in groupby(labels, key=lambda row: (row["snapshot"], row["section"], row["path"])):
        known = [row for row in rows if row["verdict"] != Verdict.NONE and engine_of(row["shown"], engines) == engine]
        if known:
            yield f"{snapshot}/{section}.{path}", known


def _talk_of(row: Mapping[str, Any], talks: dict[str, str]) -> str:
    """Return the name of a conversation: its first labelled answer. Labels are kept for good, and a reference may have to be redacted."""
    answer, reference = str(row["snapshot"]), row["snapshot__conversation_id"]
    return talks.setdefault(reference, answer) if reference else answer


def _observe(name: str, rows: Sequence[dict[str, Any]], scope: Scope, made: Mapping[str, Any] | None, talk: str) -> Observation:
    newest = max(rows, key=lambda row: row["id"])
    shown = newest["shown"]
    if any(row["shown"].get("planted") for row in rows):
        raise Undecided(_SEEDED)
    return Observation(
        id=name,
        message=str(newest["snapshot"]),
        conversation=talk,
        section=newest["section"],
        path=newest["path"],
        field_type=shown["field_type"],
        method=shown["method"],
        rule=shown["rule"],
        score=float(shown["score"]),
        uncapped_score=float(shown["uncapped_score"]),
        is_used=truth_between(rows, newest["snapshot__item__plan__rule"] or Rule.MAJORITY, made),
        is_cited=shown["track"] in _CITED,
        fired=(shown["evidence"],) if shown["evidence"] else (),
        stream=Stream.AUDIT if _is_audit(newest) else Stream.BOOST,
        stratum=CALLED if newest["trigger"] else newest["stratum"] or "",
        inclusion=float(newest["probability"] or 1),
        scope=scope,
        reviewer=" ".join(sorted(str(row["reviewer"]) for row in rows)),
        is_blind=all(row["shown"].get("blind", False) for row in rows),
    )


def _is_audit(row: Mapping[str, Any]) -> bool:
    """Return True for a label drawn from all answers of its combination: a sample of some kind of answers is no audit."""
    kinds = frozenset((row["snapshot__item__plan__candidates"] or {}).get("facets", {}))
    return bool(row["snapshot__item__plan__stream"] == PlanStream.AUDIT) and kinds <= _OF_COMBINATION


ENOUGH_OTHERS = 200
"""With so many other labels, audit labels are held out; with fewer they are learned from too."""


def hold_out(gathered: Dataset, learned: Collection[str] = ()) -> Dataset:
    """Hold out the labels of audits, except those that the active profile has ``learned`` from already."""
    kept = [each for each in gathered.observations if is_for_promises(each) and each.id not in learned]
    names = {each.id for each in kept}
    others = [each for each in gathered.observations if each.id not in names]
    if len(judged(others)) < ENOUGH_OTHERS:
        return gathered
    return replace(gathered, observations=others, held=kept)


def learned_by(profile: CalibrationProfile | None) -> frozenset[str]:
    """Return the names of the labels that a profile was fitted to, without those held out."""
    if profile is None:
        return frozenset()
    lines = map(json.loads, zlib.decompress(bytes(profile.labels.document)).splitlines())
    return frozenset(line["observation"]["id"] for line in lines if "observation" in line)


def is_for_promises(observation: Observation) -> bool:
    """Return True if a certificate may rest on an observation: it was drawn by chance, and judged blind."""
    return observation.stream is Stream.AUDIT and observation.is_blind
