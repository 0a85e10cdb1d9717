"""When a calibration may not be trusted any longer: another combination, too old, or nobody looked."""

from __future__ import annotations

from dataclasses import dataclass, fields

from attribution.calibration.observation import Scope


@dataclass(frozen=True, slots=True)
class Staleness:
    """The rules of a profile. Ages in days; ``fewest_audit_labels`` within ``window_days``; ``alpha`` for all alarms of a year."""

    oldest_days: int = 90
    fewest_audit_labels: int = 30
    window_days: int = 30
    alpha: float = 0.05
    tolerance: float = 0.03


def changed_parts(calibrated_for: Scope, now: Scope) -> tuple[str, ...]:
    """The parts of the scope that are others than those calibrated for: with any of them the combination is uncalibrated."""
    return tuple(each.name for each in fields(Scope) if getattr(calibrated_for, each.name) != getattr(now, each.name))


def reasons_to_doubt(rules: Staleness, age_days: int, audit_labels: int) -> tuple[str, ...]:
    """Why a calibration of the right combination is stale all the same, in words; ``audit_labels`` of the rules' window. Often none.

    No evidence of drift is no evidence that there is none. A profile younger than the window has had no time to gather labels.
    """
    reasons = []
    if age_days > rules.oldest_days:
        reasons.append(f"{age_days} days old, and {rules.oldest_days} are the most")
    if age_days >= rules.window_days and audit_labels < rules.fewest_audit_labels:
        reasons.append(f"{audit_labels} audit labels in {rules.window_days} days, and {rules.fewest_audit_labels} are the fewest")
    return tuple(reasons)
