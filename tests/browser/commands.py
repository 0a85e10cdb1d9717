"""Commands of ``manage.py`` beside a running site, without the seconds that Django takes to start: each is a fork of a started one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import get_resolver


class Commands:
    """A process that has started Django with these settings, and waits for commands until it is ended."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.commands"],
            cwd=settings.ROOT,
            env={**environment, "DJANGO_SETTINGS_MODULE": "reviewers.settings"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command and return its result, whether it fails or not."""
        with TemporaryDirectory() as folder:
            files = [str(Path(folder) / name) for name in ("out", "err")]
            _pipe(self._process.stdin).write(json.dumps([*files, *arguments]).encode() + b"\n")
            _pipe(self._process.stdin).flush()
            status = int(_pipe(self._process.stdout).readline())
            out, err = (Path(file).read_bytes() for file in files)
        return subprocess.CompletedProcess(arguments, status, out, err)

    def end(self) -> None:
        """Wait until it has ended."""
        _pipe(self._process.stdin).close()
        _pipe(self._process.stdout).close()
        self._process.wait()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def main() -> None:
    """Start Django, and everything that a request or a worker needs; then fork for each line."""
    django.setup()
    assert get_resolver().url_patterns
    for line in sys.stdin:
        out, err, *arguments = json.loads(line)
        child = os.fork()
        if not child:
            _run(out, err, arguments)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()


def _run(out: str, err: str, arguments: Sequence[str]) -> None:
    for number, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
    status = 1
    try:
        execute_from_command_line(["manage.py", *arguments])
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    except BaseException:  # noqa: BLE001 - nothing of a command that fails may go on as its parent does
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
