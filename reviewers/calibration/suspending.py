"""Suspends an active profile, for an alarm or by hand, and lifts that. Which alarms suspend is said by the slice that raises them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from reviewers.accounts.announcements import SYSTEM, Actor, user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.calibration import policies
from reviewers.calibration.actions import find_combination, find_profile
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.suspension_models import Lifting, Suspension
from reviewers.calibration.telling import tell
from reviewers.ledger.events import Action
from reviewers.snapshots.choosing import Combination


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
def lift(*, profile_id: UUID, reason: str, by: Membership, now: datetime) -> Lifting:
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
    tell(Action.SUSPENSION_LIFTED, profile, user_actor(by.user_id), now, {}, [lifting])
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
    tell(Action.PROFILE_SUSPENDED, profile, by, now, {"alarm": str(made.alarm) if made.alarm else None}, [made])
    return made


def _mark(organisation_id: UUID, name: str, *, is_suspended: bool) -> None:
    """Say so in the organisation's row, which every page that shows a number reads."""
    held = Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    others = [each for each in held.suspended_profiles if each != name]
    held.suspended_profiles = [*others, name] if is_suspended else others
    held.save(update_fields=["suspended_profiles"])
