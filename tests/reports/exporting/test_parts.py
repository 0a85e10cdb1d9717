"""A report that is too long for one PDF comes as several, and pages say how long is too long."""

from __future__ import annotations

import io
import json
import zipfile

import pypdf
import pytest

from reviewers.reports.exporting.formats import printed_parts
from reviewers.reports.exporting.formats.every import FORMATS, Format
from tests.factories import make_item, sign_in
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import report_of, written


@pytest.fixture
def archive(organisation, auditor, monkeypatch):
    monkeypatch.setattr(printed_parts, "ANSWERS", 2)
    for number in range(5):
        make_item(organisation, id=f"part-{number}")
    seal_now(organisation.pk)
    return zipfile.ZipFile(io.BytesIO(written(auditor, "pdfs")))


def text_of(content):
    return " ".join("".join(page.extract_text().replace("\u200b", "") for page in pypdf.PdfReader(io.BytesIO(content)).pages).split())


def test_each_part_has_its_answers_and_the_last_the_end(archive, auditor):
    names = archive.namelist()
    texts = [text_of(archive.read(name)) for name in names]

    assert names == ["report-000001-000002.pdf", "report-000003-000004.pdf", "report-000005-000005.pdf"]
    assert archive.testzip() is None
    assert [[number for number in range(5) if f"part-{number}" in text] for text in texts] == [[0, 1], [2, 3], [4]]
    (checkpoint,) = report_of(auditor).closing.checkpoints
    assert [f"Checkpoint {checkpoint.origin}" in text for text in texts] == [False, False, True]
    assert ["The checkpoints stand in the last part" in text for text in texts] == [True, True, False]
    assert ["Where confidences come from" in text for text in texts] == [False, False, True]


def test_each_part_has_its_own_answers_attached(archive):
    attached = [pypdf.PdfReader(io.BytesIO(archive.read(name))).attachments["report.jsonl"][0] for name in archive.namelist()]

    told = [[json.loads(line) for line in each.splitlines()] for each in attached]
    assert [[line["part"] for line in each] for each in told] == [["head", "answer", "answer", "end"]] * 2 + [["head", "answer", "end"]]
    assert [line["number"] for each in told for line in each if line["part"] == "answer"] == [1, 2, 3, 4, 5]


def test_the_same_report_is_the_same_archive(organisation, auditor):
    make_item(organisation)

    assert written(auditor, "pdfs") == written(auditor, "pdfs")


def test_a_report_of_no_answers_is_one_part(organisation, auditor):
    assert zipfile.ZipFile(io.BytesIO(written(auditor, "pdfs"))).namelist() == ["report.pdf"]


def test_what_is_too_long_for_a_format_is_refused_and_the_page_says_how_long_that_is(organisation, auditor, monkeypatch):
    for number in range(3):
        make_item(organisation, id=f"part-{number}")
    pdf = FORMATS["pdf"]
    small = Format(pdf.name, pdf.label, pdf.told, pdf.ending, pdf.content_type, pdf.write, most=2)
    monkeypatch.setitem(FORMATS, "pdf", small)
    client = sign_in(auditor)

    page = client.post("/exports/create/", {"kind": "period", "form": "pdf", "reason": "the yearly audit"})

    assert page.status_code == 422
    assert "PDF holds at most 2 answers, and these are 3. Choose fewer days, PDFs in parts, CSV or JSON lines." in page.content.decode()
    form = client.get("/exports/new/").content.decode()
    assert "to be printed and kept, with all of it attached; at most 2 answers" in form
    assert "at most 20,000 answers" in form
