"""``make demo``: everything from an empty checkout to a site in the browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from reviewers.review.demonstration_loading import SignIn, load

_ROOT = Path(settings.ROOT)


class Command(BaseCommand):
    help = "Migrate, load the demonstration, start the site and the worker, and say how to sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=int(os.environ.get("FOOTNOTE_PORT", "8000")))
        parser.add_argument("--no-serve", action="store_true", help="only load the data")

    def handle(self, *, port: int, no_serve: bool, **options: Any) -> None:
        del options
        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        sign_ins, password = load(folder=settings.VAR / "demo", now=timezone.now())
        if no_serve:
            self._greet(port, sign_ins, password)
            return
        processes = [_start(_web_command(port)), _start([sys.executable, "manage.py", "work"])]
        self._greet(port, sign_ins, password)
        _serve(processes)

    def _greet(self, port: int, sign_ins: list[SignIn], password: str) -> None:
        width = max(len(sign_in.email) for sign_in in sign_ins)
        lines = [f"  {sign_in.email:<{width}}  {sign_in.role.lower()}, {sign_in.name}" for sign_in in sign_ins]
        self.stdout.write(f"\nFootnote is at http://127.0.0.1:{port}/\n\nSign in as\n" + "\n".join(lines))
        self.stdout.write(f"  password for each: {password}\n\nA key for the API is in var/demo/key. Ctrl+C stops everything.\n")


def _web_command(port: int) -> list[str]:
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "--config",
        "python:reviewers.web.server",
        "--bind",
        f"127.0.0.1:{port}",
        "reviewers.wsgi",
    ]


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, cwd=_ROOT)  # noqa: S603 — our own commands


def _serve(processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait until one of them ends or somebody stops the demonstration, then end the others."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        while all(process.poll() is None for process in processes):
            signal.sigtimedwait([signal.SIGCHLD], 1)
    except KeyboardInterrupt:
        pass
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=20)
