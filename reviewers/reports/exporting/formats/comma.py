"""A report as CSV (RFC 4180) in UTF-8. No cell is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from reviewers.reports.exporting.formats.table import COLUMNS, about, cells, lines_of
from reviewers.reports.exporting.model import Answer, Header, Part
from reviewers.reports.exporting.text import cell


def write_csv(parts: Iterable[Part]) -> Iterator[bytes]:
    """The names of the columns, and the lines of each answer."""
    for part in parts:
        if isinstance(part, Header):
            yield _written([COLUMNS])
        elif isinstance(part, Answer):
            before = _safe(about(part))
            yield _written([(*before, *_safe(cells(line))) for line in lines_of(part)])


def _safe(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([cell(value) if isinstance(value, str) else value for value in values])


def _written(rows: Iterable[Iterable[Any]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode("utf-8", "replace")
