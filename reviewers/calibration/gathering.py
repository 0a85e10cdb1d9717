"""Gathers what labels tell: one observation for each field of an answer that somebody has labelled and submitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from attribution import DEFAULT_PROFILE
from attribution.calibration import Imported, Observation, Scope, Stream
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.truths import Undecided, decisions_on, truth_between
from reviewers.review.filtering import FACET_KINDS
from reviewers.review.models import Label, Submission, Verdict
from reviewers.review.plan_models import PlanItem, Rule
from reviewers.review.plan_models import Stream as PlanStream
from reviewers.review.plans.visibility import may_be_learned_from

_CITED = frozenset({"cited_and_found", "cited_only"})
_OF_COMBINATION = frozenset({"model", "prompt"})
AUDITED = Q(snapshot__item__plan__stream=PlanStream.AUDIT) & ~Q(
    snapshot__item__plan__candidates__facets__has_any_keys=sorted({*FACET_KINDS} - _OF_COMBINATION)
)
"""The labels of audits, for lists; as ``_is_audit`` says it of one."""

_SEEDED = "seeded to measure attention"


@dataclass(frozen=True, slots=True)
class Gathered:
    """Observations in the order of their names; why others were left out; and the labels behind each of both, by its name.

    ``imports`` tells of those from elsewhere. ``held`` are those that nothing is learned from, so that a promise can rest on them
    (see ``holding``).
    """

    observations: Sequence[Observation]
    excluded: Mapping[str, str]
    members: Mapping[str, Sequence[str]]
    imports: Sequence[Imported] = ()
    held: Sequence[Observation] = ()


def gather(seen: SeenCombination, engines: Mapping[str, str] | None = None) -> Gathered:
    """All labels on answers of a combination that may be learned from; ``engines`` as of ``engines_of``, where they are read already."""
    scope, engines = scope_of(seen), engines_of(seen.organisation_id) if engines is None else engines
    observations: list[Observation] = []
    excluded: dict[str, str] = {}
    members: dict[str, Sequence[str]] = {}
    decisions = decisions_on(seen)
    for name, rows in _by_field(_labels(seen), engines, seen.engine):
        made = decisions.get((rows[0]["snapshot"], rows[0]["section"], rows[0]["path"]))
        members[name] = sorted([str(row["id"]) for row in rows] + ([str(made["id"])] if made else []))
        try:
            observations.append(_observe(name, rows, scope, made))
        except Undecided as reason:
            excluded[name] = str(reason)
    return Gathered(observations, excluded, members)


def submitted_labels(organisation_id: UUID) -> QuerySet[Label]:
    """The label of each reviewer on each field that counts, of reviews that are submitted and may be learned from."""
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
    )
    return rows


def engines_of(organisation_id: UUID) -> Mapping[str, str]:
    """What scores came from under each profile of the organisation, for labels say under which one they were given."""
    return dict(CalibrationProfile.objects.filter(organisation=organisation_id).values_list("name", "combination__engine"))


def engine_of(shown: Mapping[str, Any], engines: Mapping[str, str]) -> str:
    """What the score came from that a reviewer saw."""
    profile = shown.get("profile", DEFAULT_PROFILE.id)
    return engines.get(profile) or f"{shown.get('engine', '')} {profile}"


def _by_field(labels: Iterable[dict[str, Any]], engines: Mapping[str, str], engine: str) -> Iterable[tuple[str, Sequence[dict[str, Any]]]]:
    """The labels of each field of each answer that say anything and were given on scores of this engine."""
    for (snapshot, section, path), rows in groupby(labels, key=lambda row: (row["snapshot"], row["section"], row["path"])):
        known = [row for row in rows if row["verdict"] != Verdict.NONE and engine_of(row["shown"], engines) == engine]
        if known:
            yield f"{snapshot}/{section}.{path}", known


def _observe(name: str, rows: Sequence[dict[str, Any]], scope: Scope, made: Mapping[str, Any] | None) -> Observation:
    newest = max(rows, key=lambda row: row["id"])
    shown = newest["shown"]
    if any(row["shown"].get("planted") for row in rows):
        raise Undecided(_SEEDED)
    return Observation(
        id=name,
        message=str(newest["snapshot"]),
        conversation=newest["snapshot__conversation_id"] or str(newest["snapshot"]),
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
        stratum=newest["stratum"] or "",
        inclusion=float(newest["probability"] or 1),
        scope=scope,
        reviewer=" ".join(sorted(str(row["reviewer"]) for row in rows)),
        is_blind=all(row["shown"].get("blind", False) for row in rows),
    )


def _is_audit(row: Mapping[str, Any]) -> bool:
    """Whether it was drawn out of all answers of its combination, of some days or of all: a sample of some kind of answers is no audit."""
    kinds = frozenset((row["snapshot__item__plan__candidates"] or {}).get("facets", {}))
    return bool(row["snapshot__item__plan__stream"] == PlanStream.AUDIT) and kinds <= _OF_COMBINATION
