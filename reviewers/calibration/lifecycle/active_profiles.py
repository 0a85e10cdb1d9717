"""Suspends an active profile, for an alarm or by hand, and lifts that. Which alarms suspend is said by the slice that raises them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from reviewers.accounts.audit import SYSTEM, Actor, user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.calibration import jobs
from reviewers.calibration.combinations import ENGINE, key_of, read_profile
from reviewers.calibration.lifecycle import policies
from reviewers.calibration.lifecycle.actions import find_combination, find_profile
from reviewers.calibration.lifecycle.states import ProfileState, record_profile_event, state_of
from reviewers.calibration.models import CalibrationProfile, Lifting, Recomputation, SeenCombination, Suspension
from reviewers.ledger.events import Action
from reviewers.review.queue.actions import switch_attribution
from reviewers.snapshots.hooks import Combination
from reviewers.snapshots.reattribution import attribute_again, not_yet_under


@transaction.atomic
def suspend(*, organisation_id: UUID, combination: Combination, alarm: UUID, because: str, now: datetime) -> Suspension | None:
    """Suspend the active profile of a combination for an alarm: new answers get scores, and stored ones show theirs.

    Nothing where it has none, or where it is suspended already.
    """
    held = _believed(organisation_id).filter(**combination._asdict()).select_for_update(of=("self",)).first()
    return _suspend(held, because, SYSTEM, now, alarm=alarm) if held else None


@transaction.atomic
def suspend_by_hand(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> Suspension:
    """Suspend an active profile because somebody says why it may not be believed. Raises ``Refused`` where it is not active."""
    seen = find_combination(find_profile(profile_id, by).combination_id, by, lock=True)
    policies.check_is_active(find_profile(profile_id, by))
    return _suspend(seen, reason, user_actor(by.user_id), now, suspended_by_id=by.user_id)


def believed_profiles(organisation_id: UUID) -> Mapping[Combination, str]:
    """The names of the profiles that ``suspend`` would suspend now, by what they hold for: model, prompt and schema."""
    rows = _believed(organisation_id).values_list(*Combination._fields, "active__name")
    return {Combination(*names): profile for *names, profile in rows}


def _believed(organisation_id: UUID) -> QuerySet[SeenCombination]:
    return SeenCombination.objects.filter(organisation=organisation_id, engine=ENGINE, active__isnull=False, suspension=None)


@transaction.atomic
def lift_suspension(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> Lifting:
    """Believe a suspended profile again, with a reason. Raises ``Refused`` where it is not suspended."""
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
    """Each time that it was suspended, the newest first, with who lifted it."""
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
    """Say so in the organisation's row, which every page that shows a number reads."""
    held = Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    others = [each for each in held.suspended_profiles if each != name]
    held.suspended_profiles = [*others, name] if is_suspended else others
    held.save(update_fields=["suspended_profiles"])


# Attributes stored answers again under the active profile, piece by piece, in the background.
#
# A piece is one transaction: its attributions, how far it came, and the job for the next piece. Whatever is killed, it goes on from there.


AT_ONCE = 100
"""Answers in one transaction."""


@transaction.atomic
def ask_recomputation(*, profile_id: UUID, by: Membership, now: datetime) -> Recomputation:
    """Have the worker attribute the stored answers of an active profile's combination under it. Asked again it is the one there is."""
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
    jobs.recompute_next(asked)
    return asked


@transaction.atomic
def recompute_piece(*, recomputation_id: UUID, now: datetime, at_once: int = AT_ONCE) -> bool:
    """The next piece; whether another one waits. A profile that is active no longer ends it."""
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
