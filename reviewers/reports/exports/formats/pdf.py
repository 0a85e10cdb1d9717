"""A report as PDF: tagged, PDF/A-3a and PDF/UA-1, with the JSON lines and the receipts attached. A long report has several volumes.

Nothing may vanish from a report: characters that the fonts do not have are written as their code points.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from msgspec import Struct
from msgspec.structs import replace

from attribution import canonical_bytes
from reviewers.reports.exports.formats.cover import (
    HOW_TO_CHECK,
    TERMS,
    contents_line,
    facts_of,
    figures_of,
    opening_of,
    unchecked_in,
    unchecked_of,
)
from reviewers.reports.exports.formats.html import pictures_of, svg_of
from reviewers.reports.exports.formats.json_documents import line_of
from reviewers.reports.exports.formats.typesetting import Sheets, typeset
from reviewers.reports.exports.formats.wording import (
    agreed,
    calibration,
    combination,
    decisions_in,
    event_in_words,
    finding_title,
    found_by,
    rows_in_order,
    shortly,
    state_in_words,
    sureness,
    verdict_in_words,
    visible,
)
from reviewers.reports.exports.report import Answer, Closing, Header, Part, Report, ReportedEvent, as_data, gather, pieces
from reviewers.reports.exports.schema import Document, FieldRow, ReportedCitation, ReportedFinding, ReportedLabel
from reviewers.snapshots.field_labels import label_of

_RANGES = (
    "\n\\u0020-\\u007e\\u00a0-\\u00ac\\u00ae-\\u02af\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u03ce\\u0400-\\u045f\\u0490-\\u04c4"
    "\\u1e00-\\u1eff\\u2010-\\u2027\\u2030-\\u2037\\u2039-\\u203e\\u2044\\u2070\\u2071\\u2074-\\u208e\\u20a0-\\u20b5\\u20bd\\u20bf"
    "\\u0591-\\u05c7\\u05d0-\\u05ea\\u05ef-\\u05f4\\u0606-\\u061b\\u061e-\\u06a1\\u06a3-\\u06dc\\u06de-\\u06ff"
    "\\u3001-\\u303f\\u3041-\\u3096\\u3099-\\u30ff\\u4e00-\\u9fef\\uff01-\\uff9f\\uffe0-\\uffe6"
    "\\u2116\\u2122\\u2190-\\u222e\\u2241-\\u226b\\u2308-\\u230b\\u2460-\\u2487\\u2500-\\u262f\\u2713-\\u2718\\u27e8\\u27e9"
)
"""Latin, Greek, Cyrillic, Hebrew, Arabic, Chinese and kana, as far as the compiler's own fonts and the font packages cover them."""

_WITHOUT_SHAPE = re.compile(f"[^{_RANGES}]+")
_LONG_WORD = re.compile(r"\S{25}(?=\S)")
_PART = re.compile(r"(?<=[^\W_]{3})[._/](?=\w{3})")
LONGEST = 20_000
MOST_ROWS = 1_000
"""The fields of an answer that are printed, and the citations. An answer is not cut in two volumes, and each page takes memory."""

_MOMENTS = frozenset({"answered_at", "at", "said_at", "signed_at", "since", "submitted_at", "until"})
"""The names under which a report has moments."""

_FEW = 20
_SHORT = 1_000_000
"""Reports of more answers or more text are typeset in a process of their own."""

_TEMPLATE = Path("reports") / "report.typ"
_EARLIEST = "2000-01-01T00:00:00.000000Z"


def printable(text: str) -> str:
    """Return a text as the PDF shows it: other characters as ``⟨U+4E2D U+6587⟩``, and very long texts cut with a note."""
    shown = visible(text[:LONGEST])
    if len(text) > LONGEST:
        shown += f" … and {len(text) - LONGEST} more characters, which the attached report has"
    return _WITHOUT_SHAPE.sub(_code_points, shown)


def breakable(text: str) -> str:
    """Return a printable text with break opportunities in long words and names."""
    return _LONG_WORD.sub(lambda match: match.group() + "\u200b", _PART.sub("\\g<0>\u200b", printable(text)))


def printable_data(value: Any) -> Any:
    """Return JSON values with all their texts made printable, and moments of the report in words."""
    if isinstance(value, str):
        return breakable(value)
    if isinstance(value, list):
        return [printable_data(each) for each in value]
    if isinstance(value, dict):
        return {name: printable_data(shortly(each) if name in _MOMENTS else each) for name, each in value.items()}
    return value


def _code_points(match: re.Match[str]) -> str:
    return "⟨" + " ".join(f"U+{ord(each):04X}" for each in match.group()) + "⟩"


class Volume(Struct, frozen=True):
    """A volume of a long report in its table of contents: its answers and their moments, and the SHA-256 of its file."""

    name: str
    number: int
    first: int
    last: int
    since: str
    until: str
    digest: str


def write_pdf(parts: Iterable[Part]) -> Iterator[bytes]:
    """Yield the document. Its date is the last moment in it, so the same report is always the same file."""
    report = gather(parts)
    yield pdf_of(report, last=last_moment(report), is_long=len(report.answers) > _FEW)


def pdf_of(report: Report, *, last: datetime, is_long: bool, volumes: Sequence[Volume] = ()) -> bytes:
    """Return the document. ``volumes`` are listed in a table of contents."""
    everything: list[Part] = [report.header, *report.answers, report.closing]
    attached = b"".join(map(line_of, everything))
    receipts = canonical_bytes({each.event: each.text for each in report.closing.receipts})
    texts = {
        "report": json.dumps(_data(report, last) | {"volumes": printable_data([as_data(each) for each in volumes])}),
        "attached": attached.decode(),
        "receipts": receipts.decode(),
    }
    folder = next(folder for engine in settings.TEMPLATES for folder in engine["DIRS"] if (folder / _TEMPLATE).exists())
    sheets = Sheets(str(folder / _TEMPLATE), str(folder), texts, int(last.timestamp()))
    return typeset(sheets, is_long=is_long or sum(map(len, texts.values())) > _SHORT)


def _data(report: Report, last: datetime) -> dict[str, Any]:
    return {
        "title": printable(report.header.title),
        "date": [last.year, last.month, last.day],
        "head": printable_data(as_data(report.header)),
        "answers": [_answer(answer) for answer in report.answers],
        "end": _end(report.closing),
        "cover": _cover(report),
        "checkpoints": [
            printable_data({"origin": each.origin, "size": each.size, "root": each.root}) for each in report.closing.checkpoints
        ],
    }


def _cover(report: Report) -> dict[str, Any]:
    head, end = report.header, report.closing
    told = {
        "facts": [*facts_of(head, end), ("How to check it", HOW_TO_CHECK)],
        "opening": opening_of(end),
        "figures": figures_of(end),
        "unchecked": list(unchecked_in(end)),
        "terms": TERMS,
        "contents": [contents_line(answer) for answer in report.answers],
        "asked": f"Asked for by {head.requested.by}, {shortly(head.requested.at)}" if head.requested else "",
    }
    return printable_data({name: as_data(value) for name, value in told.items()})  # type: ignore[no-any-return]


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
    told |= {
        "pieces": cut,
        "rows": [_row(answer, row) for row in rows_in_order(answer)[:MOST_ROWS]],
        "more_rows": max(0, len(answer.rows) - MOST_ROWS),
        "decided": decisions_in(answer),
        "findings": [_finding(each) for each in answer.findings],
        "events": [_event(each) for each in answer.events],
        "unchecked": list(unchecked_of(answer)),
        "documents": list(_documents(answer.documents)),
        "more_citations": max(0, sum(len(each.citations) for each in answer.documents) - MOST_ROWS),
        "state": state_in_words(answer),
        "unsupported": [as_data(each) | {"said": _said(each.said)} for each in answer.unsupported],
    }
    return printable_data(told)  # type: ignore[no-any-return]


def _row(answer: Answer, row: FieldRow) -> dict[str, Any]:
    told = {"label": label_of(row), "name": f"{row.section}.{row.path}", "found_by": found_by(row)}
    return as_data(row) | told | {"sure": sureness(row, is_calibrated=answer.is_calibrated), "said": _said(row.said)}  # type: ignore[no-any-return]


def _documents(documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
    """Yield the documents with those of their citations that are printed, the first of all."""
    left = MOST_ROWS
    for each in documents:
        printed = each.citations[:left]
        left -= len(printed)
        yield as_data(replace(each, citations=printed)) | {"citations": [_citation(cited) for cited in printed]}


def _said(said: Iterable[ReportedLabel]) -> list[dict[str, Any]]:
    return [as_data(each) | {"verdict": verdict_in_words(each.verdict)} for each in said]


def _citation(cited: ReportedCitation) -> dict[str, Any]:
    return as_data(cited) | {"said": _said(cited.said)}  # type: ignore[no-any-return]


def _finding(found: ReportedFinding) -> dict[str, Any]:
    return as_data(found) | {"title": finding_title(found.code), "label": label_of(found) if found.path else ""}  # type: ignore[no-any-return]


def _event(event: ReportedEvent) -> dict[str, Any]:
    name = f"{event.section}.{event.path}" if event.path else ""
    return as_data(event) | {"words": event_in_words(event), "name": name}  # type: ignore[no-any-return]


def last_moment(report: Report) -> datetime:
    """Return the latest moment of the report's events."""
    moments = [event.at for answer in report.answers for event in answer.events]
    return datetime.fromisoformat(max(moments, default=_EARLIEST)).astimezone(UTC)


def name_of(number: int, count: int) -> str:
    """Return the name of a volume's file, such as ``report-03-of-12.pdf``, which sorts in order."""
    return f"report-{number:0{len(str(count))}d}-of-{count}.pdf"


def name_of_contents(count: int) -> str:
    """Return the name of the file with the table of contents, which sorts first."""
    return f"report-{0:0{len(str(count))}d}-contents.pdf"


def title_of(number: int, count: int, answers: Sequence[Answer]) -> str:
    """Return the title of a volume, such as ``volume 3 of 12, answers 201 to 300``."""
    told = f"answers {answers[0].number:,} to {answers[-1].number:,}" if answers else "no answers"
    return f"volume {number} of {count}, {told}"


def volume_of(report: Report, number: int, count: int) -> bytes:
    """Return a volume as PDF: a report of its own with its answers and the receipts of their events attached."""
    header = replace(report.header, title=f"{report.header.title}, {title_of(number, count, report.answers)}")
    return pdf_of(Report(header, report.answers, report.closing), last=last_moment(report), is_long=True)


def contents_of(header: Header, closing: Closing, volumes: Sequence[Volume], last: datetime) -> bytes:
    """Return the table of contents as PDF, with the statistics over all answers and the checkpoints."""
    titled = replace(header, title=f"{header.title}, contents of {len(volumes)} volume{'' if len(volumes) == 1 else 's'}")
    return pdf_of(Report(titled, (), closing), last=last, is_long=True, volumes=volumes)
