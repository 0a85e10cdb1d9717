"""``make calibration``, or ``python -m benchmarks.calibration [--data FOLDER] [--file NAME …] [--draws N]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from attribution.calibration import Observation, fit, forecasts_of
from benchmarks.accuracy.folder import DEFAULT_FOLDER, read_folder
from benchmarks.accuracy.tables import lines_of
from benchmarks.calibration.labelled import observations_of
from benchmarks.calibration.measures import UNCALIBRATED, Drawn, draw, figures, ranking

SIZES = (50, 100, 200, 500, 2_000)
HARM = 0.002
"""By so much a Brier score may be worse than that of the scores, and no more."""


def main() -> int:
    """Measure each file of the folder that has labelled fields."""
    arguments = _arguments()
    files = [each for each in read_folder(arguments.data) if each.has_field_labels and each.name in (arguments.file or [each.name])]
    if not files:
        print(f"No labelled fields in {arguments.data}; nothing to measure.")
    for file in files:
        print(f"\n== {file.name}", flush=True)
        for line in _lines(observations_of(file.turns), arguments.draws):
            print(line, flush=True)
    return 0


def _lines(observations: Sequence[Observation], draws: int) -> Iterator[str]:
    """Report on the rows that claim something, then on all rows, those included that claim nothing."""
    claimed = [each for each in observations if each.claims]
    for title, rows in (("ROWS THAT CLAIM SOMETHING", claimed), ("ALL ROWS", list(observations))):
        right = sum(bool(each.is_used) for each in rows)
        yield f"\n{title}: {len(rows)} labels, {right} of them drawn on; scores: {ranking(forecasts_of(rows, UNCALIBRATED))}"
        table: dict[str, dict[str, float]] = {}
        for size in SIZES:
            if size < len(rows):
                made = [draw(rows, size, f"{size} {number}") for number in range(draws)]
                table[f"{size} labels, {draws} draws"] = figures(made)
                yield _harm(size, made)
        yield from lines_of(table)
    yield f"\nfitted to all: {ranking(forecasts_of(claimed, fit(claimed).table))}"


def _harm(size: int, made: Sequence[Drawn]) -> str:
    """Return in words how often confidences were worse than scores by more than may be."""
    harmed = sum(each.brier[1] - each.brier[0] > HARM for each in made)
    return f"  {size} labels: worse than the scores by more than {HARM} Brier in {harmed} of {len(made)} draws"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.calibration", description="What labels make of scores, on turns without them.")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="a folder of labelled turns")
    parser.add_argument("--file", nargs="+", metavar="NAME", help="these files of it only")
    parser.add_argument("--draws", type=int, default=20, help="how many draws of labels for each number of them")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
