"""Turns through the API, OTLP and an import side by side, while every process is killed: each turn is there once, attributed, in the queue.

``FOOTNOTE_TURNS=100000`` sends so many.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.site import ROOT
from reviewers.demonstration.generator import generate
from tests.robustness.keeping import check_is_kept, check_is_sound, check_is_there
from tests.robustness.processes import PATIENCE, House, Web, environment_of, family_of, kill_all, wait_until
from tests.robustness.runtimes import runtimes_at_work
from tests.snapshots.otlp.tracing import PROTOBUF, SHORT_ADDRESS, child, request_of, span

TURNS = int(os.environ.get("FOOTNOTE_TURNS", "6000"))
TURNS_A_KILL = 5_000
SHARE = TURNS // 6 * 2
SENDERS, TRACES_A_REQUEST = 2, 20
PAUSE = 0.05
_LATER = (429, 503)
"""Statuses after which OTLP has a request sent again: too much waits, or the site cannot store anything at the moment."""
LONGEST = 4 * 3_600

log = logging.getLogger(__name__)


class Command:
    """A management command that somebody starts again whenever it failed or was killed."""

    def __init__(self, house: House, *arguments: str, output: Path) -> None:
        self._command = [sys.executable, "manage.py", *arguments]
        self._environment = environment_of(house.folder, FOOTNOTE_TRACE_QUIET_SECONDS="1")
        self._output = output
        self._process: subprocess.Popen[bytes] | None = None
        self.is_done = False

    def keep_running(self) -> None:
        """Start it if it does not run."""
        if self._process is not None and self._process.poll() is None:
            return
        self.is_done = self._process is not None and self._process.returncode == 0
        if not self.is_done:
            with self._output.open("ab") as output:
                self._process = subprocess.Popen(  # noqa: S603 — the site's own commands
                    self._command, cwd=ROOT, env=self._environment, stdout=output, stderr=output, process_group=0
                )

    def kill(self) -> bool:
        """kill -9 of it and of all that it started; returns True if it ran."""
        if self._process is None or self._process.poll() is not None:
            return False
        family = family_of(self._process.pid)
        self._process.kill()
        self._process.wait()  # by its parent first: whoever else waits for it takes away how it ended
        kill_all(family)
        return True


@dataclass
class Traces:
    """Traces that are sent until each is acknowledged. ``answers`` has the text of each by the id of its record."""

    port: int
    key: str
    answers: dict[str, str] = field(default_factory=dict)
    acknowledged: set[str] = field(default_factory=set)
    surprises: list[object] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, number: int) -> None:
        """Send one sender's share: what is below the root in one request, the roots in the next."""
        records = generate(SHARE // SENDERS, seed=50 + number, first=1)
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            while batch := list(islice(records, TRACES_A_REQUEST)):
                named = {hashlib.sha256(f"{number} {record['id']}".encode()).digest()[:16]: record for record in batch}
                names = {f"trace-{trace_id.hex()}": record["response"] for trace_id, record in named.items()}
                with self.lock:
                    self.answers |= names
                for spans in ([call_of(*each) for each in named.items()], [root_of(*each) for each in named.items()]):
                    self._deliver(connection, request_of(*spans).SerializeToString())
                with self.lock:
                    self.acknowledged |= set(names)

    def _deliver(self, connection: HTTPConnection, body: bytes) -> None:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": PROTOBUF}
        while True:
            try:
                connection.request("POST", SHORT_ADDRESS, body=body, headers=headers)
                response = connection.getresponse()
                status, told = response.status, response.read()
            except (OSError, HTTPException):
                connection.close()
            else:
                if status == 200 and not told:
                    return
                if status not in _LATER:
                    self.surprises.append((status, told[:300]))
                    return
            time.sleep(PAUSE)


def call_of(trace_id: bytes, record: dict[str, Any]):
    attributes = {"llm.prompt_template.variables": json.dumps(record["context"]), "openinference.span.kind": "LLM"}
    return child(attributes | {"llm.model_name": record["model"]}, trace_id=trace_id)


def root_of(trace_id: bytes, record: dict[str, Any]):
    return span({"input.value": record["user_text"], "output.value": record["response"]}, trace_id=trace_id)


def write_file(path: Path) -> dict[str, str]:
    """Write the records of the import; returns the SHA-256 of each by its id."""
    sent = {}
    with path.open("wb") as file:
        for record in generate(SHARE, seed=60, first=1):
            line = json.dumps(record | {"id": f"imported-{record['id']}"}).encode()
            sent[f"imported-{record['id']}"] = hashlib.sha256(line).hexdigest()
            file.write(line + b"\n")
    return sent


@contextmanager
def kept(*commands: Command) -> Iterator[None]:
    """While commands may run; none is left afterwards."""
    try:
        yield
    finally:
        for command in commands:
            command.kill()


def kill_on_the_way(web: Web, worker: Command, importing: Command, progress: Callable[[], int]) -> list[str]:
    """Kill each kind of process in turn until all is sent; returns what was killed."""
    kinds: dict[str, Callable[[], object]] = {
        "import": importing.kill,
        "web worker": web.kill_worker,
        "worker": worker.kill,
        "database": web.kill_database,
        "web master": web.kill_master,
    }
    kills = max(len(kinds), TURNS // TURNS_A_KILL)
    killed: list[str] = []
    for number in range(kills):
        name, kill = list(kinds.items())[number % len(kinds)]
        goal = 2 * SHARE * number // kills + 1
        while progress() < goal:
            time.sleep(PAUSE)
            worker.keep_running()
            importing.keep_running()
        if kill() is not False:
            killed.append(name)
        log.info("%s of %s sent: %s killed", progress(), 2 * SHARE, name)
    return killed


def count_of(house: House, prefix: str) -> int:
    with psycopg.connect(house.url()) as connection:
        return connection.execute("SELECT count(*) FROM snapshots_snapshot WHERE starts_with(external_id, %s)", [prefix]).fetchone()[0]


@pytest.mark.exhaustive
def test_turns_sent_in_three_ways_side_by_side_are_there_once_though_every_process_is_killed(own_web, tmp_path):
    web, house = own_web, own_web.house
    imported = write_file(tmp_path / "turns.jsonl")
    worker = Command(house, "work", output=tmp_path / "worker.log")
    importing = Command(house, "import", str(tmp_path / "turns.jsonl"), output=tmp_path / "import.log")
    traces = Traces(web.port, house.key)
    begun = time.monotonic()
    with ExitStack() as stack:
        stack.enter_context(kept(worker, importing))
        importing.keep_running()
        wait_until(lambda: count_of(house, "imported-"))
        pool = stack.enter_context(ThreadPoolExecutor(SENDERS))
        memory = stack.enter_context(runtimes_at_work(web.port, house.key, "sent", SHARE))
        sending = [pool.submit(traces.send, number) for number in range(SENDERS)]

        def progress() -> int:
            memory.hope = time.monotonic() + LONGEST
            return min(SHARE, len(memory.acknowledged)) + len(traces.acknowledged)

        def is_done() -> bool:
            assert traces.surprises == []
            for each in sending:
                assert not each.done() or each.exception() is None
            worker.keep_running()
            importing.keep_running()
            return importing.is_done and progress() >= 2 * SHARE and count_of(house, "trace-") == len(traces.answers)

        killed = kill_on_the_way(web, worker, importing, progress)
        wait_until(is_done, LONGEST)
    log.info("%s of the API, %s traces, %s imported in %.0f s; killed: %s", len(memory.acknowledged), len(traces.answers), SHARE,
             time.monotonic() - begun, killed)  # fmt: skip

    assert set(killed) == {"import", "web worker", "worker", "database", "web master"}
    assert (traces.surprises, len(traces.answers)) == ([], SHARE)
    with psycopg.connect(house.url()) as connection:
        check_is_kept(connection, memory)
        check_is_there(connection, "imported-", imported)
        check_is_sound(connection)
        rows = connection.execute("SELECT external_id, record FROM snapshots_snapshot WHERE starts_with(external_id, 'trace-')").fetchall()
    assert len(rows) == len(traces.answers)
    assert {name: json.loads(bytes(record))["response"] for name, record in rows} == traces.answers
