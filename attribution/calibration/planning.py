"""Plan how many labels a claim will take, and how many days at the present pace."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attribution.calibration.intervals import wilson
from attribution.calibration.normal import two_sided

LEVEL = 0.95
"""A claim with a margin is planned at 95%."""


@dataclass(frozen=True, slots=True)
class Need:
    """Labels needed, how many of them are missing, and in how many whole days they are there; nothing at a pace of none."""

    labels: int
    missing: int
    days: int | None


def labels_for_margin(
    expected: float, margin: float, level: float = LEVEL, design_effect: float = 1.0, population: int | None = None
) -> int:
    """The fewest labels whose Wilson interval reaches no farther than ``margin`` from its middle: ±0.03 at 0.9 takes 388.

    ``expected`` is the share to come, 0.5 if unknown. Times the design effect; in a population of N, n/(1 + (n − 1)/N) (Cochran 1977).
    """
    if not (0 <= expected <= 1 and 0 < margin < 1):
        raise ValueError("an expected share is from 0 to 1, and a margin between 0 and 1")
    low, high = 0, 1
    while _reach(expected, high, level) > margin:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _reach(expected, middle, level) <= margin else (middle, high)
    labels = high * design_effect
    return math.ceil(labels if population is None else labels / (1 + (labels - 1) / population))


def margin_of(expected: float, labels: int, level: float = LEVEL) -> float:
    """Return half the width of Wilson's interval with so many labels, a share."""
    return wilson(expected * labels, labels, level).width / 2


def need(labels: int, present: int, per_day: float) -> Need:
    """Return how many of ``labels`` are missing, and how long they take at so many a day."""
    missing = max(0, labels - present)
    if not missing:
        return Need(labels, 0, 0)
    return Need(labels, missing, math.ceil(missing / per_day) if per_day > 0 else None)


def _reach(expected: float, labels: int, level: float) -> float:
    """Half of Wilson's width, not cut off at 0 and 1."""
    z = two_sided(level)
    return z * math.sqrt(expected * (1 - expected) / labels + z * z / (4 * labels * labels)) / (1 + z * z / labels)
