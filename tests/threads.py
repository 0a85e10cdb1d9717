"""Runs things at once, each in a thread with a database connection of its own. Used with the fixture ``committed``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from django.db import connections

T = TypeVar("T")
_LONGEST_WAIT = 60


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Start all calls at the same moment; their results in order. What one raises is raised here."""
    return [results[0] for results in in_rounds(calls, 1)]


def in_rounds(calls: Sequence[Callable[[], T]], rounds: int) -> list[list[T]]:
    """Make all calls again and again, each round beginning at the same moment; for each call its results."""
    start = threading.Barrier(len(calls), timeout=_LONGEST_WAIT)

    def run(call: Callable[[], T]) -> list[T]:
        try:
            results = []
            for _ in range(rounds):
                start.wait()
                results.append(call())
        except BaseException:
            start.abort()
            raise
        finally:
            connections.close_all()
        return results

    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(copy_context().run, run, call) for call in calls]
    failures = [error for future in futures if (error := future.exception()) is not None]
    for error in sorted(failures, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    return [future.result() for future in futures]
