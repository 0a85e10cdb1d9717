"""``python -m benchmarks.recomputing``: stored turns attributed on Spark, and by one process from the same files.

Spark has to be installed; see docs/recomputing.md. Both read turns from Parquet and write results to Parquet.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from pathlib import Path
from threading import Event, Thread

from psutil import NoSuchProcess, Process

from attribution import DEFAULT_PROFILE, StoredTurn, attribute_stored, write_terms
from reviewers.calibration.recomputing import spark
from reviewers.demonstration.generator import generate

_PAUSE = 0.5
_POLICY = {"required": False, "quotes": "optional", "repairs": False, "search_unit": "sentence"}


def main() -> None:
    """Write turns, attribute them in both ways, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--alone", type=int, default=20_000, help="how many of them one process attributes")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    spark.check_installed()
    with tempfile.TemporaryDirectory(prefix="footnote-recomputing-") as folder:
        place = Path(folder)
        name, terms = write_terms(profile=DEFAULT_PROFILE, schema=None, policy=_POLICY, trust_table=None, trust_title="")
        count = spark.write_turns(place / "turns", _turns(options.turns, name))
        print(f"{count:,} turns written")
        few = min(count, options.alone)
        alone = _measured(lambda: _attribute_alone(place, {name: terms}, few)).times(count / few)
        print(f"one process, as measured on {few:,}: {alone}")
        together = _measured(lambda: spark.run(place, {name: terms}, f"local[{options.cores}]"))
        print(f"Spark on {options.cores} cores, its start included: {together}")
        clock, processor = alone.clock / together.clock / options.cores, alone.processor / together.processor
        print(f"of {options.cores} times one process: {clock:.0%} by the clock, {processor:.0%} by processor time")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and of processors."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.1f} s, {self.processor:.1f} s of processors"

    def times(self, factor: float) -> Cost:
        """Return the cost of so many times the work."""
        return Cost(self.clock * factor, self.processor * factor)


def _measured(work: Callable[[], object]) -> Cost:
    """Do some work; return what it took here and in all processes that were started for it."""
    used: dict[int, float] = {}
    has_ended, before = Event(), time.perf_counter()

    def look() -> None:
        while not has_ended.wait(_PAUSE):
            used.update(_used())

    looking = Thread(target=look)
    start = _used()
    looking.start()
    work()
    used.update(_used())
    clock = time.perf_counter() - before
    has_ended.set()
    looking.join()
    return Cost(clock, sum(seconds - start.get(pid, 0.0) for pid, seconds in used.items()))


def _used() -> dict[int, float]:
    """Return the processor time of this process and of each that it started, so far."""
    this = Process()
    found: dict[int, float] = {}
    for each in [this, *this.children(recursive=True)]:
        with suppress(NoSuchProcess):
            times = each.cpu_times()
            found[each.pid] = times.user + times.system
    return found


def _turns(count: int, terms: str) -> Iterator[StoredTurn]:
    day = date(2026, 3, 4)
    for record in generate(count):
        yield StoredTurn(record["id"], b"", json.dumps(record).encode(), b"[]", day, day, terms)


def _attribute_alone(place: Path, terms: dict[str, str], most: int) -> None:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    results = place / "alone"
    results.mkdir()
    for path in sorted((place / "turns").glob("*.parquet"))[: -(-most // spark.TURNS_IN_A_FILE)]:
        turns = [StoredTurn(**row) for row in parquet.read_table(path).to_pylist()]
        found = [each._asdict() for each in attribute_stored(turns, terms)]
        parquet.write_table(arrow.Table.from_pylist(found), results / path.name)


if __name__ == "__main__":
    main()
