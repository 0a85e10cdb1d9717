"""A report as PDF: tagged, PDF/A-3a and PDF/UA-1, with everything it says attached as JSON lines and the receipts beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from django.conf import settings

from attribution import canonical_bytes
from reviewers.reports.exporting.formats.charts import pictures_of, svg_of
from reviewers.reports.exporting.formats.jsonl import line_of
from reviewers.reports.exporting.formats.shapes import printable, printable_data
from reviewers.reports.exporting.formats.spoken import agreed, calibration, combination, decided, found_by
from reviewers.reports.exporting.formats.typesetting import Sheets, typeset
from reviewers.reports.exporting.formats.volume import Volume
from reviewers.reports.exporting.model import Answer, Closing, Part, Report, as_data, gather
from reviewers.reports.exporting.notes import pieces
from reviewers.reports.exporting.told import Row

_FEW = 20
"""More answers are typeset in a process of their own."""
_TEMPLATE = Path("reports") / "report.typ"
_EARLIEST = "2000-01-01T00:00:00.000000Z"


def write_pdf(parts: Iterable[Part]) -> Iterator[bytes]:
    """The document. It is dated by the last thing in it, so the same report is the same file."""
    report = gather(parts)
    yield pdf_of(report, last=last_moment(report), is_long=len(report.answers) > _FEW)


def pdf_of(report: Report, *, last: datetime, is_long: bool, volumes: Sequence[Volume] = ()) -> bytes:
    """The same in one piece. ``volumes`` stand in a page of contents."""
    everything: list[Part] = [report.header, *report.answers, report.closing]
    attached = b"".join(map(line_of, everything))
    receipts = canonical_bytes({each.event: each.text for each in report.closing.receipts})
    texts = {
        "report": json.dumps(_data(report, last) | {"volumes": _volumes(volumes)}),
        "attached": attached.decode(),
        "receipts": receipts.decode(),
    }
    folder = cast("Path", settings.TEMPLATES[0]["DIRS"][0])  # type: ignore[index]  # of the settings' shape
    sheets = Sheets(str(folder / _TEMPLATE), str(folder), texts, int(last.timestamp()))
    return typeset(sheets, is_long=is_long)


def _data(report: Report, last: datetime) -> dict[str, Any]:
    return {
        "title": printable(report.header.title),
        "date": [last.year, last.month, last.day],
        "head": printable_data(as_data(report.header)),
        "answers": [_answer(answer) for answer in report.answers],
        "end": _end(report.closing),
        "checkpoints": [
            printable_data({"origin": each.origin, "size": each.size, "root": each.root}) for each in report.closing.checkpoints
        ],
    }


def _end(end: Closing) -> dict[str, Any]:
    return {
        "answers": end.answers,
        "waiting": end.waiting,
        "agreement": [printable(agreed(each)) for each in end.agreement],
        "calibration": [printable_data([combination(each), calibration(each)]) for each in end.calibration],
        "pictures": [{"svg": svg_of(each), "words": printable(each.words), "of": printable(each.profile)} for each in pictures_of(end)],
    }


def _answer(answer: Answer) -> dict[str, Any]:
    cut = [[piece, note.footnote if note else None] for piece, note in pieces(answer.text, answer.notes)]
    told = {name: value for name, value in as_data(answer).items() if name not in ("text", "response", "notes")}
    told |= {"pieces": cut, "rows": [_row(row) for row in answer.rows], "decided": list(map(decided, answer.decisions))}
    return printable_data(told)  # type: ignore[no-any-return]


def _row(row: Row) -> dict[str, Any]:
    sure = f"{row.confidence:.2f}" + (f" ({row.low:.2f}–{row.high:.2f})" if row.low is not None and row.high is not None else "")
    return as_data(row) | {"name": f"{row.section}.{row.path}", "found_by": found_by(row), "sure": sure}  # type: ignore[no-any-return]


def _volumes(volumes: Sequence[Volume]) -> Any:
    return printable_data([as_data(each) for each in volumes])


def last_moment(report: Report) -> datetime:
    """The moment of the last thing in it."""
    moments = [event.at for answer in report.answers for event in answer.events]
    return datetime.fromisoformat(max(moments, default=_EARLIEST)).astimezone(UTC)
