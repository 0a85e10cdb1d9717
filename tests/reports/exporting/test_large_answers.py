"""Reports of answers that are larger than their records: they stop no request, and fill no memory."""

from __future__ import annotations

import json

import pytest

from reviewers.accounts.models import Role
from reviewers.reports.exports import loading
from reviewers.reports.exports.actions import MOST_CITED, MOST_WRITTEN, finish, make_report
from reviewers.reports.exports.formats import pdf, typesetting
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.formats.typesetting import Sheets, TooLong, typeset
from reviewers.reports.exports.loading import list_keys
from reviewers.reports.models import ExportChunk, ExportResult
from reviewers.review.models import QueueItem
from tests.factories import NOW, make_item, make_member, make_organisation
from tests.reports.exporting.made import lines, make_export, make_pending, of_item, written
from tests.reports.exporting.test_printed import attachments_of, text_of

WORDS = "word " * 19_000


def make_repeating(organisation, count=1_300):
    """An answer of which each citation says that it stands for nearly all of it."""
    citations = [{"source_id": "a", "answer_span": [number % 7, 90_000 + number // 7]} for number in range(count)]
    return make_item(organisation, response=WORDS, documents=[{"id": "a", "content": "word alpha beta."}], citations=citations)


def test_a_report_of_a_small_answer_that_says_much_of_it_is_left_to_the_worker(organisation, auditor):
    item = make_repeating(organisation)
    assert len(bytes(item.snapshot.record)) < 200_000
    assert len(bytes(item.attribution.documents.document)) < MOST_CITED

    large, small = make_export(auditor, "html", of_item(item.pk)), make_export(auditor, "html", of_item(make_item(organisation).pk))

    assert list(ExportResult.objects.values_list("export", flat=True)) == [small.pk]
    assert not ExportChunk.objects.filter(export=large).exists()
    finish(export=large, by=auditor, now=NOW)
    assert large.result.size > MOST_WRITTEN


def test_a_report_repeats_no_more_of_an_answer_than_the_engine_tells(organisation, auditor):
    item = make_repeating(organisation)

    content = written(auditor, "jsonl", of_item(item.pk))

    (answer,) = [line for line in map(json.loads, content.splitlines()) if line.get("external_id") == item.snapshot.external_id]
    claims = [cited["claim"]["text"] for document in answer["documents"] for cited in document["citations"] if cited["claim"]]
    assert 0 < sum(map(len, claims)) <= 2_000_000
    assert "claims" in next(each["message"] for each in answer["findings"] if each["code"] == "read_in_part")


def test_so_many_fields_and_citations_of_an_answer_are_printed_and_the_attached_report_has_all(organisation, auditor, monkeypatch):
    """All five thousand citations of one answer took seven hundred megabytes to typeset."""
    monkeypatch.setattr(pdf, "MOST_ROWS", 3)
    documents = [{"id": f"leaflet-{number}", "content": "We open at nine."} for number in range(3)]
    item = make_item(
        organisation,
        response="We open at nine [1][2]. We open at nine [3][1].",
        context={"safety": {f"opening_{number}": "nine" for number in range(5)}},
        documents=documents,
    )

    content = written(auditor, "pdf", of_item(item.pk, all_fields=True))

    text = text_of(content)
    assert "And2morefields,whichtheattachedreporthas." in text
    assert "And1morecitations,whichtheattachedreporthas." in text
    (answer,) = [each for each in lines(attachments_of(content)["report.jsonl"]) if "rows" in each]
    assert (len(answer["rows"]), sum(len(each["citations"]) for each in answer["documents"])) == (5, 4)


def test_few_large_answers_are_read_at_once_and_many_small_ones(organisation, monkeypatch):
    large = {"context": {"safety": {f"field_{number}": "word " * 200 for number in range(900)}}}
    for more in (large, large, {}, {}, {}):
        make_item(organisation, **more)
    monkeypatch.setattr(loading, "_PAGES_OF_BATCH", 50)

    assert [len(keys) for keys in list_keys(QueueItem.objects.all())] == [1, 1, 3]


@pytest.mark.usefixtures("committed")
def test_the_worker_makes_every_form_with_each_step_in_a_transaction_of_its_own():
    """It has none around them: rows are read by the tenant that a transaction is told."""
    organisation = make_organisation()
    auditor = make_member(organisation, Role.AUDITOR)
    make_item(organisation)

    for export in [make_pending(auditor, form) for form in FORMATS]:
        make_report(export=str(export.pk), organisation=str(organisation.pk))

    assert [len(result.snapshots) for result in ExportResult.objects.all()] == [1] * len(FORMATS)


def test_a_document_that_takes_too_much_memory_is_not_typeset(tmp_path, monkeypatch):
    template = tmp_path / "large.typ"
    template.write_text("#let numbers = range(100000000)\n#numbers.len()", "utf-8")
    monkeypatch.setattr(typesetting, "MOST_MEMORY", 1024**3)

    with pytest.raises(TooLong):
        typeset(Sheets(str(template), str(tmp_path), {}, 1_000_000), is_long=True)
