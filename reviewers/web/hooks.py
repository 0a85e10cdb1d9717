"""What the worker does all the time, beside its jobs: each in a thread of its own, until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

Loop = Callable[[Event], None]
"""Runs until the event is set."""

background_loops: list[Loop] = []
"""The slices add theirs when they are loaded."""

_PATIENCE = 10


@contextmanager
def run_background_loops() -> Iterator[None]:
    """Run all loops while the block does."""
    stop = Event()
    threads = [Thread(target=loop, args=[stop], name=loop.__name__, daemon=True) for loop in background_loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(_PATIENCE)
