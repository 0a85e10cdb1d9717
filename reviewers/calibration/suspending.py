"""Suspends an active profile, and lifts that. Which alarms suspend is said by the slice that raises them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from reviewers.accounts.announcements import SYSTEM, user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.calibration import policies
from reviewers.calibration.actions import find_combination, find_profile
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.suspension_models import Lifting, Suspension
from reviewers.calibration.telling import tell
from reviewers.ledger.events import Action


@transaction.atomic
def suspend(*, organisation_id: UUID, model: str, prompt_version: str, alarm: UUID, because: str, now: datetime) -> list[Suspension]:
    """Suspend the active profiles of a model with a prompt, whatever their schema: new answers get scores, and stored ones show theirs."""
    held = _believed(organisation_id, model, prompt_version).select_for_update(of=("self",))
    return [_suspend(seen, alarm, because, now) for seen in held.order_by("pk")]


def believed_profiles(*, organisation_id: UUID, model: str, prompt_version: str) -> frozenset[str]:
    """The names of the profiles that ``suspend`` would suspend now."""
    return frozenset(_believed(organisation_id, model, prompt_version).values_list("active__name", flat=True))


def _believed(organisation_id: UUID, model: str, prompt_version: str) -> QuerySet[SeenCombination]:
    return SeenCombination.objects.filter(
        organisation=organisation_id, engine=ENGINE, model=model, prompt_version=prompt_version, active__isnull=False, suspension=None
    )


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
    return list(Suspension.objects.filter(profile=profile).select_related("lifting__lifted_by").order_by("-id"))


def _suspend(seen: SeenCombination, alarm: UUID, because: str, now: datetime) -> Suspension:
    profile = CalibrationProfile.objects.defer("document").get(active_in=seen)
    made: Suspension = Suspension.objects.create(
        organisation_id=seen.organisation_id, profile=profile, alarm=alarm, because=because, suspended_at=now
    )
    seen.suspension = made
    seen.save(update_fields=["suspension"])
    _mark(seen.organisation_id, profile.name, is_suspended=True)
    tell(Action.PROFILE_SUSPENDED, profile, SYSTEM, now, {"alarm": str(alarm)}, [made])
    return made


def _mark(organisation_id: UUID, name: str, *, is_suspended: bool) -> None:
    """Say so in the organisation's row, which every page that shows a number reads."""
    held = Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    others = [each for each in held.suspended_profiles if each != name]
    held.suspended_profiles = [*others, name] if is_suspended else others
    held.save(update_fields=["suspended_profiles"])
