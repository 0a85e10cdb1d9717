"""Ingest over HTTP: what is acknowledged is attributed and visible."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

from benchmarks.client import Client
from benchmarks.footprint import processor_seconds
from benchmarks.measuring import Row, rate_of
from benchmarks.site import Site
from reviewers.demonstration.generator import generate

_BATCH = 500


def measure(site: Site, size: int) -> Iterator[Row]:
    """Batches from two clients, then single records from four."""
    single = 1_200
    lines = [json.dumps(record).encode() for record in generate(size + single)]
    batches = [b"\n".join(lines[start : start + _BATCH]) for start in range(0, size, _BATCH)]
    halves = (batches[::2], batches[1::2])
    before = processor_seconds(site)
    rate = rate_of([partial(post_all, site, half, "application/x-ndjson") for half in halves])
    spent = processor_seconds(site)
    yield Row(f"ingest in batches of {_BATCH}, 2 clients, {size:,} records", rate * _BATCH, "records/s", "2,500 (1,000 for now)")
    yield from _share(before, spent, size, "in batches")
    rest = lines[size:]
    before = processor_seconds(site)
    rate = rate_of([partial(post_all, site, rest[start::4], "application/json") for start in range(4)])
    spent = processor_seconds(site)
    yield Row("ingest, one record a request, 4 clients", rate, "requests/s", "400")
    yield from _share(before, spent, single, "one a request")


def _share(before: tuple[float, float], after: tuple[float, float], records: int, how: str) -> Iterator[Row]:
    """Report the processor time of a record, which other work on the machine moves less than it moves rates."""
    for name, begin, end in zip(("site and worker", "database"), before, after, strict=True):
        yield Row(f"ingest {how}, processor time of {name} a record", 1_000 * (end - begin) / records, "ms")


def post_all(site: Site, bodies: list[bytes], kind: str) -> int:
    """Send bodies one after the other; how many."""
    client = Client(site.port)
    return sum(_post(client, site, body, kind) for body in bodies)


def _post(client: Client, site: Site, body: bytes, kind: str) -> int:
    status, answer = client.request(
        "POST", "/api/v1/snapshots", body=body, headers={"Authorization": f"Bearer {site.key}", "Content-Type": kind}
    )
    if status not in (200, 201) or b'"error"' in answer:
        raise RuntimeError(f"{status}: {answer[:200]!r}")
    return 1
