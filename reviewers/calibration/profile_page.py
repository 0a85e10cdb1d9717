"""The page of one profile: everything an auditor asks of it, in one place."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.calibration import words
from reviewers.calibration.audit_answers import AuditAnswers, answer_audit
from reviewers.calibration.charts import Diagram, reliability_diagram
from reviewers.calibration.comparing import newest_comparison, newest_undertaking
from reviewers.calibration.importing.choosing import count_imported
from reviewers.calibration.models import CalibrationProfile, Comparison
from reviewers.calibration.node_rows import FEW, NodeRow, nodes_of
from reviewers.calibration.promise_words import cutoff_in_words, promise_in_words, promises_compared
from reviewers.calibration.queries import badge_of
from reviewers.calibration.reviewing import reviewer_conditions
from reviewers.calibration.shadowing import record_of
from reviewers.calibration.states import ProfileState, state_of
from reviewers.calibration.suspending import suspensions_of
from reviewers.calibration.suspension_models import Suspension
from reviewers.calibration.undertaking_models import Undertaking
from reviewers.review.agreement.page import GateLine
from reviewers.review.words import Badge
from reviewers.snapshots.stored_profiles import Carried, carried_by

TIER = "0.8"
"""The threshold that the page counts crossings of."""


@dataclass(frozen=True, slots=True)
class MethodChange:
    """How many rows of a method cross a threshold, how many of them rise above 0.80 and how many fall below."""

    key: str
    name: str
    changed: int
    risen: int
    fallen: int


@dataclass(frozen=True, slots=True)
class ComparisonPage:
    """What a comparison says, in figures for sentences."""

    comparison: Comparison
    fallen: int
    risen: int
    methods: Sequence[MethodChange]
    is_current: bool
    promise: tuple[Badge, str] | None


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """All that the page shows."""

    profile: CalibrationProfile
    combination: str
    state: Badge
    depth: str
    imported: int
    is_transfer: bool
    carried: Carried | None
    record: Mapping[str, Any]
    evaluation: Mapping[str, Any]
    reviewers: Sequence[GateLine]
    verdict: Badge
    cutoff: str
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
    comparing: Undertaking | None
    can_decide: bool
    is_own: bool
    can_retire: bool
    suspensions: Sequence[Suspension]
    is_suspended: bool
    can_lift: bool
    can_suspend: bool


def build_profile(profile: CalibrationProfile, by: Membership, now: datetime) -> ProfilePage:
    """Read the record, and what came of it."""
    record, state, newest = record_of(profile), state_of(profile), newest_comparison(profile)
    evaluation, seen = record["evaluation"], profile.combination
    nodes = nodes_of(record)
    manages = may(by, Permission.MANAGE_CALIBRATION)
    return ProfilePage(
        profile=profile,
        combination=words.combination_in_words(seen.model, seen.prompt_version),
        state=badge_of(state),
        depth=words.DEPTHS[profile.depth],
        imported=count_imported(record),
        is_transfer=record["kind"] == "transfer",
        carried=carried_by(record),
        record=record,
        evaluation=evaluation,
        reviewers=reviewer_conditions(seen, by),
        verdict=words.VERDICTS[evaluation["cox"]["verdict"]],
        cutoff=cutoff_in_words(record),
        promise=promise_in_words(record),
        looks=_looks_before(profile) if "audit" in record else 0,
        streams=sorted(record["labels"]["streams"].items()),
        excluded=Counter(each["reason"] for each in record["labels"]["excluded"]).most_common(),
        diagram=reliability_diagram(evaluation["curve"]),
        rules=[node for node in nodes if node.depth == 1],
        node_count=len(nodes),
        sparse=[node for node in nodes if node.labels < FEW],
        audit=answer_audit(profile, record, newest, now),
        comparison=_comparison_of(profile, record, newest),
        comparing=newest_undertaking(profile),
        can_decide=manages and state is ProfileState.PROPOSED,
        is_own=profile.proposed_by_id == by.user_id,
        can_retire=manages and state in (ProfileState.ACTIVE, ProfileState.SUSPENDED),
        suspensions=suspensions_of(profile),
        is_suspended=state is ProfileState.SUSPENDED,
        can_lift=manages and state is ProfileState.SUSPENDED,
        can_suspend=manages and state is ProfileState.ACTIVE,
    )


def changes_of(comparison: Comparison) -> list[list[Any]]:
    """The rows that cross a threshold: message, rule, type, field, and the confidence before and after."""
    read: list[list[Any]] = json.loads(zlib.decompress(bytes(comparison.changes)))
    return read


def _comparison_of(profile: CalibrationProfile, record: Mapping[str, Any], comparison: Comparison | None) -> ComparisonPage | None:
    if comparison is None:
        return None
    report = json.loads(zlib.decompress(bytes(comparison.document)))
    against = comparison.against
    return ComparisonPage(
        comparison=comparison,
        fallen=report["fallen"][TIER],
        risen=report["risen"][TIER],
        methods=_methods(changes_of(comparison)),
        is_current=comparison.against_id == profile.combination.active_id,
        promise=promises_compared(record_of(against) if against else None, record, against.name if against else ""),
    )


def _looks_before(profile: CalibrationProfile) -> int:
    """How many proposals were tested on audits before: each was a look at some of the same labels."""
    return CalibrationProfile.objects.filter(combination=profile.combination_id, pk__lt=profile.pk).count()


def _methods(changes: Sequence[Sequence[Any]]) -> list[MethodChange]:
    changed, risen, fallen = Counter[str](), Counter[str](), Counter[str]()
    for _, rule, *_, before, after in changes:
        method = rule.partition(".")[0]
        changed[method] += 1
        risen[method] += before < float(TIER) <= after
        fallen[method] += after < float(TIER) <= before
    return [MethodChange(key, words.METHODS.get(key, key), count, risen[key], fallen[key]) for key, count in changed.most_common()]
