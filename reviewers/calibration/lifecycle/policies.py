"""Policies of profiles: what is allowed in a given state, to anybody; and what nobody may do with their own proposal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from attribution.calibration import State, TreeBeta
from reviewers.accounts.approval import check_two_people
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Invalid, Refused
from reviewers.calibration.fitting import FEWEST
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import CalibrationProfile, Comparison, SeenCombination
from reviewers.calibration.shadow import counts_hidden
from reviewers.review.agreement.queries import GateLine
from reviewers.review.visibility import Viewer


def check_reaches(calibrator: TreeBeta) -> None:
    """Refuse to fit too few labels: scores stay."""
    if calibrator.state is State.PROVISIONAL:
        raise Refused(f"There are {calibrator.labels} labels, and {FEWEST} are the fewest. Until then nobody can tell, and scores stay.")


def check_is_new(name: str, there: CalibrationProfile | None) -> None:
    """Refuse a profile that exists: the same labels make the same profile, which was decided once."""
    if there is not None:
        raise Refused(f"These labels make {name}, which is there already: {state_of(there).label.lower()}. More labels make another one.")


def check_is_open(profile: CalibrationProfile) -> None:
    """Refuse to decide a proposal twice."""
    _check_state(profile, ProfileState.PROPOSED)


def check_may_approve(profile: CalibrationProfile, record: dict[str, Any], by: UUID, now: datetime) -> None:
    """Refuse an approval that is not by two people (see ``check_two_people``), or if a condition of the profile fails."""
    check_is_open(profile)
    check_two_people(profile, permission=Permission.MANAGE_CALIBRATION, proposed_by=profile.proposed_by_id, decided_by=by, now=now)
    failed = [gate for gate in record["evaluation"]["gates"] if not gate["passed"]]
    if failed:
        raise Refused(f"A condition does not hold: {failed[0]['name']}, {failed[0]['because']}.")


def check_reviewers(conditions: Sequence[GateLine]) -> None:
    """Refuse a profile if reviewers are known not to agree, or not to notice errors. An unknown condition refuses nothing."""
    failed = [each for each in conditions if each.fails]
    if failed:
        raise Refused(f"A condition does not hold: {failed[0].title.lower()}, {failed[0].because}.")


def check_was_compared(comparison: Comparison | None, seen: SeenCombination, viewer: Viewer) -> Comparison:
    """Return the comparison; refuse an approval without a comparison with the present active profile that the approver may read."""
    if comparison is None:
        raise Refused("This profile has not been compared with stored answers yet.")
    if comparison.against_id != seen.active_id:
        raise Refused("Another profile has become active since this one was compared. Compare it again.")
    if counts_hidden(comparison, seen, viewer):
        raise Refused("Answers have come under blind review since this profile was compared. Compare it again.")
    return comparison


def check_count(comparison: Comparison, typed: int) -> None:
    """Refuse an approver who typed another number of changed answers than the comparison has."""
    if typed != comparison.changed_count:
        raise Invalid(f"{typed} is not how many messages change. Read the comparison, and type its number.")


def check_is_suspended(profile: CalibrationProfile) -> None:
    """Refuse to lift a suspension that does not exist."""
    _check_state(profile, ProfileState.SUSPENDED)


def check_may_retire(profile: CalibrationProfile) -> None:
    """Refuse to retire a profile that is neither active nor suspended."""
    if state_of(profile) is not ProfileState.SUSPENDED:
        check_is_active(profile)


def check_is_active(profile: CalibrationProfile) -> None:
    """Refuse to use a profile that is not active."""
    _check_state(profile, ProfileState.ACTIVE)


def _check_state(profile: CalibrationProfile, wanted: ProfileState) -> None:
    if (state := state_of(profile)) is not wanted:
        raise Refused(f"This profile is {state.label.lower()}; nothing was changed.")
