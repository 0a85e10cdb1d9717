"""The volumes of a report that is too long for one PDF: how they are called, and what the page of contents says of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from reviewers.reports.exporting.formats.printed import last_moment, pdf_of
from reviewers.reports.exporting.formats.volume import Volume
from reviewers.reports.exporting.model import Answer, Closing, Header, Report


def name_of(number: int, count: int) -> str:
    """``report-03-of-12.pdf``: in the order of the alphabet as well."""
    return f"report-{number:0{len(str(count))}d}-of-{count}.pdf"


def name_of_contents(count: int) -> str:
    """It stands before all of them."""
    return f"report-{0:0{len(str(count))}d}-contents.pdf"


def title_of(number: int, count: int, answers: Sequence[Answer]) -> str:
    """``volume 3 of 12, answers 201 to 300``."""
    told = f"answers {answers[0].number:,} to {answers[-1].number:,}" if answers else "no answers"
    return f"volume {number} of {count}, {told}"


def volume_of(report: Report, number: int, count: int) -> bytes:
    """A volume as PDF: a report of its own, with its answers and the receipts of their events attached."""
    header = replace(report.header, title=f"{report.header.title}, {title_of(number, count, report.answers)}")
    return pdf_of(Report(header, report.answers, report.closing), last=last_moment(report), is_long=True)


def contents_of(header: Header, closing: Closing, volumes: Sequence[Volume], last: datetime) -> bytes:
    """The page of contents, with what is told of all answers together and the checkpoints over them."""
    titled = replace(header, title=f"{header.title}, contents of {len(volumes)} volume{'' if len(volumes) == 1 else 's'}")
    return pdf_of(Report(titled, (), closing), last=last, is_long=True, volumes=volumes)
