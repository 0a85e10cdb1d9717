"""Runs `make lint` beside the tests (`-p tests.linting`): what it says is printed at their end, and they fail where it does."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import IO

import pytest

_INHERITED = ("MAKE", "MFLAGS", "DATABASE_", "DJANGO_", "FOOTNOTE_", "PYTEST_")
"""Variables that these tests, or the make that runs them, set for themselves."""


class Linting:
    """The linters while they run, in the process that reports of all tests."""

    def __init__(self) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with this process
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_INHERITED)}
        self._process = subprocess.Popen(["make", "lint"], stdout=self._log, stderr=subprocess.STDOUT, env=environment)  # noqa: S607

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Wait for the linters, and print what they said."""
        status = self._process.wait()
        self._log.seek(0)
        terminalreporter.section("make lint failed" if status else "make lint", red=bool(status), bold=bool(status))
        terminalreporter.write(self._log.read().decode(errors="replace"))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail where they do."""
        if self._process.wait():
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_configure(config: pytest.Config) -> None:
    """Start them, not in the workers of pytest-xdist."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        config.pluginmanager.register(Linting())
