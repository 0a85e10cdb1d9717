"""A report that is too long for one PDF comes as several."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pypdf
import pytest

from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.formats import printed_parts
from tests.factories import make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import make_export, report_of, written
from tests.review.signed import submit


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


@pytest.mark.parametrize("form", ["annotations", "prov", "fhir", "label_studio"])
def test_one_document_is_kept_in_pieces_of_one_size_however_it_came(organisation, auditor, alice, form, monkeypatch):
    monkeypatch.setattr(chunks, "PIECE", 300)
    for number in range(3):
        submit(make_item(organisation, id=f"part-{number}"), alice)

    export = make_export(auditor, form)

    kept = list(chunks.pieces(export, chunks.FILE))
    assert {len(piece) for piece in kept[:-1]} == {300}
    assert b"".join(kept) == written(auditor, form)
    assert json.loads(written(auditor, form))
    assert hashlib.sha256(b"".join(kept)).digest() == bytes(export.result.digest)


@pytest.mark.parametrize("form", ["annotations", "prov", "fhir", "label_studio"])
def test_a_document_of_no_answers_is_one(organisation, auditor, form):
    assert isinstance(json.loads(written(auditor, form)), dict | list)
