"""Import of records from files, a batch at a time, however large the files are."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from reviewers.accounts.audit import Actor
from reviewers.accounts.models import Organisation
from reviewers.snapshots.ingest.actions import Outcome, ingest_lines

_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, and the position in the file on disk after reading it."""

    number: int
    content: bytes
    position: int


@dataclass
class Tally:
    """The result of an import."""

    frozen: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, io.BufferedIOBase]]:
    """Open a file for reading, and decompress it if it is gzip, whatever its name."""
    with path.open("rb") as raw:
        is_compressed = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        yield raw, gzip.GzipFile(fileobj=raw) if is_compressed else raw


def read_lines(path: Path, longest: int | None = None) -> Iterator[Line]:
    """Yield the non-empty lines of a file. One longer than ``longest``, or than a record may be, is cut: it is refused, and never held."""
    limit = (longest or settings.LARGEST_RECORD) + 1
    with opened(path) as (raw, reader):
        number = 0
        while line := reader.readline(limit):
            number += 1
            is_cut = len(line) == limit and not line.endswith(b"\n")
            if is_cut:
                _pass_rest_of_line(reader, limit)
            if is_cut or line.strip():
                yield Line(number, line if is_cut else line.strip(), raw.tell())


def import_batch(
    contents: Sequence[bytes], places: Sequence[str], *, organisation: Organisation, by: Actor, at: datetime, tally: Tally
) -> list[Outcome]:
    """Freeze a batch; count what is known already, and note errors with their places. Return the outcomes."""
    outcomes = ingest_lines(lines=contents, organisation=organisation, by=by, at=at)
    for place, outcome in zip(places, outcomes, strict=True):
        if outcome.error:
            tally.refused.append(f"{place}: {outcome.error}")
        elif outcome.is_new:
            tally.frozen += 1
        else:
            tally.known += 1
    return outcomes


def _pass_rest_of_line(reader: io.BufferedIOBase, limit: int) -> None:
    while (rest := reader.readline(limit)) and not rest.endswith(b"\n"):
        pass
