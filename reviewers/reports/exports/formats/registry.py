"""All formats by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from reviewers.reports.exports.formats.csv import write_csv
from reviewers.reports.exports.formats.fhir import FHIR
from reviewers.reports.exports.formats.html import write_html
from reviewers.reports.exports.formats.json_documents import JSONFormat, write_document, write_jsonl
from reviewers.reports.exports.formats.labels import LABEL_STUDIO, write_labels, write_openinference
from reviewers.reports.exports.formats.pdf import write_pdf
from reviewers.reports.exports.formats.prov import PROV
from reviewers.reports.exports.formats.web_annotation import ANNOTATIONS
from reviewers.reports.exports.formats.xlsx import write_xlsx
from reviewers.reports.exports.report import Part

Write = Callable[[Iterable[Part]], Iterator[bytes]]

MANY = 20_000
"""The limit of formats that are written in one go: if their worker is killed, they start again from the beginning."""

BUNDLE = "bundle"
"""A report as JSON lines with its evidence, in a zip archive."""

PAGE = "html"
"""A report as one web page. It is written in pieces that are put together at the end."""

PDF, VOLUMES = "pdf", "pdfs"
"""A report as one PDF, and as PDF in several volumes."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its stored name, label, description, file extension, content type and writer.

    ``is_lines`` is true if its files can be written in pieces and concatenated. A format with a ``document`` is one JSON document that can
    still be written in pieces. ``most`` is the largest number of answers in it, if there is a limit. ``then`` is the format of longer
    reports; users cannot choose that one.
    """

    name: str
    label: str
    told: str
    ending: str
    content_type: str
    write: Write
    is_lines: bool = False
    document: JSONFormat | None = None
    most: int | None = None
    then: str = ""


def _of_document(name: str, label: str, told: str, content_type: str, document: JSONFormat) -> Format:
    return Format(name, label, told, "json", content_type, partial(write_document, document), document=document)


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(PDF, "PDF", "to be printed and kept, with all of it attached", "pdf", "application/pdf", write_pdf, most=250, then=VOLUMES),
        Format(VOLUMES, "PDF in volumes", "in one archive, with a page of contents", "zip", "application/zip", write_pdf),
        Format(PAGE, "Web page", "one file, opens anywhere", "html", "text/html; charset=utf-8", write_html),
        Format(
            "xlsx",
            "Workbook",
            "a sheet each for answers, fields, citations",
            "xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            write_xlsx,
            most=MANY,
        ),
        Format(
            BUNDLE,
            "Bundle",
            "with its evidence, for anybody to verify without this site",
            "zip",
            "application/zip",
            write_jsonl,
            is_lines=True,
            most=MANY,
        ),
        Format("csv", "CSV", "one table, for other programs", "csv", "text/csv; charset=utf-8", write_csv, is_lines=True),
        Format("jsonl", "JSON lines", "everything, for other programs", "jsonl", "application/x-ndjson", write_jsonl, is_lines=True),
        _of_document("annotations", "Web annotations", "W3C, places in answers", "application/ld+json", ANNOTATIONS),
        _of_document("prov", "PROV", "W3C, what came of what, by whom", "application/json", PROV),
        _of_document("fhir", "FHIR R4", "Provenance and AuditEvent", "application/fhir+json", FHIR),
        Format("labels", "Labels", "a line for each label", "jsonl", "application/x-ndjson", write_labels, is_lines=True),
        Format(
            "openinference", "OpenInference", "labels as annotations", "jsonl", "application/x-ndjson", write_openinference, is_lines=True
        ),
        _of_document("label_studio", "Label Studio", "tasks with annotations", "application/json", LABEL_STUDIO),
    )
}


def offered_formats() -> list[Format]:
    """Return the formats that users can choose."""
    others = {each.then for each in FORMATS.values()}
    return [each for each in FORMATS.values() if each.name not in others]


def format_for(form: str, count: int) -> str:
    """Return the format of a report of so many answers that was requested in ``form``."""
    asked = FORMATS[form]
    return asked.then if asked.then and asked.most is not None and count > asked.most else form
