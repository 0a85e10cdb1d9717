"""What an auditor asks of a profile: whose labels they are, how they were drawn, whether they still hold."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from attribution.calibration import Observation, Share, Staleness, Stream, judged, reasons_to_doubt, weighted_share
from reviewers.accounts.models import User
from reviewers.calibration.combinations import key_of, scope_of
from reviewers.calibration.gathering import AUDITED, submitted_labels
from reviewers.calibration.importing.observations import read_observation
from reviewers.calibration.models import CalibrationProfile, Comparison, LabelSet
from reviewers.calibration.stored_answers import answers_of
from reviewers.calibration.watched import AlarmTold, Held, alarms_on, watch_over
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Plan


@dataclass(frozen=True, slots=True)
class Person:
    """Who gave so many of the labels."""

    name: str
    labels: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an approval rests on: the comparison that was read then, and a digest of it."""

    comparison: Comparison
    digest: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How one that was approved does since: what its watch says, alarms, its age and what the rules of its record make of that."""

    age_days: int
    audited_lately: int
    rules: Staleness
    doubts: Sequence[str]
    held: Held | None
    alarms: Sequence[AlarmTold]


@dataclass(frozen=True, slots=True)
class AuditAnswers:
    """``given`` labels are those of reviewers here, audits that were kept apart among them, ``blind`` many of them given blind.

    ``undrawn`` are the answers that no plan drew. ``right`` is the share of rows that claim something, weighted by inclusion and not;
    nothing where no label says so. Of what nobody has approved there is neither ``evidence`` nor ``standing``.
    """

    people: Sequence[Person]
    given: int
    blind: int
    plans: Sequence[Plan]
    undrawn: int
    right: Share | None
    evidence: Evidence | None
    standing: Standing | None


def answer_audit(profile: CalibrationProfile, record: Mapping[str, Any], newest: Comparison | None, now: datetime) -> AuditAnswers:
    """In four statements, and in four more of one that was approved. ``newest`` is its newest comparison, which is read already."""
    observations = [each for each in _observations(profile) if each.stream is not Stream.IMPORTED]
    claims = [(each, bool(each.is_used)) for each in judged(observations) if each.claims]
    answers = QueueItem.objects.filter(organisation=profile.organisation_id, pk__in=answers_of(observations))
    evidence = _evidence(profile, newest)
    return AuditAnswers(
        people=_people(observations),
        given=len(observations),
        blind=sum(each.is_blind for each in observations),
        plans=_plans(answers),
        undrawn=answers.filter(plan=None).count(),
        right=weighted_share(claims) if claims else None,
        evidence=evidence,
        standing=_standing(profile, record, now) if evidence else None,
    )


def _standing(profile: CalibrationProfile, record: Mapping[str, Any], now: datetime) -> Standing:
    rules = Staleness(**record["staleness"])
    age, lately = (now - profile.proposed_at).days, _audited_since(profile, now - timedelta(days=rules.window_days))
    return Standing(age, lately, rules, reasons_to_doubt(rules, age, lately), watch_over(profile), alarms_on(profile))


def _observations(profile: CalibrationProfile) -> Iterable[Observation]:
    document = LabelSet.objects.values_list("document", flat=True).get(pk=profile.labels_id)
    scope = scope_of(profile.combination)
    for line in map(json.loads, zlib.decompress(bytes(document)).splitlines()):
        kind = next((kind for kind in ("observation", "held") if kind in line), None)
        if kind:
            yield read_observation(line, scope, kind)


def _people(observations: Iterable[Observation]) -> list[Person]:
    """Who gave how many, the most first. What several said of one field counts for each."""
    counted = Counter(name for each in observations for name in each.reviewer.split())
    names = dict(User.objects.filter(pk__in=counted).values_list("pk", "name"))
    return [Person(names.get(UUID(name), "somebody"), count) for name, count in counted.most_common()]


def _plans(answers: QuerySet[QueueItem]) -> list[Plan]:
    """The plans that drew them, in the order in which they were started."""
    drawn = answers.exclude(plan=None)
    return list(Plan.objects.filter(pk__in=drawn.values("plan")).order_by("started_at", "id"))


def _evidence(profile: CalibrationProfile, newest: Comparison | None) -> Evidence | None:
    decision = getattr(profile, "decision", None)
    if decision is None or decision.comparison_id is None:
        return None
    found = newest if newest and newest.pk == decision.comparison_id else _read(decision.comparison_id)
    return Evidence(found, "sha256:" + sha256(zlib.decompress(bytes(found.document))).hexdigest())


def _read(comparison_id: UUID) -> Comparison:
    found: Comparison = Comparison.objects.select_related("against").defer("changes", "against__document").get(pk=comparison_id)
    return found


def _audited_since(profile: CalibrationProfile, since: datetime) -> int:
    """Labels of audits on answers of its combination since a moment."""
    names = {f"snapshot__{name}": value for name, value in key_of(profile.combination)._asdict().items()}
    return submitted_labels(profile.organisation_id).filter(AUDITED, **names, created_at__gte=since).count()
