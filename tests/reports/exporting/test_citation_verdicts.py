"""Verdicts on citations in reports: a source that says otherwise is told from one that does not say it, in every format."""

from __future__ import annotations

import io

import pytest

from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.models import CitationVerdict
from tests.factories import CITED, NOW, choose, make_item
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import lines, make_bundle, report_of, written
from tests.review.plans.planning import review


@pytest.fixture
def contradicted(organisation, alice):
    """Alice says of the first citation that its source contradicts it, of the second that its source does not say it."""
    item = make_item(organisation, **CITED)
    for number, verdict in enumerate((CitationVerdict.CONTRADICTS, CitationVerdict.DOES_NOT_SAY)):
        save_citation_label(choice=choose(item, number), verdict=verdict, by=alice, now=NOW)
    review(item, alice)
    seal_now(organisation.pk)
    return item


@pytest.mark.parametrize("name", ["html", "csv", "jsonl", "labels", "label_studio", "prov"])
def test_both_verdicts_stand_in_every_format_that_has_labels(contradicted, auditor, name):
    text = written(auditor, name).decode()

    assert "contradicts" in text
    assert ("does not say" if name == "html" else "does_not_say") in text


def test_in_annotations_the_label_tells_apart_what_the_score_does_not(contradicted, auditor):
    said = {each["result"]["label"]: each["result"]["score"] for each in lines(written(auditor, "openinference"))}

    assert (said["contradicts"], said["does_not_say"]) == (0.0, 0.0)


def test_a_bundle_with_a_contradiction_verifies(contradicted, auditor):
    found = verify(io.BytesIO(make_bundle(auditor)))

    assert found.labels == sum(len(each.said) for each in _judged(report_of(auditor).answers[0]))


def _judged(answer):
    return [*answer.rows, *(each for document in answer.documents for each in document.citations)]
