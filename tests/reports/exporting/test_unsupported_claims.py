"""Unsupported claims in reports: their words, who says so, and the counts."""

from __future__ import annotations

import pytest

from reviewers.reports.exports.summary import kinds_of
from reviewers.review.labels import actions
from tests.factories import NOW, claim_words, make_item
from tests.reports.exporting.made import report_of, written
from tests.review.plans.planning import label_all

WORDS = "risk is elevated"


@pytest.fixture
def claimed(organisation, alice):
    item = make_item(organisation)
    claim_words(item, alice, words=WORDS, note="a zeppelin")
    label_all(item, alice)
    actions.submit(item_id=item.pk, by=alice, now=NOW)
    return item


@pytest.mark.parametrize("name", ["jsonl", "csv", "html"])
def test_words_and_notes_are_in_the_report(claimed, auditor, name):
    file = written(auditor, name).decode()

    assert WORDS in file
    assert "a zeppelin" in file


def test_the_words_have_their_place_and_their_reviewer(claimed, auditor):
    (answer,) = report_of(auditor).answers

    (claim,) = answer.unsupported
    assert answer.text[claim.place.start : claim.place.end] == WORDS
    assert [(each.reviewer, each.verdict, each.note) for each in claim.said] == [("Alice Aldous", "unsupported", "a zeppelin")]
    assert "not_in_record" in set(kinds_of(answer))


def test_a_workbook_and_a_pdf_are_written(claimed, auditor):
    assert written(auditor, "xlsx")
    assert written(auditor, "pdf").startswith(b"%PDF")
