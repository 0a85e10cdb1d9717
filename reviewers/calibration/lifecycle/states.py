"""The states of a profile, which follow from the decisions about it, and its audit events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from django.db.models import Model

from reviewers.accounts.audit import Actor
from reviewers.calibration.models import CalibrationProfile, ProfileOutcome
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event


class ProfileState(Enum):
    """The state of a profile: its label, and the tone and icon of its badge. An active one is in use, whether it is good or not."""

    PROPOSED = ("Proposed", "accent", "mixed")
    ACTIVE = ("Active", "accent", "many")
    SUSPENDED = ("Suspended", "bad", "pause")
    RETIRED = ("Retired", "quiet", "pause")
    REJECTED = ("Rejected", "bad", "cross")

    def __init__(self, label: str, tone: str, icon: str) -> None:
        self.label, self.tone, self.icon = label, tone, icon


def state_of(profile: CalibrationProfile) -> ProfileState:
    """Return the state, from its decision, its retirement and its combination; lists load these with it."""
    decision = getattr(profile, "decision", None)
    if decision is None:
        return ProfileState.PROPOSED
    if decision.outcome == ProfileOutcome.REJECTED:
        return ProfileState.REJECTED
    if getattr(profile, "retirement", None):
        return ProfileState.RETIRED
    return ProfileState.SUSPENDED if profile.combination.suspension_id else ProfileState.ACTIVE


def record_profile_event(
    action: Action,
    profile: CalibrationProfile,
    by: Actor,
    now: datetime,
    details: Mapping[str, Any] | None = None,
    rows: Sequence[Model] = (),
) -> None:
    """Record an event about a profile. It names the profile and counts; labels and reasons are committed to with their rows."""
    told = {"profile": profile.name} | dict(details or {})
    record(Event(action, profile.organisation_id, by, now, "profile", profile.id, told, rows=rows_of(rows)))
