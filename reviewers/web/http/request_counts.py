"""Counts of requests and their times, over all processes of a web server, in memory that they share.

The server's first process maps the memory before it starts the others, each of which has a row of its own: nothing is lost when one is
killed, and no lock is shared. Counts begin at 0 with the server, as Prometheus expects of counters.
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock

from django.http import HttpRequest, HttpResponse

KINDS = ("page", "api", "ingest", "static", "watch")
"""Kinds of requests: nothing of an address is in them."""
STATUSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of times, in seconds; there is one more for all that take longer."""

_SLOTS = len(STATUSES) + len(BUCKETS) + 2
_ROW = len(KINDS) * _SLOTS
_ROWS = 64
_PREFIXES = (
    ("/static/", "static"),
    ("/api/v1/snapshots", "ingest"),
    ("/api/v1/otlp/", "ingest"),
    ("/v1/traces", "ingest"),
    ("/api/", "api"),
    ("/health/", "watch"),
    ("/metrics", "watch"),
)


@dataclass(frozen=True, slots=True)
class KindCounts:
    """The requests of a kind: by class of status, by time in buckets that do not overlap, and the sum of their times in seconds."""

    kind: str
    by_status: dict[str, int]
    by_bucket: list[int]
    seconds: float


class RequestCounts:
    """Counters in shared memory, a row for each process."""

    def __init__(self) -> None:
        self._cells = memoryview(mmap.mmap(-1, _ROWS * _ROW * 8)).cast("Q")
        self._row, self._lock = 0, Lock()

    def take_row(self, number: int) -> None:
        """Count in the row of a process, which follows from its number; call it when the process begins."""
        self._row, self._lock = number % _ROWS, Lock()

    def add(self, kind: str, status: int, seconds: float) -> None:
        """Count a response."""
        start = self._row * _ROW + KINDS.index(kind) * _SLOTS
        bucket = next((place for place, bound in enumerate(BUCKETS) if seconds <= bound), len(BUCKETS))
        with self._lock:
            self._cells[start + min(max(status // 100, 1), 5) - 1] += 1
            self._cells[start + len(STATUSES) + bucket] += 1
            self._cells[start + _SLOTS - 1] += int(seconds * 1_000_000)

    def read(self) -> Iterator[KindCounts]:
        """Yield the sums over all processes, by kind."""
        for place, kind in enumerate(KINDS):
            starts = [row * _ROW + place * _SLOTS for row in range(_ROWS)]
            slots = [sum(self._cells[start + slot] for start in starts) for slot in range(_SLOTS)]
            by_status = dict(zip(STATUSES, slots, strict=False))
            yield KindCounts(kind, by_status, slots[len(STATUSES) : -1], slots[-1] / 1_000_000)


request_counts = RequestCounts()


def kind_of(request: HttpRequest) -> str:
    """Return the kind of a request; only writing is ingest."""
    kind = next((kind for prefix, kind in _PREFIXES if request.path.startswith(prefix)), "page")
    return "api" if kind == "ingest" and request.method != "POST" else kind


def count_requests(respond: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Count each response with the time until it begins."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = respond(request)
        request_counts.add(kind_of(request), response.status_code, time.perf_counter() - began)
        return response

    return middleware
