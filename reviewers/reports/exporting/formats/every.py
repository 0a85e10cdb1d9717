"""All formats by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from reviewers.reports.exporting.formats.comma import write_csv
from reviewers.reports.exporting.formats.fhir import write_fhir
from reviewers.reports.exporting.formats.jsonl import write_jsonl
from reviewers.reports.exporting.formats.labels import write_label_studio, write_labels, write_openinference
from reviewers.reports.exporting.formats.printed import write_pdf
from reviewers.reports.exporting.formats.printed_parts import write_pdfs
from reviewers.reports.exporting.formats.provenance import write_prov
from reviewers.reports.exporting.formats.spreadsheet import write_xlsx
from reviewers.reports.exporting.formats.web_annotation import write_annotations
from reviewers.reports.exporting.formats.web_page import write_html
from reviewers.reports.exporting.model import Part

Write = Callable[[Iterable[Part]], Iterator[bytes]]

MANY = 20_000
"""What a format holds that is written in one go, in bounded memory: begun again where its worker is killed, it begins at its beginning."""

BUNDLE = "bundle"
"""A report as JSON lines with its evidence."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name for good, what people call it, how its files end, what they are, and what writes them.

    ``is_lines`` says whether a file can be written in pieces that are put behind each other, as long ones are;
    ``most`` how many answers there may be in it, if there is an end to that.
    """

    name: str
    label: str
    told: str
    ending: str
    content_type: str
    write: Write
    is_lines: bool = False
    most: int | None = None


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format("pdf", "PDF", "to be printed and kept, with all of it attached", "pdf", "application/pdf", write_pdf, most=250),
        Format("pdfs", "PDFs in parts", "a hundred answers each, in one archive", "zip", "application/zip", write_pdfs, most=MANY),
        Format("html", "Web page", "one file, opens anywhere", "html", "text/html; charset=utf-8", write_html, is_lines=True),
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
            most=2_000,
        ),
        Format("csv", "CSV", "one table, for other programs", "csv", "text/csv; charset=utf-8", write_csv, is_lines=True),
        Format("jsonl", "JSON lines", "everything, for other programs", "jsonl", "application/x-ndjson", write_jsonl, is_lines=True),
        Format("annotations", "Web annotations", "W3C, places in answers", "json", "application/ld+json", write_annotations, most=MANY),
        Format("prov", "PROV", "W3C, what came of what, by whom", "json", "application/json", write_prov, most=MANY),
        Format("fhir", "FHIR R4", "Provenance and AuditEvent", "json", "application/fhir+json", write_fhir, most=MANY),
        Format("labels", "Labels", "a line for each label", "jsonl", "application/x-ndjson", write_labels, is_lines=True),
        Format(
            "openinference", "OpenInference", "labels as annotations", "jsonl", "application/x-ndjson", write_openinference, is_lines=True
        ),
        Format("label_studio", "Label Studio", "tasks with annotations", "json", "application/json", write_label_studio, most=MANY),
    )
}
