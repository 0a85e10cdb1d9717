"""``manage.py work``: the background worker with its loops."""

from __future__ import annotations

import asyncio
import signal
from asyncio import FIRST_COMPLETED, Task
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from procrastinate import App
from procrastinate.contrib.django import app
from procrastinate.middleware import WorkerMiddleware

from reviewers.web.config import limit_statements
from reviewers.web.hooks import background_loops
from reviewers.web.jobs import LONG, MODEL, SHORT, TRACES, WEBHOOKS
from reviewers.web.tracing import trace_job

AT_ONCE = {SHORT: 2, LONG: 2, MODEL: 2, TRACES: 2, WEBHOOKS: 4}
"""Jobs of each queue that run at the same time: however many long ones there are, short ones do not wait for them."""

LONGEST_STATEMENT = 30 * 60
"""Seconds after which the database ends a statement of a job. None takes so long, unless it waits for a lock that is never given back."""

_PATIENCE = 10
"""Seconds that a loop has to end."""


class Command(BaseCommand):
    help = "Run background and periodic jobs, and seal events, until told to stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--without-sealing", action="store_true", help="leave that to manage.py seal --continually")

    def handle(self, *, without_sealing: bool, **options: Any) -> None:
        del options
        limit_statements(LONGEST_STATEMENT)
        connections.close_all()  # those of the worker are opened with this limit
        loops = [] if without_sealing else background_loops
        with _running(loops), app.replace_connector(app.connector.get_worker_connector()) as working:  # type: ignore[attr-defined]  # Django's
            asyncio.run(_work(working))


async def _work(working: App) -> None:
    """Run a worker for each queue until a signal ends them, or an error one of them."""
    middleware: list[WorkerMiddleware] = [trace_job] if settings.TRACES_URL else []
    async with working.open_async():
        tasks = [
            asyncio.create_task(
                working.run_worker_async(
                    queues=[queue],
                    concurrency=count,
                    delete_jobs="successful",
                    install_signal_handlers=False,
                    worker_middleware=middleware,
                )
            )
            for queue, count in AT_ONCE.items()
        ]
        told = _end_on_signals(tasks)
        ended, _ = await asyncio.wait(tasks, return_when=FIRST_COMPLETED)
        _cancel(tasks)
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in ended:
            if not task.cancelled():
                task.result()
        if not told.is_set():
            raise CommandError("the worker ended by itself, as it does when the database goes away")


def _end_on_signals(tasks: Sequence[Task[None]]) -> Event:
    """Let the jobs that run finish at the first signal, which sets the event returned; the second one ends the process."""
    loop, told = asyncio.get_running_loop(), Event()

    def end() -> None:
        told.set()
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
        _cancel(tasks)

    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, end)
    return told


def _cancel(tasks: Sequence[Task[None]]) -> None:
    """Cancel each task once: a worker waits for its jobs after the first time and abandons them after the second."""
    for task in tasks:
        if not task.cancelling():
            task.cancel()


@contextmanager
def _running(loops: Sequence[Callable[[Event], None]]) -> Iterator[None]:
    """Run background loops during the block."""
    stop = Event()
    threads = [Thread(target=loop, args=[stop], name=loop.__name__, daemon=True) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(_PATIENCE)
