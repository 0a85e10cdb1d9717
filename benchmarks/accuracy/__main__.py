"""``make accuracy``, or ``python -m benchmarks.accuracy [--data FOLDER] [--only SECTION …] [--worst N] [--held-out] [--keep]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.accuracy.documents.report import measure_documents
from benchmarks.accuracy.figures import FileFigures, read_figures, write_figures
from benchmarks.accuracy.folder import DEFAULT_FOLDER, LabelledFile, read_folder, scorer_of
from benchmarks.accuracy.report import SECTIONS, measure


def main() -> int:
    """Measure each file of the folder that has labels, and name the others."""
    arguments = _arguments()
    files = read_folder(arguments.data)
    if not files:
        print(f"No labelled turns in {arguments.data}; nothing to measure.")
        return 0
    committed = read_figures()
    measured: dict[str, FileFigures] = {}
    for file in files:
        print(f"\n== {file.name}", flush=True)
        if file.has_field_labels:
            measured[file.name] = _measure(file, committed.get(file.name, FileFigures()), arguments)
        elif file.has_document_labels:
            measured[file.name] = _measure_documents(file, committed.get(file.name, FileFigures()), arguments)
        else:
            print("not measured: no labelled turns in it")
    if arguments.keep:
        write_figures(committed | measured)
    return 0


def _measure(file: LabelledFile, before: FileFigures, arguments: argparse.Namespace) -> FileFigures:
    report = measure(file, scorer_of(arguments.data), arguments.worst, with_held_out=arguments.held_out)
    for line in report.lines(arguments.only, before):
        print(line)
    return report.figures() if arguments.keep else before


def _measure_documents(file: LabelledFile, before: FileFigures, arguments: argparse.Namespace) -> FileFigures:
    report = measure_documents(file, scorer_of(arguments.data), arguments.worst, with_held_out=arguments.held_out)
    for line in report.lines(arguments.only, before):
        print(line)
    return report.figures()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.accuracy", description="How right the engine is on labelled turns.")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="a folder of labelled turns")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--worst", type=int, default=20, help="how many errors of each kind are shown")
    parser.add_argument("--held-out", action="store_true", help="show texts of the held-out services too")
    parser.add_argument("--keep", action="store_true", help="write the figures to be committed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
