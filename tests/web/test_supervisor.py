"""The supervisor of a deployment's processes: it restarts what ended, with pauses that grow, and ends all when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings

PROGRAM = """
import sys
from pathlib import Path
from reviewers.web.supervisor import Patience, Supervisor
folder = Path(sys.argv[1])
steady, *names = sys.argv[2:]
commands = {name: [sys.executable, "child.py", name, (folder / f"{name}.py").read_text()] for name in names}
sys.exit(Supervisor(commands, folder, Patience(first_pause=0.2, longest_pause=1, steady=float(steady), most_early_ends=4, stop=2)).run())
"""
CHILD = """
import os, sys, time
with open(f"{sys.argv[1]}.pids", "a") as file:
    file.write(f"{os.getpid()} {time.monotonic()}\\n")
exec(sys.argv[2])
"""
SLEEPS = "time.sleep(600)"
FAILS = "sys.exit(3)"
IS_DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
ENDS_IN_ORDER = "import signal; signal.signal(signal.SIGTERM, lambda *_: (open('order', 'w').close(), sys.exit())); time.sleep(600)"


@contextmanager
def supervised(folder: Path, *, steady: float = 60, **programs: str) -> Iterator[subprocess.Popen[str]]:
    (folder / "child.py").write_text(CHILD)
    for name, program in programs.items():
        (folder / f"{name}.py").write_text(program)
    command = [sys.executable, "-c", PROGRAM, str(folder), str(steady), *programs]
    with subprocess.Popen(command, cwd=settings.ROOT, text=True, stdout=subprocess.PIPE) as process:  # noqa: S603 — our own
        try:
            yield process
        finally:
            process.terminate()
            process.wait(20)


def starts(folder: Path, name: str) -> list[tuple[int, float]]:
    """The process ids under which a child was started, and when."""
    path = folder / f"{name}.pids"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(pid), float(at)) for pid, at in (line.split() for line in lines)]


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def are_gone(pids: Sequence[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids) if Path("/proc").exists() else True


def test_what_is_killed_is_started_again_and_the_other_is_left_alone(tmp_path):
    with supervised(tmp_path, web=SLEEPS, worker=SLEEPS) as process:
        wait_until(lambda: starts(tmp_path, "web") and starts(tmp_path, "worker"))
        os.kill(starts(tmp_path, "worker")[0][0], signal.SIGKILL)
        wait_until(lambda: len(starts(tmp_path, "worker")) == 2)

        assert len(starts(tmp_path, "web")) == 1
        process.terminate()
        assert process.wait(10) == 0
        assert are_gone([pid for name in ("web", "worker") for pid, _ in starts(tmp_path, name)])


def test_what_runs_steadily_in_between_is_started_again_for_ever(tmp_path):
    with supervised(tmp_path, steady=0.5, worker=SLEEPS) as process:
        for count in range(1, 4):
            wait_until(lambda count=count: len(starts(tmp_path, "worker")) == count)
            time.sleep(0.8)
            os.kill(starts(tmp_path, "worker")[-1][0], signal.SIGKILL)
        (tmp_path / "child.py").write_text("import sys; open('worker.pids', 'a').write('1 1\\n'); sys.exit(1)")  # as without a database
        wait_until(lambda: len(starts(tmp_path, "worker")) >= 9)
        assert process.poll() is None


def test_what_cannot_be_started_ends_all_with_a_status(tmp_path):
    with supervised(tmp_path, web=SLEEPS, worker=FAILS) as process:
        assert process.wait(30) == 1
        assert len(starts(tmp_path, "worker")) == 4
        assert are_gone([pid for pid, _ in starts(tmp_path, "web")])
        assert process.stdout is not None
        assert process.stdout.read().count("process_ended") == 4


def test_the_pauses_grow(tmp_path):
    with supervised(tmp_path, worker=FAILS) as process:
        process.wait(30)
    times = [at for _, at in starts(tmp_path, "worker")]
    first, second, third = (after - before for before, after in pairwise(times))
    assert (first >= 0.2, second >= 0.4, third >= 0.8) == (True, True, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all_in_order(tmp_path, number):
    with supervised(tmp_path, web=ENDS_IN_ORDER) as process:
        wait_until(lambda: starts(tmp_path, "web"))
        time.sleep(0.3)  # until it listens to signals
        process.send_signal(number)
        assert process.wait(10) == 0
        assert (tmp_path / "order").exists()


@pytest.mark.parametrize("signals", [1, 2])
def test_what_does_not_listen_is_killed_in_time_or_at_the_second_signal(tmp_path, signals):
    with supervised(tmp_path, web=IS_DEAF) as process:
        wait_until(lambda: starts(tmp_path, "web"))
        time.sleep(0.3)
        began = time.monotonic()
        for _ in range(signals):
            process.terminate()
            time.sleep(0.3)
        assert process.wait(10) == 1
        assert (time.monotonic() - began < 1.8) is (signals == 2)
        assert are_gone([pid for pid, _ in starts(tmp_path, "web")])
