"""Requirements of PDF/A-3a and PDF/UA-1 that can be seen in the file, checked by another program than its writer."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pypdf
import pytest
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from reviewers.accounts.models import Role
from tests.calibration.labelled import CONTEXT, RESPONSE, make_active
from tests.factories import BOTH, make_item, make_member
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import written

FORBIDDEN = {"/JavaScript", "/JS", "/Launch", "/Movie", "/Sound", "/ResetForm", "/ImportData", "/LZWDecode", "/Encrypt"}


@pytest.fixture
def pdf(organisation, lead, alice, auditor) -> pypdf.PdfReader:
    """A report with a picture, tables, documents and text in other scripts."""
    profile = make_active(lead, make_member(organisation, Role.LEAD, "Other Lead"), alice)
    seen = profile.combination
    make_item(organisation, response=RESPONSE, context=CONTEXT, model=seen.model, prompt_version=seen.prompt_version)
    make_item(organisation, **BOTH | {"user_text": "مرحبا 你好 😀"})
    seal_now(organisation.pk)
    return pypdf.PdfReader(io.BytesIO(written(auditor, "pdf")))


def objects(reader: pypdf.PdfReader) -> Iterator[Any]:
    for number in reader.xref[0]:
        yield IndirectObject(number, 0, reader).get_object()


def dictionaries(reader: pypdf.PdfReader) -> list[DictionaryObject]:
    compressed = [IndirectObject(number, 0, reader).get_object() for number in reader.xref_objStm]
    return [each for each in [*objects(reader), *compressed] if isinstance(each, DictionaryObject)]


def elements(node: Any) -> Iterator[DictionaryObject]:
    node = node.get_object()
    if isinstance(node, ArrayObject):
        for each in node:
            yield from elements(each)
    elif isinstance(node, DictionaryObject):
        if "/S" in node:
            yield node
        if "/K" in node:
            yield from elements(node["/K"])


def test_a_report_keeps_what_the_standards_ask_for(pdf):
    root = pdf.trailer["/Root"]
    everything = dictionaries(pdf)
    xmp = root["/Metadata"].get_data().decode()

    # what it says it is, to people and to programs
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert pdf.metadata.title.startswith("Audit report: ")
    assert "Audit report: " in re.search(r"<dc:title>.*?</dc:title>", xmp, re.DOTALL)[0]
    for told in ("<pdfaid:part>3</pdfaid:part>", "<pdfaid:conformance>A</pdfaid:conformance>", "<pdfuaid:part>1</pdfuaid:part>"):
        assert told in xmp
    assert "/Filter" not in root["/Metadata"]
    assert len(pdf.trailer["/ID"]) == 2

    # nothing that acts, nothing that is hidden from a reader
    assert "/Encrypt" not in pdf.trailer
    assert not [each for each in everything if FORBIDDEN & {*each, each.get("/S"), each.get("/Filter")}]
    assert root["/OutputIntents"][0]["/S"] == "/GTS_PDFA1"

    # each font is in the file, and its characters have their meaning beside them
    fonts = [each for each in everything if each.get("/Type") == "/Font"]
    for font in fonts:
        if "/DescendantFonts" in font:
            assert "/ToUnicode" in font
        else:
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & {*font["/FontDescriptor"]}
    assert fonts

    # what is attached says what it is to the report
    attached = {each["/UF"]: each for each in everything if each.get("/Type") == "/Filespec"}
    assert {name: each["/AFRelationship"] for name, each in attached.items()} == {
        "report.jsonl": "/Source",
        "receipts.json": "/Supplement",
    }
    assert len(root["/AF"]) == 2
    assert all(each["/Desc"] and each["/EF"]["/F"].get_object()["/Subtype"] for each in attached.values())


def test_everything_in_a_report_has_its_place_in_the_tree_of_tags(pdf):
    root = pdf.trailer["/Root"]
    tree = list(elements(root["/StructTreeRoot"]["/K"]))
    roles = {name: str(role) for name, role in root["/StructTreeRoot"].get("/RoleMap", {}).items()}
    kinds = [roles.get(each["/S"], each["/S"]) for each in tree]

    assert {"/H1", "/H2", "/H3", "/Table", "/TR", "/TH", "/TD", "/L", "/LI", "/Figure"} <= set(kinds)
    levels = [int(kind[2:]) for kind in kinds if re.fullmatch(r"/H[1-6]", kind)]
    assert levels[0] == 1
    assert all(behind - before <= 1 for before, behind in pairwise(levels))
    figures = [each for each, kind in zip(tree, kinds, strict=True) if kind == "/Figure"]
    assert all("groups lie where chance alone would put them" in each["/Alt"] for each in figures)
    headers = [each for each, kind in zip(tree, kinds, strict=True) if kind == "/TH"]
    assert all(any(own.get_object().get("/Scope") for own in _listed(each["/A"])) for each in headers)
    for page in pdf.pages:
        assert page["/StructParents"] is not None
        assert page.get("/Tabs", "/S") == "/S"
        assert b"BDC" in page.get_contents().get_data()


def _listed(value: Any) -> list[Any]:
    found = value.get_object()
    return list(found) if isinstance(found, ArrayObject) else [found]
