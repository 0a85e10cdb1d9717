"""Reports of answers that parts were redacted of: nothing of what is gone, and still verified."""

from __future__ import annotations

import io

import openpyxl
import pypdf
import pytest

from reviewers.accounts.models import Role
from reviewers.ledger.merkle.notes import decode_base64
from reviewers.reports.exports import chunks
from reviewers.reports.exports.actions import STOPPED, finish
from reviewers.reports.exports.bundle.verifier.main import verify, words
from reviewers.reports.exports.bundle.writer import keep_bundle
from reviewers.reports.exports.formats.registry import FORMATS, VOLUMES
from reviewers.reports.models import ExportChunk
from tests.factories import NOW, make_item, make_member
from tests.ledger.sealed import seal_now
from tests.reports.exporting.changing import changed, doubt_of, unpack
from tests.reports.exporting.made import make_bundle, make_export, make_pending, of_item, report_of, written
from tests.review.redacting.redactable import CANARIES, lead_and_administrator, make_redactable, names_of, redact


@pytest.fixture
def auditor(organisation):
    return make_member(organisation, Role.AUDITOR, "Audra Ashe")


@pytest.fixture
def redacted(alice, organisation):
    """Everything that can be redacted of an item is; another item is as it was."""
    item = make_redactable(alice)
    seal_now(organisation.pk)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead), lead, administrator)
    make_item(organisation)
    return item


@pytest.mark.parametrize("form", sorted(name for name in FORMATS if name not in ("bundle", "pdf", VOLUMES, "xlsx")))
def test_no_format_holds_what_was_redacted(redacted, auditor, form):
    text = written(auditor, form).decode()

    assert [word for word in CANARIES.values() if word in text] == []


def test_neither_a_workbook_nor_a_pdf_holds_it(redacted, auditor):
    book = openpyxl.load_workbook(io.BytesIO(written(auditor, "xlsx")), read_only=True)
    cells = " ".join(str(cell) for sheet in book for row in sheet.values for cell in row)
    pages = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(written(auditor, "pdf"))).pages)

    assert [word for word in CANARIES.values() if word in cells or word in pages] == []
    assert "Leda Lund and Ada Abbot" in cells


def test_a_report_says_what_was_redacted_and_by_whom(redacted, auditor):
    (taken,) = report_of(auditor).answers[0].redactions

    assert taken.by == "Leda Lund and Ada Abbot"
    assert "the user’s message" in taken.parts
    assert "Leda Lund and Ada Abbot" in written(auditor, "html").decode()


def test_a_bundle_of_it_holds_and_counts_what_is_gone(redacted, auditor):
    bundle = make_bundle(auditor)
    found = verify(io.BytesIO(bundle))

    sealed_apart = CANARIES.keys() - {"client_reference", "conversation_id", "provider", "rest"}
    assert found.redacted > len(sealed_apart) / 2
    assert "redacted by two people: what was sealed of it is gone for good" in "\n".join(words(found, is_trusted=False))
    assert [word for word in CANARIES.values() if word.encode() in bundle] == []


def test_without_the_event_of_the_redaction_it_does_not_hold(redacted, auditor):
    def forget(lines):
        lines[:] = [line for line in lines if b"redaction.approved" not in decode_base64(line["body"])]

    assert "not disclosed" in doubt_of(changed(unpack(make_bundle(auditor)), "events.jsonl", forget))


def test_copies_that_were_made_before_are_let_go_of(alice, organisation, auditor):
    item, other = make_redactable(alice), make_item(organisation)
    lead, administrator = lead_and_administrator(alice)
    gone, kept = (make_export(auditor, scope=of_item(each.pk)) for each in (item, other))
    pending = make_pending(auditor)

    bundle = make_export(auditor, "bundle", of_item(item.pk))
    seal_now(organisation.pk)
    redact(item, names_of(item, lead, "response"), lead, administrator)

    assert not keep_bundle(bundle)
    assert (chunks.is_kept(gone), chunks.is_kept(kept)) == (False, True)
    assert pending.result.reason == STOPPED
    assert finish(export=pending, by=auditor, now=NOW) is None
    assert not ExportChunk.objects.filter(export=pending).exists()
