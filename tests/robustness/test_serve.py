"""`manage.py serve`: web and worker of a deployment come back after a kill, and end together."""

from __future__ import annotations

import signal
import subprocess
from contextlib import closing
from http.client import HTTPConnection, HTTPException

import psutil
import pytest

from benchmarks.site import _free_port
from tests.robustness.processes import PATIENCE, family_of, manage, managing, wait_until
from tests.web.test_production import DEPLOYMENT

PATIENT = 2 * PATIENCE


def is_ready(port: int) -> bool:
    headers = {"Host": "desk.example.org", "X-Forwarded-Proto": "https"}
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        try:
            connection.request("GET", "/health/", headers=headers)
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False


def children_with(process: subprocess.Popen[str], word: str) -> list[psutil.Process]:
    """Return what the supervisor started itself whose command has this word."""
    return [each for each in psutil.Process(process.pid).children() if word in command_of(each)]


def command_of(process: psutil.Process) -> list[str]:
    """Return nothing for a process that has ended, also where the supervisor has not looked yet."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


@pytest.mark.exhaustive
def test_what_is_killed_comes_back_and_all_ends_together(closed_house):
    port = _free_port()
    assert manage(closed_house.folder, "collectstatic", "--no-input", **DEPLOYMENT).returncode == 0
    with managing(closed_house.folder, "serve", "--bind", f"127.0.0.1:{port}", **DEPLOYMENT) as process:
        wait_until(lambda: is_ready(port) and children_with(process, "work"), PATIENT)
        for word in ("work", "gunicorn"):
            (killed,) = children_with(process, word)
            killed.kill()
            wait_until(
                lambda killed=killed, word=word: [each.pid for each in children_with(process, word)] not in ([], [killed.pid]), PATIENT
            )
        wait_until(lambda: is_ready(port), PATIENT)
        everything = family_of(process.pid)

        process.send_signal(signal.SIGTERM)

        assert process.wait(PATIENT) == 0
        assert psutil.wait_procs(everything, 5)[1] == []
    assert not is_ready(port)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"FOOTNOTE_LOCAL": "1"}, "This runs a deployment: set FOOTNOTE_LOCAL=0"),
        pytest.param({"FOOTNOTE_HOSTS": "*"}, "FOOTNOTE_HOSTS takes any host name", marks=pytest.mark.exhaustive),
    ],
    ids=["local", "any host"],
)
def test_it_serves_with_the_settings_of_a_deployment_only(closed_house, changes, told):
    manage(closed_house.folder, "collectstatic", "--no-input", **DEPLOYMENT)

    refused = manage(closed_house.folder, "serve", **DEPLOYMENT | changes)

    assert refused.returncode == 1
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr
