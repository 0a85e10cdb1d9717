"""Every value and footnote number is the same in all formats: over 300 generated turns, in chunks."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import openpyxl
import pypdf
import pytest
from msgspec.structs import replace

from reviewers.accounts.audit import SYSTEM
from reviewers.demonstration.generator import generate
from reviewers.reports.exports.formats.pdf import printable
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.formats.wording import cell, rows_in_order, visible
from reviewers.reports.exports.formats.xlsx import shortened
from reviewers.reports.exports.reading import read_parts
from reviewers.reports.exports.report import Answer, Header, Part
from reviewers.reports.exports.scope import resolve_request
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from tests.factories import BOTH, CITED, NOW, make_record
from tests.reports.exporting.made import EVERYTHING
from tests.sampling import sampled

TURNS, CHUNK = 300, 60

Told = list[tuple[str, str, str, str]]
"""Of each row: number of the answer, footnote, name, value."""


def some_turns(chunk: int) -> list[dict[str, Any]]:
    """Generated ones; now and then one that cites documents."""
    turns = generate(CHUNK, first=chunk * CHUNK + 1)
    return [make_record(**(CITED if number % 20 else BOTH)) if number % 10 == 0 else turn for number, turn in enumerate(turns)]


@pytest.fixture(params=sampled(range(TURNS // CHUNK), more=2))
def parts(request, organisation, auditor) -> list[Part]:
    records = [read_record(json.dumps(turn).encode()) for turn in some_turns(request.param)]
    assert all(outcome.is_new for outcome in ingest(records=records, organisation=organisation, by=SYSTEM, at=NOW))
    return list(read_parts(resolve_request(EVERYTHING, auditor)))


def content_of(parts: list[Part], name: str) -> bytes:
    return b"".join(FORMATS[name].write(parts))


def told_in_lines(parts: list[Part]) -> Told:
    answers = [line for line in map(json.loads, content_of(parts, "jsonl").splitlines()) if line["part"] == "answer"]
    return [row for answer in answers for row in _told(answer)]


def told_in_order(parts: list[Part]) -> Told:
    """Pages and PDFs have the fields by footnote, and last those without one in the order of the answer's text."""
    answers = [replace(part, rows=tuple(rows_in_order(part))) if isinstance(part, Answer) else part for part in parts]
    return told_in_lines(answers)


def _told(answer: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    number = str(answer["number"])
    for row in answer["rows"]:
        yield number, _text(row["footnote"]), f"{row['section']}.{row['path']}", row["value_text"]
    for document in answer["documents"]:
        for _ in document["citations"]:
            yield number, _text(document["footnote"]), document["id"], document["title"]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def told_in_table(rows: list[list[Any]]) -> Told:
    names = list(rows[0])
    wanted = [names.index(name) for name in ("answer", "footnote", "name", "value")]
    kind = names.index("kind")
    return [tuple(_text(row[place]) for place in wanted) for row in rows[1:] if row[kind] in ("field", "citation")]


class Tables(HTMLParser):
    """The first three cells of each line of the tables of fields and citations, of a field its path and not its label."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.number, self._table, self._cell, self._aside, self._path = "", "", False, 0, False

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "article":
            self.number = (given.get("id") or "").removeprefix("answer-")
        if tag == "table":
            self._table = given.get("data-table", "")
        if tag == "tr" and self._table in ("fields", "citations"):
            self.rows.append([self._table, self.number])
        if tag in ("td", "th") and self.rows and self._table in ("fields", "citations"):
            self.rows[-1].append("")
            self._cell = True
        if tag == "div":
            self._aside += 1
        if tag == "code" and self._cell and self._table == "fields":
            self.rows[-1][-1] = ""
            self._path = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = False
        if tag == "div":
            self._aside -= 1
        if tag == "code":
            self._path = False

    def handle_data(self, data):
        if self._path or (self._cell and self._aside <= 1):
            self.rows[-1][-1] += data


def test_lines_csv_workbook_and_page_tell_the_same(parts):
    told = told_in_lines(parts)

    table = [(number, footnote, cell(name), cell(value)) for number, footnote, name, value in told]
    assert told_in_table(list(csv.reader(io.StringIO(content_of(parts, "csv").decode(), newline="")))) == table
    book = openpyxl.load_workbook(io.BytesIO(content_of(parts, "xlsx")), read_only=True)
    sheets = [told_in_table([list(row) for row in book[name].values]) for name in ("Fields", "Citations")]
    assert sorted(sheets[0] + sheets[1]) == sorted((*row[:2], shortened(row[2]), shortened(row[3])) for row in table)
    page = Tables()
    page.feed(content_of(parts, "html").decode())
    shown = [(row[1], row[2], row[3], row[4]) for row in page.rows if row[0] == "fields" and row[2] != "Note"]
    fields = [row for row in told_in_order(parts) if "." in row[2]]
    assert [row[:3] for row in shown] == [(number, footnote, visible(name)) for number, footnote, name, _ in fields]
    assert ["".join(row[3].split()) for row in shown] == ["".join(visible(row[3]).split()) for row in fields]


def test_the_pdf_tells_the_same_in_the_same_order(parts):
    head, *rest = parts
    assert isinstance(head, Header)
    few = [head, *rest[:CHUNK:10], rest[-1]]

    pages = pypdf.PdfReader(io.BytesIO(content_of(few, "pdf"))).pages
    text = _plain("".join(_without_foot(page.extract_text()) for page in pages))

    begin = 0
    for _, footnote, name, value in told_in_order(few):
        named = _plain(printable(name)) if "." in name else footnote
        begin = text.find(named, begin)
        assert begin >= 0, named
        assert [word for word in printable(value).split() if text.find(_plain(word), begin) < 0] == []  # a row may go on on the next page


def _without_foot(text: str) -> str:
    return re.sub(r"(Answer \d+, [^\n]*Snapshot sha256|No event of this report is sealed).*?Page \d+ of \d+", "", text, flags=re.DOTALL)


def _plain(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKC", text) if not each.isspace() and each != "\u200b")
