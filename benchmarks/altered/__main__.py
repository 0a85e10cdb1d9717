"""``make altered``, or ``python -m benchmarks.altered [--data FOLDER] [--worst N] [--held-out] [--keep]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import groupby, zip_longest
from pathlib import Path

from benchmarks.accuracy.agreement import DEVELOPMENT, HELD_OUT
from benchmarks.accuracy.folder import DEFAULT_FOLDER, Turn, read_folder
from benchmarks.accuracy.tables import Table, lines_of, lines_of_changes
from benchmarks.altered.measures import Caught, Measured, measure, read_figures, write_figures


def main() -> int:
    """Measure each file of the folder that has labelled fields."""
    arguments = _arguments()
    files = [each for each in read_folder(arguments.data) if each.has_field_labels]
    if not files:
        print(f"No labelled turns in {arguments.data}; nothing to measure.")
    committed = read_figures()
    tables: dict[str, Table] = {}
    for file in files:
        print(f"\n== {file.name}", flush=True)
        measured = measure(file)
        tables[file.name] = measured.table
        for line in _lines(measured, arguments.worst, with_held_out=arguments.held_out):
            print(line)
        print("\nCHANGES since the committed figures", *lines_of_changes(measured.table, committed.get(file.name, {})), sep="\n")
    if arguments.keep:
        write_figures(committed | tables)
    return 0


def _lines(measured: Measured, most: int, *, with_held_out: bool) -> Iterator[str]:
    yield from lines_of(measured.table)
    halves = {DEVELOPMENT: measured.half(is_held_out=False), HELD_OUT: measured.half(is_held_out=True)}
    for name, half in halves.items():
        yield f"\n{name}"
        yield from lines_of(half.table)
    shown = measured if with_held_out else halves[DEVELOPMENT]
    yield f"\nMISSED, {most} of each kind"
    yield from _lines_of_misses(shown, most)
    yield "\nFALSE ALARMS"
    yield from _lines_of_alarms(shown)


def _lines_of_misses(measured: Measured, most: int) -> Iterator[str]:
    """Return the first of each field in turn, kind by kind."""
    missed = sorted((each for each in measured.caught if not each.is_right_field), key=lambda each: (each.altered.kind, each.altered.leaf))
    for kind, of_kind in groupby(missed, key=lambda each: each.altered.kind):
        by_leaf = [list(each) for _, each in groupby(of_kind, key=lambda each: each.altered.leaf)]
        in_turn = [each for row in zip_longest(*by_leaf) for each in row if each]
        yield f"\n{kind}: {len(in_turn)}"
        for each in in_turn[:most]:
            yield from _lines_of_miss(each)


def _lines_of_miss(caught: Caught) -> Iterator[str]:
    altered = caught.altered
    yield f"  {altered.turn['id']} = {altered.recorded!r}: ‘{altered.before}’ → ‘{altered.after}’"
    yield from _lines_of_turn(altered.turn)
    for row in caught.flagged:
        yield f"      flagged {row['path']}: {row['contradiction']['trace']}"


def _lines_of_alarms(measured: Measured) -> Iterator[str]:
    for alarm in measured.alarms:
        for row in alarm.flagged:
            yield f"  {alarm.turn['id']}  {row['section']}.{row['path']}: {row['contradiction']['trace']}"
            yield from _lines_of_turn(alarm.turn)


def _lines_of_turn(turn: Turn) -> Iterator[str]:
    yield f"      asked:  {' '.join((turn.get('user_text') or '').split())[:200]}"
    yield f"      answer: {' '.join(turn['response'].split())[:500]}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.altered", description="How many altered values are flagged, and how many others.")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="a folder of labelled turns")
    parser.add_argument("--worst", type=int, default=15, help="how many misses of each kind are shown")
    parser.add_argument("--held-out", action="store_true", help="show texts of the held-out services too")
    parser.add_argument("--keep", action="store_true", help="write the figures to be committed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
