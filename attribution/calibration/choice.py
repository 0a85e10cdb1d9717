"""Choose a threshold: another than the present one only where that is clearly better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from attribution.calibration.chance import folds
from attribution.calibration.forecast import Forecast
from attribution.calibration.sweep import Point, point_at

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold to take, whether it is another than the present one, and the gain with its standard error over the parts."""

    threshold: float
    is_changed: bool
    gain: float | None
    error: float | None


def choose(
    forecasts: Sequence[Forecast],
    thresholds: Iterable[float],
    present: float,
    measure: Callable[[Point], float | None] = lambda point: point.f1,
    salt: str = "",
) -> Choice:
    """The best threshold by cross-validation, unless the present one is within one standard error of it. Breiman et al. 1984.

    Labels are divided into five parts by conversation. The gain is the mean over the parts of the difference between a threshold and
    the present one. Among those that gain more than one standard error, the nearest to the present one whose gain is within one
    standard error of the best. Of fewer than two parts with labels the present one is kept.
    """
    parts = [part for part in folds(forecasts, lambda each: each.conversation, FOLDS, salt) if part]
    if len(parts) < 2:
        return Choice(present, is_changed=False, gain=None, error=None)
    gains = {each: _gain(parts, each, present, measure) for each in set(thresholds) | {present}}
    better = {each: (gain, error) for each, (gain, error) in gains.items() if gain > error}
    if not better:
        return Choice(present, is_changed=False, gain=0.0, error=0.0)
    best, its_error = max(better.values())
    near = [each for each, (gain, _) in better.items() if gain >= best - its_error]
    threshold = min(near, key=lambda each: (abs(each - present), each))
    return Choice(threshold, is_changed=True, gain=better[threshold][0], error=better[threshold][1])


def _gain(
    parts: Sequence[Sequence[Forecast]], threshold: float, present: float, measure: Callable[[Point], float | None]
) -> tuple[float, float]:
    """The mean gain over the parts, and its standard error."""
    gains = [(measure(point_at(part, threshold)) or 0.0) - (measure(point_at(part, present)) or 0.0) for part in parts]
    mean = math.fsum(gains) / len(gains)
    return mean, math.sqrt(math.fsum((each - mean) ** 2 for each in gains) / (len(gains) - 1) / len(gains))
