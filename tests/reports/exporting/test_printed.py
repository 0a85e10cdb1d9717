"""The PDF: nothing vanishes from it, and it carries its own evidence."""

from __future__ import annotations

import io
import json
import unicodedata
from typing import Any

import pypdf
import pytest
import typst

from reviewers.ledger.logs import newest_key, verifier_of
from reviewers.ledger.merkle.receipt import open_receipt
from reviewers.ledger.models import Log
from reviewers.reports.exports.formats.pdf import printable
from reviewers.reports.exports.formats.typesetting import FONTS, STANDARDS, Sheets, typeset
from tests.factories import make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import lines, report_of, written
from tests.review.signed import make_signed


def read(content: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(content))


def text_of(content: bytes) -> str:
    """The text without white space and places to break, which depend on where lines end."""
    text = "".join(page.extract_text() for page in read(content).pages)
    return "".join(each for each in unicodedata.normalize("NFKC", text) if not each.isspace() and each != "\u200b")


def attachments_of(content: bytes) -> dict[str, bytes]:
    return {each.name: each.content for each in read(content).attachment_list}


@pytest.fixture
def signed(organisation, alice):
    signature = make_signed(alice)
    seal_now(organisation.pk)
    return signature


def test_a_pdf_is_tagged_and_says_that_it_is_pdf_a_3a_and_pdf_ua_1(signed, auditor):
    reader = read(written(auditor, "pdf"))

    metadata = reader.trailer["/Root"]["/Metadata"].get_data().decode()
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert "<pdfaid:part>3</pdfaid:part>" in metadata
    assert "<pdfaid:conformance>A</pdfaid:conformance>" in metadata
    assert "<pdfuaid:part>1</pdfuaid:part>" in metadata


def test_each_page_has_the_checkpoint_and_its_number_and_those_of_an_answer_the_digest_of_its_snapshot(signed, auditor):
    report, reader = report_of(auditor), read(written(auditor, "pdf"))

    begin = next(number for number, page in enumerate(reader.pages, start=1) if "What was asked" in page.extract_text())
    assert begin < 5
    for number, page in enumerate(reader.pages, start=1):
        text = "".join(page.extract_text().split())
        assert "\u200b" not in text, "a copied digest would not be found"
        assert f"Page{number}of{len(reader.pages)}" in text
        assert report.closing.checkpoints[0].root in text
        assert (report.answers[0].digest in text) == (number >= begin)


def test_names_times_and_meanings_of_signatures_stand_on_the_page(signed, auditor):
    text = text_of(written(auditor, "pdf"))

    assert "SignedbyAliceAldousasReviewed,4Mar2026,10:30:00CET(UTC+01:00,Europe/Berlin):holds" in text


def test_the_report_and_its_receipts_are_attached_and_the_receipts_hold(organisation, signed, auditor):
    attached = attachments_of(written(auditor, "pdf"))

    report, receipts = attached["report.jsonl"], json.loads(attached["receipts.json"])
    log = Log.objects.get()
    verifier = verifier_of(newest_key(log), log)
    assert report == written(auditor, "jsonl")
    assert receipts.keys() == {event["id"] for event in lines(report)[1]["events"]}
    for event, receipt in receipts.items():
        assert json.loads(open_receipt(receipt, [verifier]).content)["id"] == event


FAMILIES = '("Libertinus Serif", "IBM Plex Sans Arabic", "Noto Sans Hebrew", "Noto Sans SC", "DejaVu Sans Mono")'
TEXTS = [
    "مرحبا",
    "الخطر",
    "مرتفع",
    "你好，世界",
    "한국어",
    "naïve café — “quoted”",
    "😀👩\u200d⚕️",
    "Привет",
    "שלום",
    "zero\u200bwidth \u202eturned",
    "a\tb\x00c",
    "e\u0301",
    "ﬁ",
]


def test_no_character_vanishes_from_a_pdf(organisation, auditor):
    make_item(organisation, user_text="\n".join(TEXTS))

    text = text_of(written(auditor, "pdf"))

    for each in TEXTS:
        assert "".join(unicodedata.normalize("NFKC", printable(each)).split()) in text
    assert "⟨U+D55CU+AD6DU+C5B4⟩" in text


def test_the_fonts_have_every_character_that_is_not_named():
    """The compiler refuses a character without a shape under these standards, so one document with all of them is the proof."""
    kept = "".join(chr(code) for code in range(0x20, 0x10000) if printable(chr(code)) == chr(code))
    source = (
        '#set document(title: "T", date: datetime(year: 2026, month: 1, day: 1))\n'
        f'#set text(lang: "en", font: {FAMILIES})\n#text(sys.inputs.kept)'
    )

    assert len(kept) > 22_000
    options: dict[str, Any] = {"pdf_standards": STANDARDS, "ignore_system_fonts": True, "font_paths": FONTS}
    assert typst.compile(source.encode(), format="pdf", sys_inputs={"kept": kept}, **options)


def test_what_is_very_long_is_cut_on_the_page_and_whole_in_the_attachment(organisation, auditor):
    make_item(organisation, user_text="word " * 50_000)

    content = written(auditor, "pdf")

    assert "230000morecharacters,whichtheattachedreporthas" in text_of(content)
    assert lines(attachments_of(content)["report.jsonl"])[1]["question"] == "word " * 50_000


def test_a_long_one_is_typeset_elsewhere_and_comes_to_the_same_bytes(tmp_path):
    template = tmp_path / "short.typ"
    template.write_text(
        '#set document(title: "T", date: datetime(year: 2026, month: 1, day: 1))\n#set text(lang: "en")\n#sys.inputs.words', "utf-8"
    )
    sheets = Sheets(str(template), str(tmp_path), {"words": "as it is"}, 1_000_000)

    assert typeset(sheets, is_long=True) == typeset(sheets)
