#!/usr/bin/env python3
"""Django's command line."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from django.core.management import execute_from_command_line

from compiled import prefer

_SOON = 0.01


def main() -> None:
    """Run a management command. One that is told to stop, or interrupted, ends like any other: what it started ends with it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewers.settings")
    prefer()
    end_on_signals()
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def end_on_signals() -> None:
    """Turn a request to stop into SystemExit.

    Python ignores what is raised while an object is finalised, so a signal that comes at such a moment is raised again soon after.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _exit)
    sys.unraisablehook = _exit_after_all


def _exit(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)


def _exit_after_all(ignored: sys.UnraisableHookArgs) -> None:
    if not isinstance(ignored.exc_value, SystemExit):
        sys.__unraisablehook__(ignored)
        return
    status = ignored.exc_value.code
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(status))
    signal.setitimer(signal.ITIMER_REAL, _SOON)


if __name__ == "__main__":
    main()
