"""A report as one table, with a line for each answer and for everything about it; and the table as CSV (RFC 4180) in UTF-8.

No cell can be taken for a formula. Workbooks have the same lines on several sheets.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from reviewers.reports.exports.formats.wording import calibration, cell, combination
from reviewers.reports.exports.report import Answer, Closing, Header, Part, ReportedEvent, Signed
from reviewers.reports.exports.schema import (
    Document,
    Excerpt,
    FieldRow,
    Figure,
    Remark,
    ReportedCitation,
    ReportedClaim,
    ReportedDecision,
    ReportedFinding,
    ReportedLabel,
)
from reviewers.web.protected_text import Mask

ABOUT = ("answer", "id", "external_id", "client", "conversation", "turn", "provider", "model", "prompt", "answered_at")
"""The columns that identify the answer of a line."""


class TableLine(NamedTuple):
    """A line of the table after the columns of `ABOUT`. Cells that its kind does not have are empty."""

    kind: str
    footnote: int | None = None
    name: str = ""
    value: str = ""
    track: str = ""
    method: str = ""
    rule: str = ""
    score: float | None = None
    confidence: float | None = None
    low: float | None = None
    high: float | None = None
    where: str = ""
    explanation: str = ""
    stated_instead: str = ""
    verdicts: str = ""
    notes: str = ""
    at: str = ""


COLUMNS = (*ABOUT, *TableLine._fields)


def about(answer: Answer) -> tuple[Any, ...]:
    """Return the cells that identify the answer of a line."""
    named = (answer.external_id, answer.client, answer.conversation, answer.turn, answer.provider, answer.model, answer.prompt)
    return (answer.number, answer.id, *named, answer.answered_at)


def lines_of(answer: Answer) -> Iterator[TableLine]:
    """Yield all lines of an answer."""
    yield from lines_of_answer(answer)
    yield from map(_field, answer.rows)
    yield from lines_of_work(answer)
    yield from map(_event, answer.events)


def lines_of_answer(answer: Answer) -> Iterator[TableLine]:
    """Yield the lines before the fields: the user's message, the answer, redactions and holds."""
    yield TableLine("question", value=answer.question)
    yield TableLine(
        "answer", value=answer.text, track=answer.source, at=answer.answered_at, explanation=answer.digest, notes=_withheld(answer)
    )
    yield from (
        TableLine("redaction", name=each.by, value="; ".join(each.parts), explanation=each.basis, at=each.at) for each in answer.redactions
    )
    yield from (TableLine("hold", name=each.by, value=each.words, at=each.at) for each in answer.holds)


def lines_of_work(answer: Answer) -> Iterator[TableLine]:
    """Yield the lines between the fields and the events: citations, findings, reviews and what else people said."""
    yield from (_citation(document, cited) for document in answer.documents for cited in document.citations)
    yield from (_finding(found) for found in answer.findings)
    yield from (TableLine("review", name=each.reviewer, value=f"{each.labels} labels", at=each.submitted_at) for each in answer.reviews)
    yield from (_signature(each) for each in answer.signatures)
    yield from (_decision(each) for each in answer.decisions)
    yield from (_claim(number, each) for number, each in enumerate(answer.unsupported, start=1))
    yield from (_remark("flag", each) for each in answer.flags)
    yield from (_remark("comment", each) for each in answer.comments)


def place_of(event: ReportedEvent) -> str:
    """Return the place of an event in the log."""
    return f"{event.origin} entry {event.index}" if event.index is not None else "not sealed yet"


def lines_of_end(end: Closing) -> Iterator[TableLine]:
    """Yield the lines that concern all answers together."""
    for agreed in end.agreement:
        yield TableLine("agreement", name=agreed.what, value=f"{agreed.rows} rows", explanation="" if agreed.figures else "too few to tell")
        yield from (_figure(agreed.what, each) for each in agreed.figures)
    for each in end.calibration:
        yield TableLine("calibration", name=each.profile, value=combination(each), track=each.state, explanation=calibration(each))


def _figure(of: str, each: Figure) -> TableLine:
    return TableLine("agreement", name=of, method=each.name, confidence=each.value, low=each.low, high=each.high)


def _decision(each: ReportedDecision) -> TableLine:
    line = TableLine("decision", name=each.name, value=each.outcome, method=each.rule, at=each.at)
    return line._replace(verdicts=each.verdict, explanation=each.by, notes=each.reason)


def _event(each: ReportedEvent) -> TableLine:
    return TableLine("event", name=each.action, value=each.id, where=place_of(each), explanation=each.by, at=each.at)


def _withheld(answer: Answer) -> str:
    return "under blind review: what the engine and reviewers say is not shown yet" if answer.is_withheld else ""


def _field(row: FieldRow) -> TableLine:
    return TableLine(
        "field",
        row.footnote,
        f"{row.section}.{row.path}",
        row.value_text,
        row.track,
        "seeded" if row.is_seeded else row.method,
        row.rule,
        row.score,
        row.confidence,
        row.low,
        row.high,
        places_in(row.spans or row.claims),
        row.trace,
        row.contradiction.stated if row.contradiction else "",
        verdicts_in(row.said),
        notes_in(row.said),
    )


def _citation(document: Document, cited: ReportedCitation) -> TableLine:
    return TableLine(
        kind="citation",
        footnote=document.footnote,
        name=document.id,
        value=document.title,
        track=cited.status,
        score=document.trust,
        where=places_in([cited.claim] if cited.claim else []),
        explanation="; ".join([*cited.checks, *([cited.judged.words] if cited.judged else [])]),
        stated_instead=", ".join(cited.failures),
        verdicts=verdicts_in(cited.said),
        notes=notes_in(cited.said),
    )


def _finding(found: ReportedFinding) -> TableLine:
    notes = "; ".join(f"{each.reviewer}: {each.note}{ending(each)}" for each in found.remarks)
    return TableLine("finding", name=found.code, value=found.about, explanation=found.message, notes=notes)


def _claim(number: int, claim: ReportedClaim) -> TableLine:
    where = places_in([claim.place] if claim.place else [])
    line = TableLine("unsupported", name=f"claim {number}", value="not in the record", where=where)
    return line._replace(verdicts=verdicts_in(claim.said), notes=notes_in(claim.said))


def _remark(kind: str, each: Remark) -> TableLine:
    return TableLine(kind, name=each.reviewer, value=each.about, at=each.at, notes=f"{each.note}{ending(each)}")


def ending(remark: Remark) -> str:
    """Return in words who resolved a flag and what came of it, or an empty string."""
    return f" Resolved by {remark.ended_by}: {remark.ending}" if remark.ended_by else ""


def _signature(each: Signed) -> TableLine:
    return TableLine(
        "signature", name=each.printed_name, value=each.meaning_words, where=each.digest, explanation=each.standing, at=each.moment
    )


def verdicts_in(said: Sequence[ReportedLabel]) -> str:
    """Return the verdicts of labels, each after the name of its reviewer."""
    return "; ".join([f"{each.reviewer}: {each.verdict}" for each in said])


def notes_in(said: Sequence[ReportedLabel]) -> str:
    """Return the notes of labels, each after the name of its reviewer."""
    return "; ".join([f"{each.reviewer}: {each.note}" for each in said if each.note])


def places_in(excerpts: Iterable[Excerpt]) -> str:
    """Return parts of the answer, each after its span."""
    return "; ".join([f"{each.start}–{each.end} {each.text}" for each in excerpts])


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
