"""A report as an XLSX workbook, with a sheet for each kind of line. Texts are written as texts, so nothing is calculated."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from reviewers.reports.exports.formats.cover import figures_of, request_of, unchecked_in
from reviewers.reports.exports.formats.csv import COLUMNS, about, lines_of
from reviewers.reports.exports.formats.wording import agreed, calibration, cell, combination
from reviewers.reports.exports.report import Answer, Closing, Header, Part

SHEETS = {
    "question": "Answers",
    "answer": "Answers",
    "field": "Fields",
    "citation": "Citations",
    "finding": "Findings",
    "flag": "Findings",
    "unsupported": "Findings",
    "comment": "Reviews",
    "review": "Reviews",
    "signature": "Reviews",
    "decision": "Reviews",
    "redaction": "Answers",
    "hold": "Answers",
    "event": "Ledger",
}
LONGEST = 32_000
"""A little less than the longest text that a cell of a workbook can hold."""

_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""The moment in the file's properties: it is always the same, so that the same report is the same file."""

_WIDTHS = (7, 12, 16, 14, 16, 6, 18, 14, 14, 22, 10, 9, 30, 40)


def write_xlsx(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield the workbook."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        book.set_properties({"title": "Audit report", "created": _MADE})
        _Writer(book).write(parts)
    yield buffer.getvalue()


class _Writer:
    """Fills the sheets, each from its top down."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self._bold = book.add_format({"bold": True})
        self._cover = book.add_worksheet("Report")
        self._cover.set_column(0, 1, 40)
        self._sheets = {name: book.add_worksheet(name) for name in dict.fromkeys(SHEETS.values())}
        self._next = dict.fromkeys(["Report", *self._sheets], 0)
        for name, sheet in self._sheets.items():
            sheet.freeze_panes(1, 0)
            for column, width in enumerate(_WIDTHS):
                sheet.set_column(column, column, width)
            self._row(name, sheet, COLUMNS, self._bold)

    def write(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if isinstance(part, Answer):
                self._answer(part)
            else:
                for row in _cover(part):
                    self._row("Report", self._cover, row)

    def _answer(self, answer: Answer) -> None:
        before = about(answer)
        for line in lines_of(answer):
            name = SHEETS[line.kind]
            self._row(name, self._sheets[name], (*before, *line))

    def _row(self, name: str, sheet: Worksheet, values: Iterable[Any], form: Any = None) -> None:
        number = self._next[name]
        for column, value in enumerate(values):
            if isinstance(value, str):
                sheet.write_string(number, column, shortened(cell(value)), form)
            elif value is not None:
                sheet.write_number(number, column, value, form)
        self._next[name] = number + 1


def _cover(part: Header | Closing) -> Iterator[tuple[str, Any]]:
    if isinstance(part, Header):
        yield "Audit report", part.title
        yield from request_of(part)
        yield from part.facts
        yield "How to read it", part.reading
        return
    yield "Answers", part.answers
    for table in figures_of(part):
        yield from ((f"{table.title}: {row.label}", row.count) for row in table.rows)
    yield from (("Not checked", each) for each in unchecked_in(part))
    yield "Events not sealed yet", part.waiting
    yield from (("Agreement", agreed(each)) for each in part.agreement)
    yield from ((f"Calibration of {combination(each)}", calibration(each)) for each in part.calibration)
    for each in part.checkpoints:
        yield "Checkpoint", f"{each.origin} {each.size} {each.root}"


def shortened(text: str) -> str:
    """Return a text that fits into a cell. If it is cut, it says that the other formats have the rest."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … and {len(text) - LONGEST} more characters, which the other formats have"
