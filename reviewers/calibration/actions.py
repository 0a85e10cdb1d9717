"""What leads do with profiles: propose, approve, reject, retire; and comparing. Each call one transaction with its event."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model
from django.shortcuts import get_object_or_404

from attribution import canonical_bytes
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.calibration import jobs, policies
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.comparing import newest_comparison, profiles_of
from reviewers.calibration.fitting import Fitted, fit_profile
from reviewers.calibration.gathering import Gathered
from reviewers.calibration.holding import hold_out, learned_by
from reviewers.calibration.importing.choosing import count_imported, gather_with
from reviewers.calibration.label_sets import lines_of
from reviewers.calibration.models import (
    CalibrationProfile,
    LabelSet,
    Outcome,
    ProfileDecision,
    Retirement,
    SeenCombination,
)
from reviewers.calibration.reviewing import reviewer_conditions
from reviewers.calibration.shadowing import record_of
from reviewers.calibration.telling import tell
from reviewers.ledger.events import Action


@transaction.atomic
def propose(*, combination_id: UUID, by: Membership, now: datetime, imports: Collection[UUID] = ()) -> CalibrationProfile:
    """Fit a profile to the labels there are and propose it; the worker compares it. ``imports`` are the imported sets that it uses too.

    Raises ``Refused`` where they are too few, or where it is there already.
    """
    seen = find_combination(combination_id, by, lock=True)
    gathered = hold_out(gather_with(seen, imports), learned_by(seen.active))
    profile = propose_from(seen=seen, gathered=gathered, by=by, now=now)
    jobs.defer(profile, now)
    return profile


@transaction.atomic
def propose_from(*, seen: SeenCombination, gathered: Gathered, by: Membership, now: datetime) -> CalibrationProfile:
    """Propose what labels make that were gathered already."""
    fitted = fit_profile(gathered, scope_of(seen), seen.active.name if seen.active else None)
    policies.check_reaches(fitted.calibrator)
    return propose_fitted(seen=seen, gathered=gathered, fitted=fitted, parent=seen.active, by=by, now=now)


@transaction.atomic
def propose_fitted(
    *, seen: SeenCombination, gathered: Gathered, fitted: Fitted, parent: CalibrationProfile | None, by: Membership, now: datetime
) -> CalibrationProfile:
    """Propose what was fitted already."""
    policies.check_is_new(fitted.profile.id, _named(seen.organisation_id, fitted.profile.id))
    labels = _keep_labels(seen, gathered, fitted, now)
    profile: CalibrationProfile = CalibrationProfile.objects.create(
        organisation_id=seen.organisation_id,
        combination=seen,
        name=fitted.profile.id,
        parent=parent,
        labels=labels,
        document=zlib.compress(canonical_bytes(fitted.record)),
        depth=fitted.calibrator.state.value,
        proposed_by_id=by.user_id,
        proposed_at=now,
    )
    details = {"labels": labels.label_count, "conversations": labels.conversation_count, "depth": profile.depth}
    details |= {"parent": parent.name if parent else None, "kind": fitted.record["kind"], "imported": count_imported(fitted.record)}
    tell(Action.PROFILE_PROPOSED, profile, user_actor(by.user_id), now, details, [labels, profile])
    return profile


@transaction.atomic
def ask_comparison(*, profile_id: UUID, by: Membership, now: datetime) -> None:
    """Have the worker compare a profile with what is active now."""
    profile = find_profile(profile_id, by)
    tell(Action.COMPARISON_ASKED, profile, user_actor(by.user_id), now)
    jobs.defer(profile, now)


@transaction.atomic
def approve(*, profile_id: UUID, changed: int, by: Membership, now: datetime) -> CalibrationProfile:
    """Make a profile the active one of its combination: answers that come in from now on are attributed under it.

    ``changed`` is how many messages change, as the approver read it. Raises ``Refused`` where the approver proposed it, where a
    condition does not hold, or where it was compared with another profile than the one that is active; ``Invalid`` for another number.
    """
    profile, seen = _hold(profile_id, by)
    policies.check_may_approve(profile, record_of(profile), by.user_id, now)
    policies.check_reviewers(reviewer_conditions(seen, by))
    comparison = policies.check_was_compared(newest_comparison(profile), seen.active_id)
    policies.check_count(comparison, changed)
    rows: list[Model] = [_decide(profile, Outcome.APPROVED, by, now, comparison=comparison)]
    if seen.active is not None:
        rows.append(_retire(seen.active, by, now, replaced_by=profile))
    seen.active, seen.suspension = profile, None
    seen.save(update_fields=["active", "suspension"])
    details = {"changed": comparison.changed_count, "replaces": str(comparison.against.name) if comparison.against else None}
    tell(Action.PROFILE_APPROVED, profile, user_actor(by.user_id), now, details, rows)
    return profile


@transaction.atomic
def reject(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> CalibrationProfile:
    """Decide against a proposal, with a reason; its proposer may, too."""
    profile, _ = _hold(profile_id, by)
    policies.check_is_open(profile)
    decision = _decide(profile, Outcome.REJECTED, by, now, reason=reason)
    tell(Action.PROFILE_REJECTED, profile, user_actor(by.user_id), now, {}, [decision])
    return profile


@transaction.atomic
def retire(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> CalibrationProfile:
    """Stop using an active profile, with a reason: answers that come in from now on show scores."""
    profile, seen = _hold(profile_id, by)
    policies.check_may_retire(profile)
    retirement = _retire(profile, by, now, reason=reason)
    seen.active = seen.suspension = None
    seen.save(update_fields=["active", "suspension"])
    tell(Action.PROFILE_RETIRED, profile, user_actor(by.user_id), now, {}, [retirement])
    return profile


def find_combination(combination_id: UUID, by: Membership, *, lock: bool = False) -> SeenCombination:
    """A combination of the member's organisation, or 404."""
    own = SeenCombination.objects.filter(organisation=by.organisation_id).select_related("active")
    seen: SeenCombination = get_object_or_404(own.select_for_update(of=("self",)) if lock else own, pk=combination_id)
    return seen


def find_profile(profile_id: UUID, by: Membership) -> CalibrationProfile:
    """A profile of the member's organisation, or 404."""
    profile: CalibrationProfile = get_object_or_404(profiles_of(by.organisation_id), pk=profile_id)
    return profile


def _hold(profile_id: UUID, by: Membership) -> tuple[CalibrationProfile, SeenCombination]:
    """A profile and its combination, which is held until the transaction ends; read again then, for another may have decided meanwhile."""
    combination_id = find_profile(profile_id, by).combination_id
    seen = find_combination(combination_id, by, lock=True)
    return find_profile(profile_id, by), seen


def _named(organisation_id: UUID, name: str) -> CalibrationProfile | None:
    profile: CalibrationProfile | None = profiles_of(organisation_id).filter(name=name).first()
    return profile


def _keep_labels(seen: SeenCombination, gathered: Gathered, fitted: Fitted, now: datetime) -> LabelSet:
    labels: LabelSet = LabelSet.objects.create(
        organisation_id=seen.organisation_id,
        digest=bytes.fromhex(fitted.labels.digest.removeprefix("sha256:")),
        document=zlib.compress(b"\n".join(lines_of(gathered))),
        label_count=fitted.labels.labels,
        conversation_count=fitted.labels.conversations,
        gathered_at=now,
    )
    return labels


def _decide(profile: CalibrationProfile, outcome: Outcome, by: Membership, now: datetime, **more: Any) -> ProfileDecision:
    decision: ProfileDecision = ProfileDecision.objects.create(
        organisation_id=profile.organisation_id,
        profile=profile,
        proposed_by_id=profile.proposed_by_id,
        outcome=outcome,
        decided_by_id=by.user_id,
        decided_at=now,
        **more,
    )
    return decision


def _retire(profile: CalibrationProfile, by: Membership, now: datetime, **more: Any) -> Retirement:
    retirement: Retirement = Retirement.objects.create(
        organisation_id=profile.organisation_id, profile=profile, retired_by_id=by.user_id, retired_at=now, **more
    )
    return retirement
