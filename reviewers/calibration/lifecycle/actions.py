"""Changes of profiles: propose, transfer, approve, reject, retire and compare. Each call is one transaction with its event."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model
from django.shortcuts import get_object_or_404
from procrastinate.contrib.django import app

from attribution import canonical_bytes
from attribution.calibration import read_tree
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Refused
from reviewers.accounts.queries import open_memberships
from reviewers.calibration import wording
from reviewers.calibration.combinations import key_of, scope_of
from reviewers.calibration.fitting import FEWEST_TO_TRANSFER, FittedProfile, fit_profile, transfer_profile
from reviewers.calibration.labels.dataset import Dataset, build_dataset, hold_out, learned_by
from reviewers.calibration.labels.imports import build_dataset_with_imports, count_imported
from reviewers.calibration.labels.label_sets import lines_of
from reviewers.calibration.labels.queries import CombinationLabels, count_labels, reviewer_conditions
from reviewers.calibration.labels.thresholds import choose_thresholds, own_thresholds, read_again, thresholds_of
from reviewers.calibration.lifecycle import policies
from reviewers.calibration.lifecycle.states import ProfileState, record_profile_event, state_of
from reviewers.calibration.models import (
    BackgroundTask,
    CalibrationProfile,
    ImportedSet,
    LabelSet,
    ProfileDecision,
    ProfileOutcome,
    Retirement,
    SeenCombination,
    TaskKind,
)
from reviewers.calibration.shadow import (
    GIVEN_UP,
    is_waiting,
    newest_comparison,
    newest_task,
    profiles_of,
    queue_comparison,
    record_of,
)
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.visibility import viewer_of
from reviewers.web.jobs import lock_of

NO_THRESHOLDS: Mapping[str, float] = {}
"""No threshold is chosen: a new profile has those of the active one."""


@transaction.atomic
def propose(
    *, combination_id: UUID, by: Membership, now: datetime, imports: Collection[UUID] = (), thresholds: Mapping[str, float] = NO_THRESHOLDS
) -> CalibrationProfile:
    """Fit a profile to the present labels and propose it; the worker compares it. ``imports`` are imported sets to include.

    It has the ``thresholds`` that are chosen, and for the others those of the active profile; the fit is to rows as they are found under
    these. Raise ``Refused`` if there are too few labels, or if the profile exists already.
    """
    seen = find_combination(combination_id, by, lock=True)
    gathered = gather(seen, imports, thresholds)
    profile = propose_from(seen=seen, gathered=gathered, by=by, now=now)
    queue_comparison(profile, now)
    return profile


def gather(seen: SeenCombination, imports: Collection[UUID] = (), thresholds: Mapping[str, float] = NO_THRESHOLDS) -> Dataset:
    """Return the labels that a profile with these thresholds is fitted to, with those held out for its promise."""
    wanted = choose_thresholds(thresholds_of(seen.active), thresholds)
    return hold_out(read_again(build_dataset_with_imports(seen, imports), seen, wanted), learned_by(seen.active))


@transaction.atomic
def propose_from(*, seen: SeenCombination, gathered: Dataset, by: Membership, now: datetime) -> CalibrationProfile:
    """Propose a profile fitted to a data set."""
    fitted = fit_profile(gathered, scope_of(seen), seen.active.name if seen.active else None)
    policies.check_reaches(fitted.calibrator)
    return propose_fitted(seen=seen, gathered=gathered, fitted=fitted, parent=seen.active, by=by, now=now)


@transaction.atomic
def propose_fitted(
    *, seen: SeenCombination, gathered: Dataset, fitted: FittedProfile, parent: CalibrationProfile | None, by: Membership, now: datetime
) -> CalibrationProfile:
    """Propose a fitted profile."""
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
    if own := own_thresholds(fitted.record):
        details["thresholds"] = dict(own)
    record_profile_event(Action.PROFILE_PROPOSED, profile, user_actor(by.user_id), now, details, [labels, profile])
    return profile


@transaction.atomic
def ask_comparison(*, profile_id: UUID, by: Membership, now: datetime) -> None:
    """Have the worker compare a profile with the active one, unless it has yet to do so."""
    profile, _ = _hold(profile_id, by)
    if is_waiting(newest_task(profile)):
        return
    record_profile_event(Action.COMPARISON_ASKED, profile, user_actor(by.user_id), now)
    queue_comparison(profile, now)


@transaction.atomic
def approve(*, profile_id: UUID, changed: int, by: Membership, now: datetime) -> CalibrationProfile:
    """Make a profile the active one of its combination: new answers are attributed under it from now on.

    ``changed`` is the number of answers that change, as the approver read it. Raise ``Refused`` if the approver proposed the profile, if a
    condition does not hold, or if it was compared with another profile than the active one; raise ``Invalid`` for another number.
    """
    profile, seen = _hold(profile_id, by)
    policies.check_may_approve(profile, record_of(profile), by.user_id, now)
    policies.check_reviewers(reviewer_conditions(seen, by))
    comparison = policies.check_was_compared(newest_comparison(profile), seen, viewer_of(by))
    policies.check_count(comparison, changed)
    rows: list[Model] = [_decide(profile, ProfileOutcome.APPROVED, by, now, comparison=comparison)]
    if seen.active is not None:
        rows.append(_retire(seen.active, by, now, replaced_by=profile))
    seen.active, seen.suspension = profile, None
    seen.save(update_fields=["active", "suspension"])
    details = {"changed": comparison.changed_count, "replaces": str(comparison.against.name) if comparison.against else None}
    record_profile_event(Action.PROFILE_APPROVED, profile, user_actor(by.user_id), now, details, rows)
    return profile


@transaction.atomic
def reject(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> CalibrationProfile:
    """Reject a proposal, with a reason. Its proposer may do so too."""
    profile, _ = _hold(profile_id, by)
    policies.check_is_open(profile)
    decision = _decide(profile, ProfileOutcome.REJECTED, by, now, reason=reason)
    record_profile_event(Action.PROFILE_REJECTED, profile, user_actor(by.user_id), now, {}, [decision])
    return profile


@transaction.atomic
def retire(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> CalibrationProfile:
    """Retire an active profile, with a reason: new answers show scores from now on."""
    profile, seen = _hold(profile_id, by)
    policies.check_may_retire(profile)
    retirement = _retire(profile, by, now, reason=reason)
    seen.active = seen.suspension = None
    seen.save(update_fields=["active", "suspension"])
    record_profile_event(Action.PROFILE_RETIRED, profile, user_actor(by.user_id), now, {}, [retirement])
    return profile


def find_combination(combination_id: UUID, by: Membership, *, lock: bool = False) -> SeenCombination:
    """Return a combination of the member's organisation, or 404."""
    own = SeenCombination.objects.filter(organisation=by.organisation_id).select_related("active")
    return get_object_or_404(own.select_for_update(of=("self",)) if lock else own, pk=combination_id)


def find_profile(profile_id: UUID, by: Membership) -> CalibrationProfile:
    """Return a profile of the member's organisation, or 404."""
    return get_object_or_404(profiles_of(by.organisation_id), pk=profile_id)


def _hold(profile_id: UUID, by: Membership) -> tuple[CalibrationProfile, SeenCombination]:
    """Return a profile and its combination, locked until the transaction ends. The profile is read after the lock."""
    combination_id = find_profile(profile_id, by).combination_id
    seen = find_combination(combination_id, by, lock=True)
    return find_profile(profile_id, by), seen


def _named(organisation_id: UUID, name: str) -> CalibrationProfile | None:
    profile: CalibrationProfile | None = profiles_of(organisation_id).filter(name=name).first()
    return profile


def _keep_labels(seen: SeenCombination, gathered: Dataset, fitted: FittedProfile, now: datetime) -> LabelSet:
    return LabelSet.objects.create(
        organisation_id=seen.organisation_id,
        digest=bytes.fromhex(fitted.labels.digest.removeprefix("sha256:")),
        document=zlib.compress(b"\n".join(lines_of(gathered))),
        label_count=fitted.labels.labels,
        conversation_count=fitted.labels.conversations,
        gathered_at=now,
    )


def _decide(profile: CalibrationProfile, outcome: ProfileOutcome, by: Membership, now: datetime, **more: Any) -> ProfileDecision:
    return ProfileDecision.objects.create(
        organisation_id=profile.organisation_id,
        profile=profile,
        proposed_by_id=profile.proposed_by_id,
        outcome=outcome,
        decided_by_id=by.user_id,
        decided_at=now,
        **more,
    )


def _retire(profile: CalibrationProfile, by: Membership, now: datetime, **more: Any) -> Retirement:
    return Retirement.objects.create(
        organisation_id=profile.organisation_id, profile=profile, retired_by_id=by.user_id, retired_at=now, **more
    )


# Proposals in the background: a large fit is left to the worker. A worker that is killed while it fits has written nothing, and the fit
# begins anew.

MOST_AT_ONCE = 500
"""Labels that are fitted within a request: about a second."""


def propose_or_ask(
    *, combination_id: UUID, by: Membership, now: datetime, imports: list[UUID], thresholds: Mapping[str, float] = NO_THRESHOLDS
) -> CalibrationProfile | None:
    """Propose a profile, or have the worker do it and return None. Raise ``Refused`` as `propose` does."""
    seen = find_combination(combination_id, by)
    if _count(seen, imports, now) <= MOST_AT_ONCE:
        return propose(combination_id=combination_id, by=by, now=now, imports=imports, thresholds=thresholds)
    ask_proposal(combination_id=combination_id, by=by, now=now, imports=imports, thresholds=thresholds)
    return None


@transaction.atomic
def ask_proposal(
    *, combination_id: UUID, by: Membership, now: datetime, imports: list[UUID], thresholds: Mapping[str, float] = NO_THRESHOLDS
) -> BackgroundTask:
    """Have the worker propose a profile. A request that is still waiting is reused; one that nobody would do any more is given up."""
    seen = find_combination(combination_id, by, lock=True)
    there = BackgroundTask.objects.filter(combination=seen, kind=TaskKind.FIT, finished_at=None).first()
    if there is not None and is_waiting(there):
        return there
    if there is not None:
        end_fit(task_id=there.pk, refused=GIVEN_UP, now=now)
    asked: BackgroundTask = BackgroundTask.objects.create(
        organisation_id=by.organisation_id,
        kind=TaskKind.FIT,
        combination=seen,
        imports=imports,
        thresholds=dict(thresholds),
        requested_by_id=by.user_id,
        asked_at=now,
    )
    event = Event(
        Action.PROPOSAL_ASKED, by.organisation_id, user_actor(by.user_id), now, "combination", seen.pk, {"imported": len(imports)}
    )
    record(event)
    task = app.configure_task("reviewers.calibration.jobs.fit", lock=lock_of(asked.organisation_id))
    task.defer(background_task=str(asked.pk), organisation=str(asked.organisation_id))
    return asked


@transaction.atomic
def fit_asked(*, task_id: UUID, now: datetime) -> BackgroundTask:
    """Fit and propose for the person who asked, or store why not; this is what the worker does. A second run changes nothing."""
    asked = BackgroundTask.objects.select_for_update(of=("self",)).get(pk=task_id)
    if asked.finished_at is None:
        try:
            by = _asker(asked)
            given: dict[str, Any] = {"imports": asked.imports, "thresholds": asked.thresholds}
            asked.profile = propose(combination_id=asked.combination_id, by=by, now=now, **given)
        except Refused as refusal:
            asked.refused = str(refusal)
        asked.finished_at = now
        asked.save(update_fields=["profile", "refused", "finished_at"])
    return asked


def _asker(asked: BackgroundTask) -> Membership:
    """Return the open membership of the person who asked; raise ``Refused`` if they have left or may not propose any more."""
    members = open_memberships().filter(organisation=asked.organisation_id, user=asked.requested_by_id)
    member = members.select_related("organisation", "user").first()
    if member is None or not may(member, Permission.MANAGE_CALIBRATION):
        raise Refused("Whoever asked for it may not propose profiles here any more. Ask again.")
    return member


def end_fit(*, task_id: UUID, refused: str, now: datetime) -> None:
    """End a request that came to nothing, so that another can be made."""
    BackgroundTask.objects.filter(pk=task_id, finished_at=None).update(refused=refused, finished_at=now)


def newest_fit(seen: SeenCombination) -> BackgroundTask | None:
    """Return the newest request to fit a profile in the background."""
    return BackgroundTask.objects.filter(combination=seen, kind=TaskKind.FIT).order_by("-id").first()


def _count(seen: SeenCombination, imports: list[UUID], now: datetime) -> int:
    own = count_labels(seen.organisation_id, now).get((key_of(seen), seen.engine), CombinationLabels())
    return own.fields + sum(ImportedSet.objects.filter(combination=seen, pk__in=imports).values_list("label_count", flat=True))


# Transfer: after a change of model, prompt or schema, the earlier profile is shifted by the first new labels.


@dataclass(frozen=True, slots=True)
class Transferable:
    """A profile that may be transferred, and its combination."""

    id: UUID
    name: str
    combination: str


@transaction.atomic
def propose_transfer(*, combination_id: UUID, profile_id: UUID, by: Membership, now: datetime) -> CalibrationProfile:
    """Propose the active profile of another combination, shifted by the labels of this one; the worker compares it.

    Raise ``Refused`` if this combination has a profile, if the other is not active, or if too few labels are on rules that it knows.
    """
    seen, old = find_combination(combination_id, by, lock=True), find_profile(profile_id, by)
    _check(seen, old)
    gathered = read_again(build_dataset(seen), seen, thresholds_of(old))
    try:
        fitted = transfer_profile(gathered, scope_of(seen), old.name, read_tree(record_of(old)["calibrator"]))
    except ValueError as error:
        raise Refused(
            f"{FEWEST_TO_TRANSFER} labels of this combination on rules that {old.name} knows are the fewest, and there are not so many."
        ) from error
    profile = propose_fitted(seen=seen, gathered=gathered, fitted=fitted, parent=old, by=by, now=now)
    queue_comparison(profile, now)
    return profile


def list_transferable(seen: SeenCombination, labels: int, *, has_open: bool) -> Sequence[Transferable]:
    """Return the profiles that a combination may take over; none if it has a profile, a proposal, or too few labels."""
    others = SeenCombination.objects.filter(organisation=seen.organisation_id, active__isnull=False, suspension=None).exclude(pk=seen.pk)
    if seen.active_id or has_open or labels < FEWEST_TO_TRANSFER:
        return ()
    rows = others.order_by("-active_id").values_list("active_id", "active__name", "model", "prompt_version")
    return [Transferable(row[0], row[1], wording.combination_in_words(*row[2:])) for row in rows]


def _check(seen: SeenCombination, old: CalibrationProfile) -> None:
    if seen.active_id:
        raise Refused("This combination has a profile. A profile is taken over where there is none.")
    if state_of(old) is not ProfileState.ACTIVE or old.combination_id == seen.pk:
        raise Refused(f"{old.name} is not active for another combination.")
