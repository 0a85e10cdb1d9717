"""The stored file of a report is verified with the ledger: whoever downloads it gets what was made."""

from __future__ import annotations

import zlib
from datetime import timedelta

import pytest

from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.reports.exports import actions, chunks
from reviewers.reports.exports.bundle.writer import check_bundles, keep_bundle
from reviewers.reports.exports.chunks import check_report_files
from reviewers.reports.models import ExportChunk
from tests.factories import NOW, make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import make_bundle, make_export, make_volumes


def test_what_was_made_agrees_in_each_way_of_making_it(organisation, lead):
    for _ in range(3):
        make_item(organisation)
    for form in ("jsonl", "csv", "pdf", "html"):
        make_export(lead, form)
    make_bundle(lead)
    make_volumes(lead)

    check_report_files(organisation.pk)
    check_bundles(organisation.pk)


@pytest.mark.parametrize("name", [chunks.VERIFIER, chunks.EVENTS, chunks.DOCUMENTS, chunks.BUNDLE])
def test_a_piece_of_a_bundle_that_was_changed_afterwards_is_found(organisation, lead, name):
    make_item(organisation)
    export = make_export(lead, "bundle")
    seal_now(organisation.pk)
    assert keep_bundle(export)
    check_bundles(organisation.pk)
    (kept,) = ExportChunk.objects.filter(export=export, name=name)
    changed = chunks.piece(kept.pk).swapcase()
    ExportChunk.objects.filter(pk=kept.pk).update(content=zlib.compress(changed))

    with pytest.raises(LedgerMismatch, match="is not the bundle of this report that was made"):
        check_bundles(organisation.pk)


@pytest.mark.parametrize("change", ["a word", "the order"])
def test_a_file_that_was_changed_afterwards_is_found(organisation, lead, change):
    """As the web's role may: pieces are no records, because they are deleted after some days."""
    make_item(organisation)
    export = make_export(lead, "csv")
    kept = ExportChunk.objects.filter(export=export, name=chunks.FILE)
    first = next(each for each in kept.order_by("number") if chunks.piece(each.pk))
    if change == "a word":
        kept.filter(pk=first.pk).update(content=zlib.compress(chunks.piece(first.pk).swapcase()))
    else:
        kept.filter(pk=first.pk).update(number=1_000)

    with pytest.raises(LedgerMismatch, match="is not the file of this report that was made"):
        check_report_files(organisation.pk)


def test_a_file_that_cannot_be_read_any_more_is_found(organisation, lead):
    export = make_export(lead, "csv")
    ExportChunk.objects.filter(export=export, name=chunks.FILE).update(content=b"nothing")

    with pytest.raises(LedgerMismatch):
        check_report_files(organisation.pk)


def test_a_file_that_was_deleted_in_its_time_is_not_missed(organisation, lead):
    make_export(lead, "csv")
    actions.forget(organisation_id=organisation.pk, before=NOW + timedelta(days=1))

    check_report_files(organisation.pk)
