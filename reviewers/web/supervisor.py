"""Keeps several processes running: starts them, restarts what ended with a growing pause, and ends all of them together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import structlog

from reviewers.devtools import postgres

_log = structlog.get_logger(__name__)

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LOOK = 0.1


def web_command(bind: str) -> list[str]:
    """Return the command of the web server."""
    return [sys.executable, "-m", "gunicorn", "--config", "python:reviewers.web.http.server", "--bind", bind, "reviewers.wsgi"]


def worker_command() -> list[str]:
    """Return the command of the background worker."""
    return [sys.executable, "manage.py", "work"]


@dataclass(frozen=True)
class Patience:
    """Times in seconds, and how many early ends in a row are too many."""

    first_pause: float = 1
    longest_pause: float = 30
    steady: float = 60
    """A process that has run for so long has started: its next end is no failure to start."""
    most_early_ends: int = 6
    stop: float = 30
    """From being told to stop until it is killed. The web server finishes its requests within 20 seconds."""


@dataclass
class _Child:
    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0
    due: float = 0
    early_ends: int = 0
    was_steady: bool = field(default=False)


class Supervisor:
    """Runs commands, by name, until a signal comes or one of them cannot be started.

    Each runs in a process group of its own: Ctrl+C reaches this process alone, which then ends the others.
    """

    def __init__(self, commands: Mapping[str, Sequence[str]], folder: Path, patience: Patience = Patience()) -> None:
        self._children = [_Child(name, command) for name, command in commands.items()]
        self._folder, self._patience = folder, patience
        self._signals = 0

    def run(self) -> int:
        """Keep all running; return the exit status: 0 after a signal when all ended by themselves, 1 otherwise.

        A process that ended early too often in a row, without having run steadily once, cannot be started: that ends the others. One that
        has run steadily is restarted for ever, for what it needs, such as the database, comes back.
        """
        before = {number: signal.signal(number, self._note) for number in _SIGNALS}
        try:
            while not self._signals:
                for child in self._children:
                    self._keep(child)
                if any(self._has_failed(child) for child in self._children):
                    self._stop()
                    return 1
                time.sleep(_LOOK)
            return 0 if self._stop() else 1
        finally:
            self._kill()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._signals += 1

    def _keep(self, child: _Child) -> None:
        """Start a process that is due, and note the end of one that runs."""
        now = time.monotonic()
        if child.process is None:
            if now >= child.due:
                child.started = now
                child.process = subprocess.Popen(child.command, cwd=self._folder, pass_fds=postgres.held(), process_group=0)  # noqa: S603 — ours
            return
        has_run = now - child.started
        if has_run >= self._patience.steady:
            child.was_steady, child.early_ends = True, 0
        if (status := child.process.poll()) is not None:
            pause = min(self._patience.first_pause * 2**child.early_ends, self._patience.longest_pause)
            _log.error("process_ended", process=child.name, status=status, after=round(has_run, 1), restart_in=pause)
            child.process, child.due = None, now + pause
            child.early_ends += 1

    def _has_failed(self, child: _Child) -> bool:
        return not child.was_steady and child.early_ends >= self._patience.most_early_ends

    def _stop(self) -> bool:
        """End all at once; return True if each ended by itself in time. A second signal does not wait."""
        running = [child.process for child in self._children if child.process is not None]
        for process in running:
            process.terminate()
        until, asked = time.monotonic() + self._patience.stop, self._signals
        while any(process.poll() is None for process in running) and time.monotonic() < until and self._signals == asked:
            time.sleep(_LOOK)
        return all(process.poll() is not None for process in running)

    def _kill(self) -> None:
        """Kill what has not ended, with all that it started."""
        for child in self._children:
            if child.process is not None and child.process.poll() is None:
                os.killpg(child.process.pid, signal.SIGKILL)
                child.process.wait()
