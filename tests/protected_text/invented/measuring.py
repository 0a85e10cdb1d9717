"""How many of the planted identifiers are found, by kind, and how much is taken out that is none.

``manage.py shell -c "from tests.protected_text.invented.measuring import main; main(keep=True)"`` prints it, with what was missed of the
half that patterns were developed on, and writes the figures that the site shows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from reviewers.reports.disclosure.identifiers import Pseudonyms
from reviewers.reports.disclosure.profiles import FILE
from reviewers.reports.disclosure.strategies import Deidentifying
from tests.protected_text.invented.records import HALVES, KINDS, Invented, Line, plain_records, records

_WORD = re.compile(r"\w+")
_MARK = re.compile(r"\[[a-z -]+\]|90 or more")
_YEAR = 2026


def measure() -> dict[str, Any]:
    """The figures, by kind and half: how many were planted, and how many of them found."""
    planted: Counter[tuple[str, str]] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for half, line, told in _told(records()):
        if line.kind:
            planted[line.kind, half] += 1
            found[line.kind, half] += is_gone(line, told)
    kinds = {kind: {half: {"planted": planted[kind, half], "found": found[kind, half]} for half in HALVES} for kind in KINDS}
    return {"records": len(list(records())), "kinds": kinds, "nothing": _false_removals()}


def _false_removals() -> Mapping[str, Any]:
    counted = {half: {"sentences": 0, "changed": 0} for half in HALVES}
    for half, line, told in _told(plain_records()):
        counted[half]["sentences"] += 1
        counted[half]["changed"] += told != line.text
    return counted


def is_gone(line: Line, told: str) -> bool:
    """True if no word of what was planted is left."""
    return not line.tells & {word.casefold() for word in _WORD.findall(_MARK.sub(" ", told))}


def deidentify(record: Invented) -> str:
    """The text of a record as a de-identified report has it."""
    return Deidentifying({"context": record.context}, (), (), Pseudonyms(b"invented"), _YEAR).text(record.text)


def _told(several: Iterator[Invented]) -> Iterator[tuple[str, Line, str]]:
    for record in several:
        lines = deidentify(record).split("\n")
        for line, told in zip(record.lines, lines, strict=True):
            yield record.half, line, told


def _missed(half: str) -> Iterator[str]:
    for of, line, told in _told(records()):
        if of == half and (not is_gone(line, told) if line.kind else told != line.text):
            yield f"{line.kind or 'FALSE'}: {line.text}  ->  {told}"


def main(*, keep: bool = False) -> None:
    figures = measure()
    for kind, halves in figures["kinds"].items():
        print(f"{kind:18}", *(f"{halves[half]['found']:4} of {halves[half]['planted']:4} {half}" for half in HALVES))  # noqa: T201 — a measurement prints
    print(figures["nothing"], *sorted(set(_missed(HALVES[0]))), sep="\n")  # noqa: T201 — the same
    if keep:
        FILE.write_text(json.dumps(figures, indent=1) + "\n")
