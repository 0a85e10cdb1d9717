"""What may be done with a profile in the state it is in, whoever asks; and what nobody may do with their own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from attribution.calibration import State, TreeBeta
from reviewers.accounts.policies import why_not_two_people
from reviewers.calibration.lifecycle.states import ProfileState, state_of
from reviewers.calibration.models import CalibrationProfile, Comparison
from reviewers.review.agreement.queries import GateLine
from reviewers.review.policies import Invalid, Refused

FEWEST = 100


def check_reaches(calibrator: TreeBeta) -> None:
    """Under 100 labels nothing is learned: scores stay."""
    if calibrator.state is State.PROVISIONAL:
        raise Refused(f"There are {calibrator.labels} labels, and {FEWEST} are the fewest. Until then nobody can tell, and scores stay.")


def check_is_new(name: str, there: CalibrationProfile | None) -> None:
    """The same labels make the same profile, and it was decided of once."""
    if there is not None:
        raise Refused(f"These labels make {name}, which is there already: {state_of(there).label.lower()}. More labels make another one.")


def check_is_open(profile: CalibrationProfile) -> None:
    """What was decided is decided."""
    if state_of(profile) is not ProfileState.PROPOSED:
        raise Refused(f"This profile is {state_of(profile).label.lower()}; nothing was changed.")


def check_may_approve(profile: CalibrationProfile, record: dict[str, Any], by: UUID, now: datetime) -> None:
    """A profile is approved by two people (see ``two_people``), and only if its conditions hold."""
    check_is_open(profile)
    reason = why_not_two_people(
        organisation_id=profile.organisation_id,
        proposed_by=profile.proposed_by_id,
        proposed_at=profile.proposed_at,
        decided_by=by,
        now=now,
    )
    if reason:
        raise Refused(reason)
    failed = [gate for gate in record["evaluation"]["gates"] if not gate["passed"]]
    if failed:
        raise Refused(f"A condition does not hold: {failed[0]['name']}, {failed[0]['because']}.")


def check_reviewers(conditions: Sequence[GateLine]) -> None:
    """Labels of reviewers who are known not to agree, or not to notice, make no confidence. What cannot be told yet refuses nothing."""
    failed = [each for each in conditions if each.fails]
    if failed:
        raise Refused(f"A condition does not hold: {failed[0].title.lower()}, {failed[0].because}.")


def check_was_compared(comparison: Comparison | None, active_id: UUID | None) -> Comparison:
    """An approval rests on what would change now."""
    if comparison is None:
        raise Refused("This profile has not been compared with stored answers yet.")
    if comparison.against_id != active_id:
        raise Refused("Another profile has become active since this one was compared. Compare it again.")
    return comparison


def check_count(comparison: Comparison, typed: int) -> None:
    """Whoever approves has read how much changes."""
    if typed != comparison.changed_count:
        raise Invalid(f"{typed} is not how many messages change. Read the comparison, and type its number.")


def check_is_suspended(profile: CalibrationProfile) -> None:
    """Only what is suspended can be believed again."""
    if state_of(profile) is not ProfileState.SUSPENDED:
        raise Refused(f"This profile is {state_of(profile).label.lower()}; nothing was changed.")


def check_may_retire(profile: CalibrationProfile) -> None:
    """Only what is active, or would be, can be retired."""
    if state_of(profile) is not ProfileState.SUSPENDED:
        check_is_active(profile)


def check_is_active(profile: CalibrationProfile) -> None:
    """Only what is active is used."""
    if state_of(profile) is not ProfileState.ACTIVE:
        raise Refused(f"This profile is {state_of(profile).label.lower()}; nothing was changed.")
