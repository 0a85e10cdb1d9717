"""``make bench``, or ``python -m benchmarks [--only NAME …] [--size N] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks import engine, exports, footprint, ingest, pages, quality, sealing, shadowed, traces
from benchmarks.calibration import speed
from benchmarks.measuring import Row
from benchmarks.site import ROOT, Site, running_site

_NAMES = ("engine", "calibration", "start", "ingest", "traces", "pages", "quality", "shadow", "ledger", "exports", "memory", "size")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="Measure the engine and a site of its own.")
    parser.add_argument("--only", nargs="+", choices=_NAMES, default=list(_NAMES))
    parser.add_argument("--size", type=int, default=10_000, help="records to ingest before the pages are measured")
    parser.add_argument("--json", type=Path, default=ROOT / "var" / "bench.json", help="where the figures go as well")
    arguments = parser.parse_args()
    rows = []
    for row in _measure(set(arguments.only), arguments.size):
        rows.append(row)
        print(f"{row.name:<58}{row.value:>12,.{_decimals(row.value)}f} {row.unit:<11}{row.target and 'to reach ' + row.target}", flush=True)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    figures = {"python": sys.version.split()[0], "machine": platform.machine(), "rows": [asdict(row) for row in rows]}
    arguments.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False))


def _measure(only: set[str], size: int) -> Iterator[Row]:
    if "engine" in only:
        yield from engine.measure()
    if "calibration" in only:
        yield from speed.measure()
    if "size" in only:
        yield from footprint.measure_size()
    if "start" in only:
        yield from footprint.measure_start()
    if "exports" in only:
        yield from exports.measure()
    if only & {"ingest", "traces", "pages", "quality", "shadow", "ledger", "memory"}:
        with running_site() as site:
            yield from _measure_site(site, only, size)


def _measure_site(site: Site, only: set[str], size: int) -> Iterator[Row]:
    if "memory" in only:
        yield from footprint.measure_memory(site)
    if only & {"ingest", "pages", "ledger"}:
        yield from ingest.measure(site, size)
    for name, module in (("traces", traces), ("pages", pages), ("quality", quality), ("shadow", shadowed), ("ledger", sealing)):
        if name in only:
            yield from module.measure(site)


def _decimals(value: float) -> int:
    return 0 if value >= 100 else 2


if __name__ == "__main__":
    main()
