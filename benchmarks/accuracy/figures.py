"""The figures that are committed: tables of numbers, and a bit for each labelled field that says whether it was wrong.

Nothing of the turns' text is kept; the bits have a meaning only beside the file they were made from, which a digest names.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.tables import Table

COMMITTED = Path(__file__).with_name("figures.json")


class Labelled(Protocol):
    """Something labelled, beside what the engine says of it."""

    @property
    def turn(self) -> Turn:
        """The turn that it is in."""

    @property
    def section(self) -> str:
        """The part of the turn that it belongs to."""

    @property
    def path(self) -> str:
        """Its name there."""

    @property
    def is_meant(self) -> bool:
        """Its label."""

    @property
    def is_right(self) -> bool:
        """True if engine and label agree."""


L = TypeVar("L", bound=Labelled)


@dataclass(frozen=True, slots=True)
class FileFigures:
    """The figures of one file of turns, and which of its labelled fields were wrong."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    labels: str = ""
    wrong: str = ""


def read_figures(path: Path = COMMITTED) -> dict[str, FileFigures]:
    """By the file's name; nothing where none are committed."""
    if not path.exists():
        return {}
    return {name: FileFigures(**figures) for name, figures in json.loads(path.read_text(encoding="utf-8")).items()}


def write_figures(figures: Mapping[str, FileFigures], path: Path = COMMITTED) -> None:
    """In order, so that a change shows as such."""
    document = {name: asdict(each) for name, each in sorted(figures.items())}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def labels_digest(verdicts: Sequence[Labelled]) -> str:
    """Names the labelled fields and their order."""
    names = "\n".join(f"{each.turn['id']} {each.section} {each.path} {each.is_meant}" for each in verdicts)
    return hashlib.sha256(names.encode()).hexdigest()[:16]


def wrong_bits(verdicts: Sequence[Labelled]) -> str:
    """One bit a labelled field, set where the engine was wrong."""
    bits = bytearray(len(verdicts) // 8 + 1)
    for number, each in enumerate(verdicts):
        bits[number // 8] |= (not each.is_right) << (number % 8)
    return base64.b85encode(zlib.compress(bytes(bits), 9)).decode()


def turned(verdicts: Sequence[L], before: FileFigures) -> tuple[list[L], list[L]] | None:
    """The fields that are right now and were wrong, and those that were right; nothing where other labels were measured."""
    if before.labels != labels_digest(verdicts):
        return None
    bits = zlib.decompress(base64.b85decode(before.wrong))
    was_wrong = [bool(bits[number // 8] >> (number % 8) & 1) for number in range(len(verdicts))]
    pairs = list(zip(verdicts, was_wrong, strict=True))
    return [each for each, wrong in pairs if wrong and each.is_right], [each for each, wrong in pairs if not wrong and not each.is_right]
