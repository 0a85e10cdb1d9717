"""Agent runtimes that send records without end, remember what was acknowledged, and repeat what was not."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from itertools import islice

from reviewers.demonstration.generator import generate

_SIZES = (1, 1, 1, 40, 700)
"""Records a request of each runtime; 700 take two transactions."""

_MOST_RECORDS = 1_000_000
_PAUSE = 0.02
_PATIENCE = 60


@dataclass(frozen=True)
class Acknowledgement:
    """The response to a runtime's record."""

    snapshot_id: str
    digest: str
    attribution_digest: str


@dataclass
class Memory:
    """Records that all runtimes sent, under ids of one series, and the responses. ``sent`` has the SHA-256 of each record's bytes.

    From ``most`` records on nothing new is sent.
    """

    series: str
    most: int = _MOST_RECORDS
    sent: dict[str, str] = field(default_factory=dict)
    acknowledged: dict[str, Acknowledgement] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    surprises: list[object] = field(default_factory=list)
    under_way: Counter[str] = field(default_factory=Counter)
    hope: float = field(default_factory=lambda: time.monotonic() + _PATIENCE)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, what: str, number: int = 1) -> None:
        with self.lock:
            self.counts[what] += number

    def be_patient(self) -> None:
        """Something was killed: what is not acknowledged yet may take as long again."""
        self.hope = time.monotonic() + _PATIENCE

    def remember(self, result: dict) -> None:
        """An acknowledgement; a second one of the same record must say the same."""
        told = Acknowledgement(result["id"], result["digest"], result["attribution"]["digest"])
        known = self.acknowledged.setdefault(result["external_id"], told)
        if known != told or told.digest != "sha256:" + self.sent[result["external_id"]]:
            self.surprises.append(result)

    @contextmanager
    def asking(self, records: int) -> Iterator[None]:
        """While an answer is awaited."""
        with self.lock:
            self.under_way += Counter(requests=1, records=records)
        try:
            yield
        finally:
            with self.lock:
                self.under_way -= Counter(requests=1, records=records)


class Runtime:
    """One client; it stops when told to, and only when everything it sent is acknowledged."""

    def __init__(self, number: int, port: int, key: str, memory: Memory) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        self._memory = memory
        self._key = key
        self._size = _SIZES[number % len(_SIZES)]
        self._records = generate(_MOST_RECORDS, seed=number, first=1 + number * _MOST_RECORDS)

    def run(self, stop: threading.Event) -> None:
        with closing(self._connection):
            while not stop.is_set() and len(self._memory.sent) < self._memory.most:
                self._deliver(dict(map(self._line, islice(self._records, self._size))))

    def _line(self, record: dict) -> tuple[str, bytes]:
        record["id"] = f"{self._memory.series}-{record['id']}"
        return record["id"], json.dumps(record).encode()

    def _deliver(self, lines: dict[str, bytes]) -> None:
        memory = self._memory
        with memory.lock:
            memory.sent |= {name: hashlib.sha256(line).hexdigest() for name, line in lines.items()}
        while waiting := {name: line for name, line in lines.items() if name not in memory.acknowledged}:
            assert time.monotonic() < memory.hope, f"{len(waiting)} records are still not acknowledged"
            try:
                with memory.asking(len(waiting)):
                    self._post(list(waiting.values()))
            except ConnectionRefusedError:
                time.sleep(_PAUSE)
            except (OSError, HTTPException):
                memory.count("requests broken off")
                self._connection.close()
                time.sleep(_PAUSE)

    def _post(self, lines: list[bytes]) -> None:
        kind = "application/json" if self._size == 1 else "application/x-ndjson"
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": kind}
        self._connection.request("POST", "/api/v1/snapshots", body=b"\n".join(lines), headers=headers)
        response = self._connection.getresponse()
        status, body = response.status, response.read()
        self._memory.count("requests answered")
        if status == 503 and json.loads(body)["reason"]:
            self._memory.count("requests refused")
            time.sleep(_PAUSE)
        elif status in (200, 201):
            for line in body.splitlines():
                self._read_result({"status": status} | json.loads(line))
        else:
            self._memory.surprises.append((status, body[:300]))

    def _read_result(self, result: dict) -> None:
        if result["status"] == HTTPStatus.SERVICE_UNAVAILABLE:  # the request took as long as one may: the rest is sent again
            self._memory.count("records left for another request")
            return
        if "error" in result:
            self._memory.surprises.append(result)
            return
        self._memory.count("records that were there already", result["status"] == 200)
        with self._memory.lock:
            self._memory.remember(result)


@contextmanager
def runtimes_at_work(port: int, key: str, series: str, most: int = _MOST_RECORDS) -> Iterator[Memory]:
    """Runtimes that send while the block runs, ``most`` records or a few more. After it everything that they sent is acknowledged."""
    memory = Memory(series, most)
    stop = threading.Event()
    runtimes = [Runtime(number, port, key, memory) for number in range(len(_SIZES))]
    with ThreadPoolExecutor(len(runtimes)) as pool:
        working = [pool.submit(runtime.run, stop) for runtime in runtimes]
        try:
            yield memory
        finally:
            stop.set()
    for each in working:
        each.result()
