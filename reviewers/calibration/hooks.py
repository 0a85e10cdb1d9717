"""Hooks of calibration: lists that slices above fill in their ``AppConfig.ready``, and their use.

A slice above monitors whether a profile's precision holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from reviewers.calibration.models import CalibrationProfile


@dataclass(frozen=True, slots=True)
class PrecisionAlarm:
    """An alarm on a combination's precision: the share found right and the share promised; and its acknowledgement, if there is one."""

    day: date
    conversations: int
    right: float
    promised: float
    reason: str
    who: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PrecisionStatus:
    """The result of monitoring: the share right and the least share promised, over the conversations since a day.

    ``evidence`` against the profile raises an alarm at ``alarms_at``; if the promise holds, it ever reaches that with probability
    1/``alarms_at``.
    """

    since: date
    through: date
    conversations: int
    right: float
    promised: float
    evidence: float
    alarms_at: float


precision_statuses: list[Callable[[CalibrationProfile], PrecisionStatus | None]] = []
precision_alarms: list[Callable[[CalibrationProfile], Sequence[PrecisionAlarm]]] = []


def watch_over(profile: CalibrationProfile) -> PrecisionStatus | None:
    """Return the precision of a profile so far, or None without audit labels, or if nobody monitors it."""
    return next((read(profile) for read in precision_statuses), None)


def alarms_on(profile: CalibrationProfile) -> Sequence[PrecisionAlarm]:
    """Return the alarms on a profile's combination, the newest first."""
    return next((read(profile) for read in precision_alarms), ())
