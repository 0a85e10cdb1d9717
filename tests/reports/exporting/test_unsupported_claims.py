"""Unsupported claims in reports: their words, who says so, and the counts."""

from __future__ import annotations

import io

import pytest

from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.reports.exports.summary import kinds_of
from reviewers.review.adjudication.actions import decide_conflict
from reviewers.review.labels import actions
from tests.factories import NOW, claim_words, make_item
from tests.reports.exporting.changing import changed, doubt_of, unpack
from tests.reports.exporting.made import make_bundle, report_of, written
from tests.review.deciding.cases import REASON, case_of, ruling_of
from tests.review.plans.planning import label_all, review, run_blind

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


def test_a_bundle_verifies_them_and_notices_another_note(claimed, auditor):
    bundle = make_bundle(auditor)
    verify(io.BytesIO(bundle))

    def rewrite(lines):
        (answer,) = [line for line in lines if line.get("unsupported")]
        answer["unsupported"][0]["said"][0]["note"] = "a zeppelim"

    assert "it is not what was recorded: note" in doubt_of(changed(unpack(bundle), "report.jsonl", rewrite))


def test_a_deidentified_report_leaves_out_the_note(claimed, auditor):
    (answer,) = report_of(auditor, ReportScope(ScopeKind.PERIOD, profile=DisclosureProfile.DEIDENTIFIED)).answers

    (claim,) = answer.unsupported
    assert answer.text[claim.place.start : claim.place.end] == claim.place.text
    assert "zeppelin" not in str(claim.said)
    assert "Aldous" not in str(claim.said)


@pytest.fixture
def decided(organisation, alice, bob, lead):
    """A claim of one of two reviewers, which a lead found in the record."""
    item = make_item(organisation)
    run_blind(lead)
    claim_words(item, alice, words=WORDS, note="a zeppelin")
    review(item, alice)
    review(item, bob)
    (row,) = case_of(item, lead).conflicts
    decide_conflict(ruling=ruling_of(item, row, "supported"), by=lead, now=NOW)
    return item


def test_what_a_lead_decided_of_the_words_is_in_the_report(decided, lead, auditor):
    (answer,) = report_of(auditor).answers

    (told,) = [each for each in answer.decisions if each.kind == "claim"]
    assert (told.name, told.outcome, told.verdict, told.by, told.reason) == ("claim 1", "decided", "supported", lead.user.name, REASON)
    assert f"Claim “{WORDS}”: in the record, decided by {lead.user.name}" in written(auditor, "html").decode()
    assert "claim 1,decided" in written(auditor, "csv").decode()
    verify(io.BytesIO(make_bundle(auditor)))


def test_words_that_nobody_has_decided_yet_are_a_conflict_in_the_report(organisation, alice, bob, lead, auditor):
    item = make_item(organisation)
    run_blind(lead)
    claim_words(item, alice, words=WORDS)
    review(item, alice)
    review(item, bob)

    (answer,) = report_of(auditor).answers
    assert [each.outcome for each in answer.decisions if each.kind == "claim"] == ["conflict"]
    assert "conflict" in set(kinds_of(answer))
