"""The state of a profile, which follows from what was decided of it."""

from __future__ import annotations

from enum import Enum

from reviewers.calibration.models import CalibrationProfile, Outcome


class ProfileState(Enum):
    """Where a profile stands: its word, the tone and the icon of its badge."""

    PROPOSED = ("Proposed", "accent", "mixed")
    ACTIVE = ("Active", "good", "check")
    SUSPENDED = ("Suspended", "bad", "pause")
    RETIRED = ("Retired", "quiet", "pause")
    REJECTED = ("Rejected", "bad", "cross")

    def __init__(self, label: str, tone: str, icon: str) -> None:
        self.label, self.tone, self.icon = label, tone, icon


def state_of(profile: CalibrationProfile) -> ProfileState:
    """Read off its decision, its retirement and its combination, which are loaded with it where lists need them."""
    decision = getattr(profile, "decision", None)
    if decision is None:
        return ProfileState.PROPOSED
    if decision.outcome == Outcome.REJECTED:
        return ProfileState.REJECTED
    if getattr(profile, "retirement", None):
        return ProfileState.RETIRED
    return ProfileState.SUSPENDED if profile.combination.suspension_id else ProfileState.ACTIVE
