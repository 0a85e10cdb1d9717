"""Whether a profile still holds is watched by a slice above this one, which says here how it tells of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from reviewers.calibration.models import CalibrationProfile


@dataclass(frozen=True, slots=True)
class PrecisionAlarm:
    """An alarm on the precision of a combination: what share was right, what was promised at least; and why it rests, if it does."""

    day: date
    conversations: int
    right: float
    promised: float
    reason: str
    who: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PrecisionStatus:
    """What a watch has come to: of so many conversations since a day, the share right and the least that was promised.

    ``evidence`` against the profile alarms at ``alarms_at``; one that holds ever reaches that with probability 1/``alarms_at``.
    """

    since: date
    through: date
    conversations: int
    right: float
    promised: float
    evidence: float
    alarms_at: float


class PrecisionWatcher(Protocol):
    """Knows what was watched."""

    def watch_over(self, profile: CalibrationProfile) -> PrecisionStatus | None:
        """How a profile has held so far; nothing where no audit label tells yet."""

    def alarms_on(self, profile: CalibrationProfile) -> Sequence[PrecisionAlarm]:
        """The alarms on its combination, the newest first."""


_watchers: list[PrecisionWatcher] = []


def set_precision_watcher(watcher: PrecisionWatcher) -> None:
    """Ask this one from now on, instead of any before."""
    _watchers[:] = [watcher]


def watch_over(profile: CalibrationProfile) -> PrecisionStatus | None:
    """How a profile has held so far; nothing where nobody watches."""
    return _watchers[0].watch_over(profile) if _watchers else None


def alarms_on(profile: CalibrationProfile) -> Sequence[PrecisionAlarm]:
    """The alarms on its combination."""
    return _watchers[0].alarms_on(profile) if _watchers else ()
