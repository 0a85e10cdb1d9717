"""``make demo``: migrate, load the demonstration, and run the site and the worker."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from reviewers.demonstration.loader import SignIn, load, load_generated
from reviewers.demonstration.year import Year
from reviewers.devtools import postgres
from reviewers.web.supervisor import web_command, worker_command

_ROOT = Path(settings.ROOT)
_HOST = "127.0.0.1"
_WORKER = worker_command()
_PATIENCE = 30
_PATIENCE_AT_START = 120
"""Seconds that the site may take to answer first: a busy machine takes long. If its process ends, that is noticed at once."""

_PAUSE = 0.1
_PATH = """\
Five clicks, as lead@harborlights.example once signed in:
  1  Quality      a year of weeks, and a drift of citations that was caught, with the reason why its alarm rests
  2  Calibration  match v17 is calibrated and active; match v18, the new prompt version, is not calibrated yet
  3  Plans        a blind plan of two reviewers, with a conflict that waits for a lead
  4  Queue        answers to review; those of match v17 have calibrated confidences
  5  the first answer in it: each confidence with its interval, and the labels that it rests on
Exports has a signed review as a PDF. What one lead proposes, the other can approve.
"""
_BEFORE_ANOTHER_WORKER = 2

Process = subprocess.Popen[bytes]


class Command(BaseCommand):
    help = "Migrate, load the demonstration, start the site and the worker, and say how to sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=int(os.environ.get("FOOTNOTE_PORT", "8000")))
        parser.add_argument("--no-serve", action="store_true", help="only load the data")
        parser.add_argument("--turns", type=int, default=0, metavar="N", help="load N generated turns besides")

    def handle(self, *, port: int, no_serve: bool, turns: int, **options: Any) -> None:
        del options
        if not no_serve:
            _check_is_free(port)
        with _without_collector():
            sign_ins, password = _load()
        load_generated(turns, now=timezone.now())
        if no_serve:
            self._greet(port, sign_ins, password)
            return
        os.environ["FOOTNOTE_PORT"] = str(port)  # the processes need it for links
        processes: list[Process] = []
        try:
            processes += (web := _start(_web_command(port)), _start(_WORKER))
            _await(port, web)
            self._greet(port, sign_ins, password)
            _keep_going(processes)
        except KeyboardInterrupt:
            self.stdout.write("\nStopping.")
        finally:
            _end(processes)

    def _greet(self, port: int, sign_ins: list[SignIn], password: str) -> None:
        width = max(len(sign_in.email) for sign_in in sign_ins)
        lines = [f"  {sign_in.email:<{width}}  {sign_in.role.lower()}, {sign_in.name}" for sign_in in sign_ins]
        self.stdout.write(f"\nFootnote is at http://{_HOST}:{port}/\n\nSign in as\n" + "\n".join(lines))
        self.stdout.write(
            f"  password for each: {password}\n\n{_PATH}\nA key for the API is in {_place_of_key()}. Ctrl+C stops everything.\n"
        )
        self.stdout.flush()


@contextmanager
def _without_collector() -> Iterator[None]:
    """Leave cycles of objects in memory: looking for them takes a sixth of the time that it takes to migrate and load."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _load() -> tuple[list[SignIn], str]:
    """Migrate, load the demonstration, and return the sign-ins and their password."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    try:
        return load(folder=settings.VAR / "demo", now=timezone.now(), story=Year())
    except FileNotFoundError as error:
        raise CommandError(f"The demonstration is loaded, but the file with its password is gone: {error.filename}") from error


def _place_of_key() -> Path:
    key = (settings.VAR / "demo" / "key").resolve()
    return key.relative_to(_ROOT) if key.is_relative_to(_ROOT) else key


def _check_is_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} of {_HOST} cannot be used: {os.strerror(error.errno or 0).lower()}. "
                f"Is another demonstration running? Choose another port with FOOTNOTE_PORT, as in: FOOTNOTE_PORT=8001 make demo"
            ) from error


def _web_command(port: int) -> list[str]:
    return web_command(f"{_HOST}:{port}")


def _start(command: list[str]) -> Process:
    """Start a process in a group of its own, so that Ctrl+C reaches only this process, which then ends the others in order."""
    return subprocess.Popen(command, cwd=_ROOT, pass_fds=postgres.held(), process_group=0)  # noqa: S603 — our own commands


def _await(port: int, web: Process) -> None:
    """Wait until the site answers."""
    deadline = time.monotonic() + _PATIENCE_AT_START
    while not _answers(port):
        if web.poll() is not None or time.monotonic() > deadline:
            raise CommandError("The site did not start; why stands above.")
        time.sleep(_PAUSE)


def _answers(port: int) -> bool:
    connection = HTTPConnection(_HOST, port, timeout=_PATIENCE)
    try:
        connection.request("GET", "/health/")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _keep_going(processes: list[Process]) -> None:
    """Wait until the site ends. Restart the worker if it ends, as it does without a database."""
    web, worker = processes
    while web.poll() is None:
        time.sleep(_PAUSE)
        if worker.poll() is not None:
            time.sleep(_BEFORE_ANOTHER_WORKER)
            processes[1] = worker = _start(_WORKER)
    raise CommandError(f"The site ended with status {web.returncode}.")


def _end(processes: list[Process]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
