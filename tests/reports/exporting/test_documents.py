"""Formats that are one document are written in pieces, and are what they are as a whole."""

from __future__ import annotations

import hashlib
import json
from itertools import islice, product
from operator import itemgetter

import pytest

from reviewers.reports.exports import chunks, writers
from reviewers.reports.exports.actions import finish
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.loading import list_keys
from reviewers.reports.models import ExportChunk
from tests.factories import NOW, make_item, make_member
from tests.reports.exporting.made import make_export, make_pending, written
from tests.review.signed import submit
from tests.sampling import sampled

DOCUMENTS = [form.name for form in FORMATS.values() if form.document]


@pytest.mark.parametrize("form", DOCUMENTS)
def test_one_document_is_the_same_in_pieces_of_any_size(organisation, auditor, alice, form, monkeypatch):
    monkeypatch.setattr(chunks, "PIECE", 300)
    monkeypatch.setattr("reviewers.reports.exports.loading.BATCH", 2)
    for number in range(5):
        submit(make_item(organisation, id=f"answer-{number}"), alice)

    export = make_export(auditor, form)

    kept = [piece for piece in chunks.pieces(export, chunks.FILE) if piece]
    assert {len(piece) for piece in kept[:-1]} == {300}
    assert b"".join(kept) == written(auditor, form)
    assert json.loads(written(auditor, form))
    assert hashlib.sha256(b"".join(kept)).digest() == bytes(export.result.digest)
    assert set(ExportChunk.objects.filter(export=export).values_list("name", flat=True)) == {chunks.FILE}


@pytest.mark.parametrize(("form", "done"), sampled(product([*DOCUMENTS, "html"], range(4)), itemgetter(0), itemgetter(1)))
def test_one_that_is_ended_in_between_is_gone_on_with_behind_the_last_piece(organisation, auditor, form, done, monkeypatch):
    monkeypatch.setattr("reviewers.reports.exports.loading.BATCH", 2)
    for number in range(5):
        submit(make_item(organisation), make_member(organisation, name=f"Reviewer {number // 2}"))
    whole = make_export(auditor, form)
    again = make_pending(auditor, form)
    with monkeypatch.context() as killed:
        killed.setattr(writers, "list_keys", lambda *told, **more: _then_killed(islice(list_keys(*told, **more), done)))
        with pytest.raises(KeyboardInterrupt):
            finish(export=again, by=auditor, now=NOW)
    written_again = []
    monkeypatch.setattr(writers, "list_keys", lambda *told, **more: _noted(list_keys(*told, **more), written_again))

    finish(export=again, by=auditor, now=NOW)

    assert bytes(again.result.digest) == bytes(whole.result.digest)
    assert again.result.snapshots == whole.result.snapshots
    assert len(written_again) == 3 - done
    assert set(ExportChunk.objects.filter(export=again).values_list("name", flat=True)) == {chunks.FILE}


def _then_killed(batches):
    yield from batches
    raise KeyboardInterrupt


def _noted(batches, noted):
    for batch in batches:
        noted.append(batch)
        yield batch


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_document_of_no_answers_is_one(organisation, auditor, form):
    make_export(auditor, form)

    assert isinstance(json.loads(written(auditor, form)), dict | list)
    assert b"".join(chunks.pieces(make_export(auditor, form), chunks.FILE)) == written(auditor, form)
