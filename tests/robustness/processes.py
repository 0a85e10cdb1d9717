"""Real processes of a site with a folder, a database and a port of its own, and ways to end them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil

from benchmarks.site import ROOT, _free_port
from reviewers.demonstration.management.commands.demo import _web_command
from reviewers.devtools import postgres

PATIENCE = 60
_LONGEST_COMMAND = 900
"""Seconds for a command to come to its end. A new house migrates: half a minute of work, and several times that beside other tests."""
_PAUSE = 0.02


def environment_of(folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a shell for the site's commands, without this test run's, and a place for what a kill leaves behind."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "DJANGO_", "FOOTNOTE_", "PG"))}
    return (
        own
        | {"FOOTNOTE_VAR": str(folder), "FOOTNOTE_LOG_LEVEL": "CRITICAL", "FOOTNOTE_KEY_RATE": "", "TMPDIR": str(folder.parent.parent)}
        | more
    )


def manage(folder: Path, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a management command to its end."""
    return subprocess.run(  # noqa: S603 — the site's own commands
        _command(*arguments),
        cwd=ROOT,
        env=environment_of(folder, **more),
        capture_output=True,
        text=True,
        timeout=_LONGEST_COMMAND,
        check=False,
    )


@contextmanager
def managing(folder: Path, *arguments: object, output: int | None = None, **more: str) -> Iterator[subprocess.Popen[str]]:
    """A management command while it runs; whatever is left of it and of what it started is ended.

    It can be interrupted, also where a shell began these tests in the background: those ignore SIGINT, and so would what they start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(  # noqa: S603 — the site's own commands
        _command(*arguments), cwd=ROOT, env=environment_of(folder, **more), stdout=output, stderr=output, text=True, process_group=0
    )
    with process:
        try:
            yield process
        finally:
            kill_all([*family_of(process.pid)])


@contextmanager
def copy_of(folder: Path) -> Iterator[Path]:
    """Copy the folder of a site that nobody uses; its files keep their owners, for root's PostgreSQL runs as another user."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as parent:
        copy = Path(parent) / folder.parent.name / folder.name
        copy.parent.mkdir()
        subprocess.run(["cp", "-pR", folder, copy], check=True)  # noqa: S603, S607 — our own
        yield copy


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "manage.py", *map(str, arguments)]


def family_of(pid: int) -> list[psutil.Process]:
    """A process and all that it started, directly or not."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def kill_all(processes: list[psutil.Process]) -> None:
    """kill -9, all at once."""
    for process in processes:
        if process.is_running():
            process.kill()
    psutil.wait_procs(processes, PATIENCE)


def postmaster_of(folder: Path) -> psutil.Process:
    """The first process of the embedded server in a folder."""
    return psutil.Process(int((folder / "postgresql" / "postmaster.pid").read_text().split()[0]))


def wait_until(is_so: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait, and fail where it does not become so."""
    deadline = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < deadline, f"not so after {patience} s: {is_so}"
        time.sleep(_PAUSE)


def answers(port: int) -> bool:
    """Return True if a site serves at a port."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        try:
            connection.request("GET", "/health/")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False


class House:
    """A folder with a database in which the demonstration is, and this process as one of its users while it is open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_open = False

    def start_database(self) -> None:
        self._address = postgres.start(self.folder / "postgresql")
        self.is_open = True

    def stop_database(self) -> None:
        postgres.stop(self.folder / "postgresql")
        self.is_open = False

    def url(self, role: str = postgres.OWNER) -> str:
        return postgres.url(self._address, role)

    @property
    def environment(self) -> dict[str, str]:
        return environment_of(self.folder, DATABASE_URL=self.url(postgres.WEB), DATABASE_OWNER_URL=self.url())

    @property
    def key(self) -> str:
        return (self.folder / "demo" / "key").read_text()

    @property
    def password(self) -> str:
        return (self.folder / "demo" / "password").read_text().strip()


class Web:
    """The web server as the demonstration starts it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.port = _free_port()
        self.orphans: list[psutil.Process] = []
        self._chance = Random(7)  # noqa: S311 — the same workers in each run

    def start(self) -> None:
        """Until one of its own workers can answer."""
        command, environment = _web_command(self.port), self.house.environment | {"FOOTNOTE_PORT": str(self.port)}
        with (self.house.folder / "web.log").open("a") as log:
            self._master = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=log, process_group=0)  # noqa: S603 — our own
        wait_until(lambda: self._has_the_port() and psutil.Process(self.pid).children() and answers(self.port), 5 * PATIENCE)

    def _has_the_port(self) -> bool:
        """Return True if the master listens itself: workers of a dead one may answer on the port for a while."""
        held = psutil.Process(self.pid).net_connections("tcp")
        return any(each.status == psutil.CONN_LISTEN and each.laddr.port == self.port for each in held)

    def stop(self) -> None:
        self._master.terminate()
        self._master.wait(PATIENCE)

    @property
    def pid(self) -> int:
        return self._master.pid

    def kill_worker(self) -> None:
        """kill -9 of one of the processes that answer; the master starts another one."""
        self._chance.choice(psutil.Process(self.pid).children()).kill()

    def kill_workers(self) -> None:
        """kill -9 of all processes that answer, with whatever is under way; the master starts others."""
        kill_all(psutil.Process(self.pid).children())

    def kill_master(self) -> None:
        """kill -9 of the master; somebody starts it again at once, and the workers of the dead one make way."""
        self.orphans += psutil.Process(self.pid).children()
        self._master.kill()
        self._master.wait()
        self.start()

    def kill_database(self) -> None:
        """kill -9 of PostgreSQL's first process; what it was doing is undone or redone when somebody starts it again."""
        postmaster_of(self.house.folder).kill()
        self.house.start_database()
