from __future__ import annotations

import os
import re
import signal
import socket
from contextlib import contextmanager

import psutil
import pytest

from benchmarks.site import _free_port
from tests.robustness.clients import count_wrong, label_as_wrong, signed_in
from tests.robustness.processes import PATIENCE, answers, family_of, kill_all, manage, managing, postmaster_of, wait_until

PEOPLE = ["reviewer", "lead", "coordinator", "auditor", "administrator", "second-reviewer", "second-lead"]
QUICKLY = 15


@contextmanager
def demonstration(folder, tmp_path):
    """The demonstration, once it has said how to sign in: its process, its port, what it said, and all its processes."""
    port = _free_port()
    said = tmp_path / f"said-{port}"
    with said.open("w") as output, managing(folder, "demo", "--port", port, output=output) as process:
        wait_until(lambda: "stops everything" in said.read_text() or process.poll() is not None, 5 * PATIENCE)
        yield process, port, said.read_text(), family_of(process.pid) + family_of(postmaster_of(folder).pid)


def give_to_somebody_else(left_behind):
    """The number of a server that was killed may belong to another process by now."""
    left_behind.write_text(re.sub(r"^\d+", str(os.getpid()), left_behind.read_text()))


def read_sign_ins(said):
    """Read the output as a person does: the address, the people, the password."""
    (port,) = re.findall(r"Footnote is at http://127\.0\.0\.1:(\d+)/", said)
    (password,) = re.findall(r"password for each: (\S+)", said)
    return int(port), re.findall(r"^  (\S+@\S+)  ", said, re.MULTILINE), password


@pytest.mark.exhaustive
def test_everybody_it_names_can_sign_in_and_after_a_kill_it_starts_again_with_everything_in_it(closed_house, tmp_path):
    with demonstration(closed_house.folder, tmp_path) as (_, port, said, processes):
        address, people, password = read_sign_ins(said)
        assert (address, people) == (port, [f"{name}@harborlights.example" for name in PEOPLE])
        for email in people[1:]:
            with signed_in(port, email, password) as browser:
                assert browser.request("GET", "/")[0] in (200, 302)
        page = label_as_wrong(port, people[0], password)
        kill_all(processes)
    give_to_somebody_else(closed_house.folder / "postgresql" / "postmaster.pid")

    with demonstration(closed_house.folder, tmp_path) as (process, port, said, processes):
        assert read_sign_ins(said)[1:] == (people, password)
        with signed_in(port, people[0], password) as browser:
            assert count_wrong(browser, page) == 1
        os.killpg(process.pid, signal.SIGINT)
        assert psutil.wait_procs(processes, QUICKLY)[1] == []
        assert process.wait() == 0


@pytest.mark.exhaustive
def test_told_to_stop_it_ends_with_all_that_it_started(closed_house, tmp_path):
    with demonstration(closed_house.folder, tmp_path) as (process, port, _, processes):
        assert len(processes) > 5
        process.terminate()
        assert psutil.wait_procs(processes, QUICKLY)[1] == []
    assert not answers(port)


def test_a_port_that_is_taken_is_named_and_nothing_is_started(closed_house):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = manage(closed_house.folder, "demo", "--port", port)

    assert refused.returncode == 1
    assert f"Port {port} of 127.0.0.1 cannot be used: address already in use." in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (closed_house.folder / "postgresql" / "postmaster.pid").exists()
