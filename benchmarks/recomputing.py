"""``python -m benchmarks.recomputing``: stored turns attributed on Spark, and by one process from the same files.

Spark has to be installed; see docs/recomputing.md. Both read turns from Parquet and write results to Parquet.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from pathlib import Path

from attribution import DEFAULT_PROFILE, StoredTurn, attribute_stored, write_terms
from reviewers.calibration.recomputing import spark
from reviewers.demonstration.generator import generate

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
        alone = _timed(lambda: _attribute_alone(place, {name: terms}, few)) * count / few
        print(f"one process, as measured on {few:,}: {alone:.1f} s, {count / alone:.0f} turns/s")
        together = _timed(lambda: spark.run(place, {name: terms}, f"local[{options.cores}]"))
        share = alone / together / options.cores
        print(f"Spark on {options.cores} cores, its start included: {together:.1f} s, {count / together:.0f} turns/s")
        print(f"that is {share:.0%} of {options.cores} times one process")


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


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
