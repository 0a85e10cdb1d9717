"""The page of a profile, for an auditor: whose labels they are, how they were drawn, what it changes, and whether it still holds."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from attribution.calibration import Observation, Share, Staleness, Stream, judged, reasons_to_doubt, weighted_share
from reviewers.accounts.models import Membership, User
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Surface, Text, hidden_from, masked
from reviewers.calibration import wording
from reviewers.calibration.charts import Diagram, reliability_diagram
from reviewers.calibration.combinations import key_of, scope_of
from reviewers.calibration.hooks import PrecisionAlarm, PrecisionStatus, alarms_on, watch_over
from reviewers.calibration.labels.dataset import AUDITED, submitted_labels
from reviewers.calibration.labels.imports import count_imported
from reviewers.calibration.labels.label_sets import read_observation
from reviewers.calibration.labels.queries import answers_of, reviewer_conditions
from reviewers.calibration.labels.thresholds import own_thresholds, shipped
from reviewers.calibration.lifecycle.active_profiles import suspensions_of
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import (
    BackgroundTask,
    CalibrationProfile,
    Comparison,
    LabelSet,
    ProfileDecision,
    Recomputation,
    Retirement,
    Suspension,
)
from reviewers.calibration.pages.profile_details import FEW, NodeRow, changes_of, nodes_of
from reviewers.calibration.queries import badge_of
from reviewers.calibration.shadow import counts_hidden, newest_comparison, newest_task, record_of
from reviewers.review.agreement.queries import GateLine
from reviewers.review.models import Plan, QueueItem
from reviewers.review.visibility import viewer_of
from reviewers.review.wording import Badge
from reviewers.snapshots.queries import TransferredCounts, carried_by
from reviewers.web.models import unpack


@dataclass(frozen=True, slots=True)
class Person:
    """A reviewer and the number of labels they gave."""

    name: str
    labels: int


@dataclass(frozen=True, slots=True)
class ApprovalEvidence:
    """The basis of an approval: the comparison that was read then, and its digest."""

    comparison: Comparison
    digest: str


@dataclass(frozen=True, slots=True)
class ProfileHealth:
    """The status of an approved profile: its monitored precision, alarms, its age, and the doubts that its rules raise."""

    age_days: int
    audited_lately: int
    rules: Staleness
    doubts: Sequence[str]
    held: PrecisionStatus | None
    alarms: Sequence[PrecisionAlarm]


@dataclass(frozen=True, slots=True)
class AuditAnswers:
    """Answers to an auditor's questions about the labels of a profile.

    ``given`` counts labels of reviewers here, including those held out, ``blind`` of them given blind. No plan drew ``undrawn`` answers.
    ``right`` is the share of claiming rows that are right, weighted and unweighted; None without labels on them. A profile that is not
    approved has neither ``evidence`` nor ``standing``.
    """

    people: Sequence[Person]
    given: int
    blind: int
    plans: Sequence[Plan]
    undrawn: int
    right: Share | None
    evidence: ApprovalEvidence | None
    standing: ProfileHealth | None


def answer_audit(profile: CalibrationProfile, record: Mapping[str, Any], newest: Comparison | None, now: datetime) -> AuditAnswers:
    """Return the answers for a profile. It takes four queries, and four more for an approved one. ``newest`` is its newest comparison."""
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


def _standing(profile: CalibrationProfile, record: Mapping[str, Any], now: datetime) -> ProfileHealth:
    rules = Staleness(**record["staleness"])
    age, lately = (now - profile.proposed_at).days, _audited_since(profile, now - timedelta(days=rules.window_days))
    return ProfileHealth(age, lately, rules, reasons_to_doubt(rules, age, lately), watch_over(profile), alarms_on(profile))


def _observations(profile: CalibrationProfile) -> Iterable[Observation]:
    document = LabelSet.objects.values_list("document", flat=True).get(pk=profile.labels_id)
    scope = scope_of(profile.combination)
    for line in map(json.loads, zlib.decompress(bytes(document)).splitlines()):
        kind = next((kind for kind in ("observation", "held") if kind in line), None)
        if kind:
            yield read_observation(line, scope, kind)


def _people(observations: Iterable[Observation]) -> list[Person]:
    """Return the reviewers with their numbers of labels, the most first. A field that several labelled counts for each."""
    counted = Counter(name for each in observations for name in each.reviewer.split())
    names = dict(User.objects.filter(pk__in=counted).values_list("pk", "name"))
    return [Person(names.get(UUID(name), "somebody"), count) for name, count in counted.most_common()]


def _plans(answers: QuerySet[QueueItem]) -> list[Plan]:
    """Return the plans that drew the answers, in the order in which they started."""
    drawn = answers.exclude(plan=None)
    return list(Plan.objects.filter(pk__in=drawn.values("plan")).order_by("started_at", "id"))


def _evidence(profile: CalibrationProfile, newest: Comparison | None) -> ApprovalEvidence | None:
    decision = getattr(profile, "decision", None)
    if decision is None or decision.comparison_id is None:
        return None
    found = newest if newest and newest.pk == decision.comparison_id else _read(decision.comparison_id)
    return ApprovalEvidence(found, "sha256:" + sha256(zlib.decompress(bytes(found.document))).hexdigest())


def _read(comparison_id: UUID) -> Comparison:
    return Comparison.objects.select_related("against").defer("changes", "against__document").get(pk=comparison_id)


def _audited_since(profile: CalibrationProfile, since: datetime) -> int:
    """Return the number of audit labels on answers of its combination since a moment."""
    names = {f"snapshot__{name}": value for name, value in key_of(profile.combination)._asdict().items()}
    return submitted_labels(profile.organisation_id).filter(AUDITED, **names, created_at__gte=since).count()


TIER = "0.8"
"""The threshold whose crossings the page counts."""


@dataclass(frozen=True, slots=True)
class MethodChange:
    """The rows of a method that cross a threshold, and how many of them rise above or fall below 0.80."""

    key: str
    name: str
    changed: int
    risen: int
    fallen: int


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """A comparison, in figures for sentences."""

    comparison: Comparison
    fallen: int
    risen: int
    methods: Sequence[MethodChange]
    is_current: bool
    promise: tuple[Badge, str] | None


@dataclass(frozen=True, slots=True)
class SuspensionRow:
    """A suspension, with its cause and why it was lifted, in words."""

    suspension: Suspension
    because: str
    lifted_because: str


def _suspension_row(found: Suspension, hidden: frozenset[Text]) -> SuspensionRow:
    """Return a suspension; the cause of one by an alarm is in words of the program's own."""
    lifting = getattr(found, "lifting", None)
    because = masked(found.because, Text.NOTES, hidden) if found.suspended_by else found.because
    return SuspensionRow(found, because, masked(lifting.reason, Text.NOTES, hidden) if lifting else "")


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """The page of a profile.

    Reasons that people wrote are masked for viewers who are not shown them: ``rejected_because``, ``retired_because``, those of
    ``suspensions``, and those of alarms. ``untold`` are the comparisons whose figures would tell the viewer what is hidden from them.
    """

    profile: CalibrationProfile
    decision: ProfileDecision | None
    retirement: Retirement | None
    recomputation: Recomputation | None
    combination: str
    state: Badge
    depth: str
    imported: int
    is_transfer: bool
    carried: TransferredCounts | None
    record: Mapping[str, Any]
    evaluation: Mapping[str, Any]
    reviewers: Sequence[GateLine]
    verdict: Badge
    cutoff: str
    thresholds: Sequence[str]
    promise: str
    looks: int
    streams: Sequence[tuple[str, int]]
    excluded: Sequence[tuple[str, int]]
    diagram: Diagram | None
    rules: Sequence[NodeRow]
    node_count: int
    sparse: Sequence[NodeRow]
    audit: AuditAnswers
    comparison: ComparisonPage | None
    untold: Collection[UUID]
    comparing: BackgroundTask | None
    can_decide: bool
    is_own: bool
    can_retire: bool
    rejected_because: str
    retired_because: str
    suspensions: Sequence[SuspensionRow]
    is_suspended: bool
    can_lift: bool
    can_suspend: bool


def build_profile(profile: CalibrationProfile, by: Membership, now: datetime) -> ProfilePage:
    """Return the page of a profile for a member."""
    record, state, newest = record_of(profile), state_of(profile), newest_comparison(profile)
    evaluation, seen = record["evaluation"], profile.combination
    nodes = nodes_of(record, masks_keys=by.is_external)
    manages, hidden = may(by, Permission.MANAGE_CALIBRATION), hidden_from(by, Surface.CALIBRATION)
    decision, retirement = getattr(profile, "decision", None), getattr(profile, "retirement", None)
    audit = answer_audit(profile, record, newest, now)
    shown = {each.pk: each for each in (newest, audit.evidence and audit.evidence.comparison) if each}
    untold = {pk for pk, each in shown.items() if counts_hidden(each, seen, viewer_of(by))}
    return ProfilePage(
        profile=profile,
        decision=decision,
        retirement=retirement,
        recomputation=getattr(profile, "recomputation", None),
        combination=wording.combination_in_words(seen.model, seen.prompt_version),
        state=badge_of(state),
        depth=wording.DEPTHS[profile.depth],
        imported=count_imported(record),
        is_transfer=record["kind"] == "transfer",
        carried=carried_by(record),
        record=_without_sources(record, hidden),
        evaluation=evaluation,
        reviewers=reviewer_conditions(seen, by),
        verdict=wording.VERDICTS[evaluation["cox"]["verdict"]],
        cutoff=wording.cutoff_in_words(record),
        thresholds=wording.thresholds_in_words(own_thresholds(record), shipped),
        promise=wording.guarantee_in_words(record),
        looks=_looks_before(profile) if "audit" in record else 0,
        streams=sorted(record["labels"]["streams"].items()),
        excluded=Counter(each["reason"] for each in record["labels"]["excluded"]).most_common(),
        diagram=reliability_diagram(evaluation["curve"]),
        rules=[node for node in nodes if node.depth == 1],
        node_count=len(nodes),
        sparse=[node for node in nodes if node.labels < FEW],
        audit=_without_reasons(audit, hidden),
        comparison=_comparison_of(profile, record, newest),
        untold=untold,
        comparing=newest_task(profile),
        can_decide=manages and state is ProfileState.PROPOSED,
        is_own=profile.proposed_by_id == by.user_id,
        can_retire=manages and state in (ProfileState.ACTIVE, ProfileState.SUSPENDED),
        rejected_because=masked(decision.reason, Text.NOTES, hidden) if decision else "",
        retired_because=masked(retirement.reason, Text.NOTES, hidden) if retirement else "",
        suspensions=[_suspension_row(each, hidden) for each in suspensions_of(profile)],
        is_suspended=state is ProfileState.SUSPENDED,
        can_lift=manages and state is ProfileState.SUSPENDED,
        can_suspend=manages and state is ProfileState.ACTIVE,
    )


def _without_reasons(audit: AuditAnswers, hidden: frozenset[Text]) -> AuditAnswers:
    """Return the answers with masks over why alarms rest, if notes are hidden."""
    if audit.standing is None or Text.NOTES not in hidden:
        return audit
    alarms = [replace(each, reason=masked(each.reason, Text.NOTES, hidden)) for each in audit.standing.alarms]
    return replace(audit, standing=replace(audit.standing, alarms=alarms))


def _without_sources(record: Mapping[str, Any], hidden: frozenset[Text]) -> Mapping[str, Any]:
    """Return the record of a profile with masks over where its imported labels are from, if notes are hidden."""
    imports = [each | {"source": masked(each["source"], Text.NOTES, hidden)} for each in record["labels"].get("imports", ())]
    return {**record, "labels": {**record["labels"], "imports": imports}}


def _comparison_of(profile: CalibrationProfile, record: Mapping[str, Any], comparison: Comparison | None) -> ComparisonPage | None:
    if comparison is None:
        return None
    report = unpack(comparison.document)
    against = comparison.against
    return ComparisonPage(
        comparison=comparison,
        fallen=report["fallen"][TIER],
        risen=report["risen"][TIER],
        methods=_methods(changes_of(comparison)),
        is_current=comparison.against_id == profile.combination.active_id,
        promise=wording.compare_guarantees(record_of(against) if against else None, record, against.name if against else ""),
    )


def _looks_before(profile: CalibrationProfile) -> int:
    """Return the number of earlier proposals: each was tested on some of the same audit labels."""
    return CalibrationProfile.objects.filter(combination=profile.combination_id, pk__lt=profile.pk).count()


def _methods(changes: Sequence[Sequence[Any]]) -> list[MethodChange]:
    changed, risen, fallen = Counter[str](), Counter[str](), Counter[str]()
    for _, rule, *_, before, after in changes:
        method = rule.partition(".")[0]
        changed[method] += 1
        risen[method] += before < float(TIER) <= after
        fallen[method] += after < float(TIER) <= before
    return [MethodChange(key, wording.METHODS.get(key, key), count, risen[key], fallen[key]) for key, count in changed.most_common()]
