#!/usr/bin/env python3
"""Django's command line."""

from __future__ import annotations

import os
import signal
import sys

from django.core.management import execute_from_command_line

from compiled import prefer


def main() -> None:
    """Run a management command. One that is told to stop, or interrupted, ends like any other: what it started ends with it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewers.settings")
    prefer()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
