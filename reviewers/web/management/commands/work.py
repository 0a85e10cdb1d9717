"""``manage.py work``: the background worker with its loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from reviewers.web.hooks import background_loops

_PATIENCE = 10
"""Seconds that a loop has to end."""


class Command(BaseCommand):
    help = "Run background and periodic jobs, and seal events, until told to stop."

    def handle(self, **options: Any) -> None:
        del options
        with _loops_running():
            call_command("procrastinate", "worker", "--delete-jobs=successful", "--concurrency=2")


@contextmanager
def _loops_running() -> Iterator[None]:
    """Run all background loops during the block."""
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
