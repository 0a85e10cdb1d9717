"""Parts of measurements: a row of the table, times, percentiles."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was measured, the figure, its unit, and what is to be reached."""

    name: str
    value: float
    unit: str
    target: str = ""


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median_of(runs: int, measure: Callable[[], float]) -> float:
    """The median of several runs."""
    return statistics.median([measure() for _ in range(runs)])


def seconds_of(call: Callable[[], object]) -> float:
    """Return how many seconds a call takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def milliseconds_each(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Return how many milliseconds each of some calls takes, one after the other."""
    return [1_000 * seconds_of(call) for call in calls]


def rate_of(workers: Sequence[Callable[[], int]]) -> float:
    """Calls a second of several clients at once; each returns how many calls it made."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(len(workers)) as pool:
        made = sum(waiting.result() for waiting in [pool.submit(worker) for worker in workers])
    return made / (time.perf_counter() - begin)
