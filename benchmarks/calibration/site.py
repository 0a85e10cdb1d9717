"""``make calibration-site``, or ``python -m benchmarks.calibration.site [--data FOLDER] [--file NAME] [--draws N] [--stream NAME]``.

The same as ``make calibration``, through the site: its import, its plans, its reviews, its proposals. A label is what a review says of
one field of one answer; reviewed are all rows that claim something, as the site asks for, and fields that were missed.
"""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attribution.calibration import Observation
from benchmarks.accuracy.folder import DEFAULT_FOLDER, Turn, read_folder
from benchmarks.accuracy.tables import lines_of
from benchmarks.calibration.measures import Examined, bars, examined, figures_of

SIZES = (50, 100, 200, 500, 2_000)
_LONG = 2_000
_STREAMS = {"audit": SIZES, "boost": (200,)}


def main() -> int:
    """Measure one file of a folder."""
    arguments = _arguments()
    turns = next((each.turns for each in read_folder(arguments.data) if each.name == arguments.file), ())
    if not turns:
        print(f"There is no {arguments.file} in {arguments.data}; nothing to measure.")
        return 0
    _measure(turns, _stand_in_a_folder(), arguments)
    return 0


def _measure(turns: Sequence[Turn], folder: Path, asked: argparse.Namespace) -> None:
    from benchmarks.calibration.reviewed import Reviewing, begin  # noqa: PLC0415 — the environment comes first
    from reviewers.review.models import Stream  # noqa: PLC0415 — the same

    site: Reviewing = begin(turns, folder)
    rows = [each for each in site.observations(turns) if each.claims]
    print(f"{len(turns):,} turns, {len(rows):,} rows that claim something, {sum(bool(each.is_used) for each in rows):,} of them drawn on")
    for name, sizes in ((name, _STREAMS[name]) for name in asked.stream):
        made: dict[int, list[Examined]] = {size: [] for size in sizes}
        begun = time.process_time()
        for draw in range(asked.draws):
            wanted = [size for size in sizes if size < _LONG or draw < asked.long]
            for size, proposed in zip(wanted, site.proposals(Stream(name), wanted, f"{name} {draw}"), strict=True):
                made[size].append(examined(proposed.labels, proposed.table, proposed.evaluation, _others(rows, proposed.answers), draw))
        print(f"\n{name.upper()} PLAN, {time.process_time() - begun:,.0f} seconds of CPU here")
        for line in lines_of({f"{size} labels, {len(its)} draws": figures_of(its) for size, its in made.items() if its}):
            print(line)
        for size, its in made.items():
            for line in bars(size, its):
                print(line, flush=True)


def _others(rows: Sequence[Observation], answers: Sequence[str]) -> list[Observation]:
    """The rows of the turns that nobody reviewed."""
    reviewed = set(answers)
    return [each for each in rows if each.message not in reviewed]


def _stand_in_a_folder() -> Path:
    """Have the site in this process, with a database of its own in a folder that is removed once the database has left it."""
    folder = tempfile.mkdtemp(prefix="footnote-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # what is registered first comes last
    for name in [each for each in os.environ if each.startswith("DATABASE_")]:
        del os.environ[name]
    os.environ |= {"FOOTNOTE_VAR": folder, "FOOTNOTE_LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "reviewers.settings"}
    import django  # noqa: PLC0415 — the environment comes first

    django.setup()
    return Path(folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.calibration.site", description="What a site's own labels make of scores.")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="a folder of labelled turns")
    parser.add_argument("--file", default="sgd_dev", metavar="NAME", help="the file of it")
    parser.add_argument("--draws", type=int, default=20, help="how many plans are drawn for each number of labels")
    parser.add_argument("--long", type=int, default=5, help=f"how many of them go on to {_LONG:,} labels")
    parser.add_argument("--stream", nargs="+", choices=_STREAMS, default=list(_STREAMS), help="plans of these kinds only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
