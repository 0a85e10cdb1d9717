"""Processor time of an action and how it grows. No test fails because the machine was busy: only the least of several runs counts."""

from __future__ import annotations

import time
from collections.abc import Callable

_RUNS = 3
_TOO_SHORT = 0.02
"""Seconds below which no growth can be told: a machine does other things for as long."""


def cpu_seconds(action: Callable[[], object], enough: float = 0.0, runs: int = _RUNS) -> float:
    """Return the least processor time of several runs. No further run is needed when one took no more than ``enough``."""
    least = float("inf")
    for _ in range(runs):
        before = time.process_time()
        action()
        least = min(least, time.process_time() - before)
        if least <= enough:
            break
    return least


def grows_with(action: Callable[[int], object], size: int, factor: int = 10) -> float:
    """Return how many times the time grows when the size grows ``factor`` times, over ``factor``: about 1 where time is linear.

    A quadratic action has about ``factor``. What is too short to be measured counts as linear.
    """
    long = cpu_seconds(lambda: action(size * factor), enough=_TOO_SHORT * factor)
    if long <= _TOO_SHORT * factor:
        return 1.0
    return long / factor / cpu_seconds(lambda: action(size))
