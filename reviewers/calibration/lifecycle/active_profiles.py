"""Active profiles: suspending them, lifting that, recomputing stored answers, and verifying which are active.

The slice that raises alarms says which suspend.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from procrastinate.contrib.django import app

from reviewers.accounts.audit import SYSTEM, Actor, user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.calibration.combinations import ENGINE, key_of, read_profile, scope_of
from reviewers.calibration.lifecycle import policies
from reviewers.calibration.lifecycle.actions import find_combination, find_profile
from reviewers.calibration.lifecycle.states import ProfileState, record_profile_event, state_of
from reviewers.calibration.models import CalibrationProfile, Lifting, Recomputation, SeenCombination, Suspension
from reviewers.calibration.shadow import has_job, record_of
from reviewers.ledger.events import Action
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.review.queue.actions import switch_attribution
from reviewers.snapshots.hooks import Combination
from reviewers.snapshots.reattribution import attribute_again, not_yet_under
from reviewers.web.statements import read_rows


@transaction.atomic
def suspend(*, organisation_id: UUID, combination: Combination, alarm: UUID, because: str, now: datetime) -> Suspension | None:
    """Suspend the active profile of a combination for an alarm: new and stored answers show scores.

    Return None if it has none, or if it is suspended already.
    """
    held = _believed(organisation_id).filter(**combination._asdict()).select_for_update(of=("self",)).first()
    return _suspend(held, because, SYSTEM, now, alarm=alarm) if held else None


@transaction.atomic
def suspend_by_hand(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> Suspension:
    """Suspend an active profile for a person's reason; raise ``Refused`` if it is not active."""
    seen = find_combination(find_profile(profile_id, by).combination_id, by, lock=True)
    policies.check_is_active(find_profile(profile_id, by))
    return _suspend(seen, reason, user_actor(by.user_id), now, suspended_by_id=by.user_id)


def believed_profiles(organisation_id: UUID) -> Mapping[Combination, str]:
    """Return the names of the active profiles that are not suspended, by combination."""
    rows = _believed(organisation_id).values_list(*Combination._fields, "active__name")
    return {Combination(*names): profile for *names, profile in rows}


def _believed(organisation_id: UUID) -> QuerySet[SeenCombination]:
    return SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE, active__isnull=False, suspension=None)


@transaction.atomic
def lift_suspension(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> Lifting:
    """Lift the suspension of a profile, with a reason; raise ``Refused`` if it is not suspended."""
    seen = find_combination(find_profile(profile_id, by).combination_id, by, lock=True)
    profile = find_profile(profile_id, by)
    policies.check_is_suspended(profile)
    suspension = Suspension.objects.get(profile=profile, lifting=None)
    lifting: Lifting = Lifting.objects.create(
        organisation_id=by.organisation_id, suspension=suspension, lifted_by_id=by.user_id, lifted_at=now, reason=reason
    )
    seen.suspension = None
    seen.save(update_fields=["suspension"])
    _mark(by.organisation_id, profile.name, is_suspended=False)
    record_profile_event(Action.SUSPENSION_LIFTED, profile, user_actor(by.user_id), now, {}, [lifting])
    return lifting


def suspensions_of(profile: CalibrationProfile) -> list[Suspension]:
    """Return the suspensions of a profile, the newest first, with those who lifted them."""
    return list(Suspension.objects.filter(profile=profile).select_related("suspended_by", "lifting__lifted_by").order_by("-id"))


def _suspend(seen: SeenCombination, because: str, by: Actor, now: datetime, **cause: UUID) -> Suspension:
    profile = CalibrationProfile.objects.defer("document").get(active_in=seen)
    made: Suspension = Suspension.objects.create(
        organisation_id=seen.organisation_id, profile=profile, because=because, suspended_at=now, **cause
    )
    seen.suspension = made
    seen.save(update_fields=["suspension"])
    _mark(seen.organisation_id, profile.name, is_suspended=True)
    record_profile_event(Action.PROFILE_SUSPENDED, profile, by, now, {"alarm": str(made.alarm) if made.alarm else None}, [made])
    return made


def _mark(organisation_id: UUID, name: str, *, is_suspended: bool) -> None:
    """Update the suspended profiles in the organisation's row, which every page with a number reads."""
    held = Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    others = [each for each in held.suspended_profiles if each != name]
    held.suspended_profiles = [*others, name] if is_suspended else others
    held.save(update_fields=["suspended_profiles"])


# Recomputation: stored answers are attributed again under the active profile, piece by piece, in the background. A piece is one
# transaction: its attributions, the progress, and the job for the next piece. So it continues after any interruption.

AT_ONCE = 100
"""Answers in one transaction."""


@transaction.atomic
def ask_recomputation(*, profile_id: UUID, by: Membership, now: datetime) -> Recomputation:
    """Have the worker attribute a combination's stored answers under its active profile. A profile has one recomputation."""
    profile = find_profile(profile_id, by)
    policies.check_is_active(profile)
    there = Recomputation.objects.filter(profile=profile).first()
    if there is not None:
        return there
    waiting = not_yet_under(profile.name, profile.organisation_id, key_of(profile.combination), now)
    asked: Recomputation = Recomputation.objects.create(
        organisation_id=profile.organisation_id, profile=profile, requested_by_id=by.user_id, asked_at=now, total=waiting.count()
    )
    record_profile_event(Action.RECOMPUTATION_ASKED, profile, user_actor(by.user_id), now, {"answers": asked.total})
    queue_recomputation(asked)
    return asked


def queue_recomputation(row: Recomputation) -> None:
    """Queue the next piece; it runs once the transaction is committed, after all other jobs."""
    task = app.configure_task("reviewers.calibration.jobs.recompute")
    task.defer(recomputation=str(row.pk), organisation=str(row.organisation_id))


def take_up_lost_recomputations(*, organisation_id: UUID) -> None:
    """Queue the recomputations whose jobs are gone. A profile has one, which goes on where it was."""
    for row in Recomputation.objects.filter(organisation=organisation_id, finished_at=None):
        if not has_job("recomputation", row.pk):
            queue_recomputation(row)


@transaction.atomic
def recompute_piece(*, recomputation_id: UUID, now: datetime, at_once: int = AT_ONCE) -> bool:
    """Do the next piece; return True if another one waits. It ends if the profile is no longer active."""
    row = Recomputation.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=recomputation_id)
    profile = row.profile
    if row.finished_at is not None:
        return False
    found: dict[UUID, UUID] = {}
    if state_of(profile) is ProfileState.ACTIVE:
        waiting = not_yet_under(profile.name, row.organisation_id, key_of(profile.combination), row.asked_at)
        ahead = (waiting.filter(pk__gt=row.after) if row.after else waiting).order_by("pk")[:at_once]
        engine_profile = read_profile(profile.name, profile.pk)
        found = attribute_again(snapshots=ahead, profile=engine_profile, organisation=row.organisation, at=now)
        switch_attribution(found)
    row.done = min(row.total, row.done + len(found))
    row.after = max(found, default=row.after)
    row.finished_at = None if len(found) == at_once else now
    row.save(update_fields=["done", "after", "finished_at"])
    return row.finished_at is None


# Verification of profiles: records determine which are active and suspended, and the current state is compared with them.

_FIRST = """
WITH seen AS (SELECT * FROM calibration_seencombination WHERE organisation_id = %(organisation)s),
active AS (
    SELECT profile.id, profile.combination_id FROM calibration_calibrationprofile AS profile
    JOIN calibration_profiledecision AS decision ON decision.profile_id = profile.id AND decision.outcome = 'approved'
    WHERE profile.organisation_id = %(organisation)s
    AND NOT EXISTS (SELECT FROM calibration_retirement AS retirement WHERE retirement.profile_id = profile.id)
),
open AS (
    SELECT max(suspension.id::text)::uuid AS id, suspension.profile_id FROM calibration_suspension AS suspension
    WHERE suspension.organisation_id = %(organisation)s
    AND NOT EXISTS (SELECT FROM calibration_lifting AS lifting WHERE lifting.suspension_id = suspension.id)
    GROUP BY suspension.profile_id
)
SELECT * FROM (
    SELECT coalesce(seen.id, active.combination_id) AS id, 'active_id' AS differing
    FROM seen FULL JOIN active ON active.combination_id = seen.id WHERE seen.active_id IS DISTINCT FROM active.id
    UNION ALL
    SELECT seen.id, 'suspension_id' FROM seen LEFT JOIN open ON open.profile_id = seen.active_id
    WHERE seen.suspension_id IS DISTINCT FROM open.id
) AS compared ORDER BY id LIMIT 1
"""

_MARKED = """
SELECT ARRAY(SELECT unnest(suspended_profiles) ORDER BY 1) <> ARRAY(
    SELECT DISTINCT profile.name::text FROM calibration_suspension AS suspension
    JOIN calibration_calibrationprofile AS profile ON profile.id = suspension.profile_id
    WHERE suspension.organisation_id = %(organisation)s
    AND NOT EXISTS (SELECT FROM calibration_lifting AS lifting WHERE lifting.suspension_id = suspension.id) ORDER BY 1
)::varchar[]
FROM accounts_organisation WHERE id = %(organisation)s
"""


def check_active_profiles(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` if another profile is active or suspended than the records of decisions and suspensions say."""
    for key, column in read_rows(_FIRST, {"organisation": organisation_id}):
        raise LedgerMismatch(SeenCombination, key, "is not what was decided of its profiles", column)
    if any(differ for (differ,) in read_rows(_MARKED, {"organisation": organisation_id})):
        raise LedgerMismatch(Organisation, organisation_id, "are not those that are suspended", "suspended_profiles")
    for profile in CalibrationProfile.objects.filter(organisation=organisation_id, active_in__isnull=False).select_related("combination"):
        if record_of(profile)["scope"] != asdict(scope_of(profile.combination)):
            raise LedgerMismatch(SeenCombination, profile.combination_id, "is not what its profile was made for")
