"""A report as CSV (RFC 4180) in UTF-8. No cell can be taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reviewers.reports.exports.formats.table import ABOUT, COLUMNS, about, lines_of, lines_of_end
from reviewers.reports.exports.formats.wording import cell
from reviewers.reports.exports.report import Answer, Header, Part
from reviewers.web.protected_text import Mask


def write_csv(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield the header line, and the lines of each answer."""
    for part in parts:
        if isinstance(part, Header):
            yield write_lines([COLUMNS])
        elif isinstance(part, Answer):
            before = about(part)
            yield write_lines((*before, *line) for line in lines_of(part))
        else:
            yield write_lines((*[""] * len(ABOUT), *line) for line in lines_of_end(part))


def write_lines(lines: Iterable[Sequence[Any]]) -> bytes:
    """Return lines of cells as CSV."""
    file = io.StringIO()
    csv.writer(file).writerows([_cell(value) for value in line] for line in lines)
    return file.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> Any:
    return value.plain if isinstance(value, Mask) else cell(value) if isinstance(value, str) else value
