"""The ledger under load: how soon events are sealed while 32 clients save labels, and what sealing costs those clients."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import psycopg

from benchmarks.measuring import Row, percentile, seconds_of
from benchmarks.pages import items_of, labels_of
from benchmarks.site import Site
from reviewers.devtools import postgres

_WRITERS = 32
_LABELS = 25
_GLANCE = 0.02
_PATIENCE = 60
_SEALED_IN_TURN = "SELECT pg_advisory_lock(hashtextextended('ledger ' || id, 0)) FROM accounts_organisation"
_WAITING = """
SELECT event.id, extract(epoch FROM clock_timestamp() - event.occurred_at)::float8
FROM ledger_pending AS waiting JOIN ledger_auditevent AS event ON event.id = waiting.event_id"""


def measure(site: Site) -> Iterator[Row]:
    """Labels of 32 clients at once, each at an item of its own, with the log at work and with it held still."""
    client = site.reviewer()
    writers = [labels_of(client.again(), item, _LABELS) for item in items_of(client, _WRITERS)]
    with database_of(site) as connection:
        _await_quiet(connection)
        sealed, lags = _write(writers, connection)
        _await_quiet(connection)
        connection.execute(_SEALED_IN_TURN)
        held, _ = _write(writers, connection)
        connection.execute("SELECT pg_advisory_unlock_all()")
    yield Row(f"an event is sealed after, {_WRITERS} clients, p99", percentile(lags, 0.99), "s", "2")
    yield Row(f"save a label, {_WRITERS} clients, p50", 1_000 * percentile(sealed, 0.5), "ms")
    yield Row("the same, times that while nothing is sealed", percentile(sealed, 0.5) / percentile(held, 0.5), "", "1.2")


@contextmanager
def database_of(site: Site) -> Iterator[psycopg.Connection]:
    """A connection of the owner to the site's database."""
    address = postgres.start(site.folder / "postgresql")
    try:
        with psycopg.connect(postgres.url(address, postgres.OWNER), autocommit=True) as connection:
            yield connection
    finally:
        postgres.stop(site.folder / "postgresql")


def _await_quiet(connection: psycopg.Connection) -> None:
    """Until nothing waits to be sealed."""
    deadline = time.monotonic() + _PATIENCE
    while connection.execute("SELECT EXISTS (SELECT FROM ledger_pending)").fetchone() == (True,):
        if time.monotonic() > deadline:
            raise RuntimeError("nothing seals")
        time.sleep(_GLANCE)


def _write(writers: list[list[Callable[[], object]]], connection: psycopg.Connection) -> tuple[list[float], list[float]]:
    """Seconds that each label took, and the age at which each event was last seen waiting."""
    done = Event()
    with ThreadPoolExecutor(len(writers) + 1) as pool:
        watching = pool.submit(_watch, connection, done)
        writing = [pool.submit(_times, labels) for labels in writers]
        times = [each for one in writing for each in one.result()]
        done.set()
        return times, watching.result()


def _times(labels: list[Callable[[], object]]) -> list[float]:
    return [seconds_of(label) for label in labels]


def _watch(connection: psycopg.Connection, done: Event) -> list[float]:
    ages: dict[object, float] = {}
    while not done.wait(_GLANCE):
        ages.update(connection.execute(_WAITING).fetchall())
    return list(ages.values())
