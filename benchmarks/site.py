"""A site of its own to measure: an empty database in a temporary folder, a web server, an organisation with a reviewer and a key."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.client import Client

ROOT = Path(__file__).resolve().parent.parent
_PATIENCE = 600


@dataclass(frozen=True, slots=True)
class Site:
    """A running site."""

    port: int
    folder: Path
    pid: int

    def reviewer(self) -> Client:
        """A client signed in as a reviewer."""
        client = Client(self.port)
        client.sign_in("reviewer@harborlights.example", (self.folder / "demo" / "password").read_text().strip())
        return client

    @property
    def key(self) -> str:
        """A key that may ingest and read."""
        return (self.folder / "demo" / "key").read_text()


@contextmanager
def running_site() -> Iterator[Site]:
    """Start a site as ``make demo`` does, in a folder of its own; stop it afterwards."""
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        port = _free_port()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DATABASE_")}
        environment |= {"FOOTNOTE_VAR": folder, "FOOTNOTE_PORT": str(port), "FOOTNOTE_LOG_LEVEL": "ERROR", "FOOTNOTE_KEY_RATE": ""}
        process = subprocess.Popen([sys.executable, "manage.py", "demo"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        try:
            _await(port, process)
            yield Site(port, Path(folder), process.pid)
        finally:
            process.terminate()
            process.wait(timeout=_PATIENCE)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            Client(port).get("/accounts/login/")
        except (OSError, RuntimeError):
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("the site did not start")
