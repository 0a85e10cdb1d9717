"""Reports of answers that parts were redacted of: nothing of what is gone, and still verified."""

from __future__ import annotations

import io
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

import openpyxl
import pypdf
import pytest
from django.db import connections, transaction
from hypothesis import given
from hypothesis import strategies as st

from reviewers.accounts.models import Role
from reviewers.ledger.commitments import commit_part
from reviewers.ledger.merkle.notes import decode_base64, encode_base64
from reviewers.reports.exports import chunks
from reviewers.reports.exports.actions import STOPPED, finish
from reviewers.reports.exports.bundle.verifier import claims
from reviewers.reports.exports.bundle.verifier.claims import AnswerChecker, Documents
from reviewers.reports.exports.bundle.verifier.events import Disclosed, Events, read_checkpoints, read_keys
from reviewers.reports.exports.bundle.verifier.files import VerificationFailed, open_bundle
from reviewers.reports.exports.bundle.verifier.main import verify, words
from reviewers.reports.exports.bundle.writer import keep_bundle
from reviewers.reports.exports.formats.registry import FORMATS, VOLUMES
from reviewers.reports.models import ExportChunk
from reviewers.snapshots.redactable_parts import sealed_name
from reviewers.web.config import OWNER
from tests.factories import NOW, make_item, make_member, make_organisation
from tests.ledger.sealed import seal_now
from tests.reports.exporting.changing import changed, doubt_of, lines_of, pack, unpack
from tests.reports.exporting.made import make_bundle, make_export, make_pending, of_item, report_of, written
from tests.review.redacting.redactable import CANARIES, RECORD, lead_and_administrator, make_redactable, names_of, redact


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


def test_what_is_not_redacted_cannot_be_withheld_as_if_it_were(alice, organisation, auditor):
    """Whoever has the bundle knows the salts, and can put a commitment in the place of each text that is disclosed."""
    item = make_redactable(alice)
    seal_now(organisation.pk)
    redact(item, ["user_text"], *lead_and_administrator(alice))
    files = unpack(make_bundle(auditor))
    disclosed = [(number, place) for number, place, part in _parts_of(files) if "name" in part]

    assert len(disclosed) > 3
    for number, place in disclosed:
        assert doubt_of(changed(files, "events.jsonl", withhold(number, place))), (number, place)


def _parts_of(files):
    return [(n, place, part) for n, line in enumerate(lines_of(files, "events.jsonl")) for place, part in enumerate(line["parts"])]


def withhold(number, place):
    def change(lines):
        part = lines[number]["parts"][place]
        commitment = commit_part(decode_base64(part["salt"]), part["name"], decode_base64(part["content"]))
        lines[number]["parts"][place] = {"commitment": encode_base64(commitment)}

    return change


def test_what_a_report_says_of_a_text_that_nothing_opens_can_only_be_bars(alice, organisation, auditor):
    """Also where the site itself says other words in a report that it seals."""
    item = make_redactable(alice)
    seal_now(organisation.pk)
    redact(item, ["user_text"], *lead_and_administrator(alice))
    files = unpack(make_bundle(auditor))
    (answer,) = [line for line in lines_of(files, "report.jsonl") if line["part"] == "answer"]
    with open_bundle(pack(files)) as opened:
        events = Events(opened, read_checkpoints(opened, read_keys(opened, ())))
        disclosed = Disclosed(events)
        checker = AnswerChecker(events, disclosed, Documents(opened))
        for event in events.prove():
            disclosed.check(event)
            checker.meet(event)

        with pytest.raises(VerificationFailed, match="what was asked: what was sealed of it is not disclosed"):
            checker.check(answer | {"question": "May I take all of them?"})


@pytest.mark.parametrize("kind", ["response", "user_text", "context.safety.risk_level", "context.history", "documents", "rest", "note"])
def test_a_bundle_holds_whichever_part_is_redacted(alice, organisation, auditor, kind):
    item = make_redactable(alice)
    seal_now(organisation.pk)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, kind)[:1], lead, administrator)

    assert doubt_of(io.BytesIO(make_bundle(auditor, of_item(item.pk, all_fields=True)))) == ""


ALIKE = {
    "of a section with a dot": {"a.b": {"c": "kalimba"}, "a": {"b": {"c": "kalimba"}}},
    "of a section with a backslash": {"a\\": {"b": "kalimba"}, "a": {"\\.b": "kalimba"}},
    "beside nothing": {"a": {"b": [{}, {"c": "kalimba"}], "d": [{}]}},
}
"""Contexts whose fields have names that look alike, or that lead through nothing."""


@pytest.mark.parametrize("name", ALIKE)
def test_a_bundle_holds_whichever_field_is_redacted(organisation, alice, auditor, name):
    lead, administrator = lead_and_administrator(alice)
    fields = names_of(make_item(organisation, context=ALIKE[name]), lead, "context.")
    for chosen in (*([field] for field in fields), fields):
        item = make_item(organisation, context=ALIKE[name])
        redact(item, chosen, lead, administrator)

        assert verify(io.BytesIO(make_bundle(auditor, of_item(item.pk, all_fields=True)))).answers == 1


@given(section=st.text(max_size=4, alphabet=".\\a"), path=st.text(max_size=4, alphabet=".\\a"))
def test_the_verifier_has_the_same_names_of_fields(section, path):
    assert claims.sealed_name(section, path) == sealed_name(section, path)


@pytest.mark.usefixtures("committed")
def test_a_report_that_is_made_while_something_is_redacted_does_not_hold_it():
    """It has read the answer, and waits before it has a result; nobody else sees yet that somebody asked for it."""
    organisation = make_organisation()
    item, auditor = make_item(organisation, **RECORD), make_member(organisation, Role.AUDITOR, "Aude Aare")
    people = lead_and_administrator(make_member(organisation))
    calls = (partial(make_export, auditor), partial(redact, item, ["response", "user_text"], *people))

    def in_thread(call):
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool, connections[OWNER].cursor() as gate, transaction.atomic(using=OWNER):
        gate.execute("LOCK TABLE reports_exportresult IN SHARE MODE")
        making = pool.submit(copy_context().run, in_thread, calls[0])
        _wait_for(gate, 1, making)
        redacting = pool.submit(copy_context().run, in_thread, calls[1])
        _wait_for(gate, 2, redacting)
        transaction.set_rollback(True, using=OWNER)

    redacting.result()
    assert not any(b"nightingale" in zlib.decompress(bytes(each.content)) for each in making.result().chunks.all())


def _wait_for(gate, count, call):
    """Wait until so many wait for a lock, or the call is done."""
    waiting = 0
    while waiting < count and not call.done():
        gate.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        (waiting,) = gate.fetchone()
