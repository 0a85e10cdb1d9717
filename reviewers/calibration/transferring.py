"""After a change of model, prompt or schema: the profile of before, shifted by the first labels on what comes after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from attribution.calibration import read_tree
from reviewers.accounts.models import Membership
from reviewers.calibration import jobs, words
from reviewers.calibration.actions import find_combination, find_profile, propose_fitted
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.fitting import FEWEST_TO_TRANSFER, transfer_profile
from reviewers.calibration.gathering import gather
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.shadowing import record_of
from reviewers.calibration.states import ProfileState, state_of
from reviewers.review.policies import Refused


@dataclass(frozen=True, slots=True)
class Transferable:
    """A profile that may be taken over, and what it holds for."""

    id: UUID
    name: str
    combination: str


@transaction.atomic
def propose_transfer(*, combination_id: UUID, profile_id: UUID, by: Membership, now: datetime) -> CalibrationProfile:
    """Propose the active profile of another combination, shifted by the labels of this one; the worker compares it.

    Raises ``Refused`` where this one has a profile, where the other is not active, and where too few labels are on what it knows.
    """
    seen, old = find_combination(combination_id, by, lock=True), find_profile(profile_id, by)
    _check(seen, old)
    gathered = gather(seen)
    try:
        fitted = transfer_profile(gathered, scope_of(seen), old.name, read_tree(record_of(old)["calibrator"]))
    except ValueError as error:
        raise Refused(
            f"{FEWEST_TO_TRANSFER} labels of this combination on rules that {old.name} knows are the fewest, and there are not so many."
        ) from error
    profile = propose_fitted(seen=seen, gathered=gathered, fitted=fitted, parent=old, by=by, now=now)
    jobs.defer(profile, now)
    return profile


def list_transferable(seen: SeenCombination, labels: int, *, has_open: bool) -> Sequence[Transferable]:
    """The profiles that a combination may take over; none while it has one of its own, a proposal, or too few labels."""
    others = SeenCombination.objects.filter(organisation=seen.organisation_id, active__isnull=False, suspension=None).exclude(pk=seen.pk)
    if seen.active_id or has_open or labels < FEWEST_TO_TRANSFER:
        return ()
    rows = others.order_by("-active_id").values_list("active_id", "active__name", "model", "prompt_version")
    return [Transferable(row[0], row[1], words.combination_in_words(*row[2:])) for row in rows]


def _check(seen: SeenCombination, old: CalibrationProfile) -> None:
    if seen.active_id:
        raise Refused("This combination has a profile. A profile is taken over where there is none.")
    if state_of(old) is not ProfileState.ACTIVE or old.combination_id == seen.pk:
        raise Refused(f"{old.name} is not active for another combination.")
