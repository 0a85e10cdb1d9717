"""A report that is too long for one PDF comes in volumes, with a page of contents."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import pypdf
import pytest

from reviewers.accounts.models import Role
from reviewers.ledger.logs import newest_key, verifier_of
from reviewers.ledger.merkle.receipt import open_receipt
from reviewers.ledger.models import Log
from reviewers.reports.exports import volumes
from reviewers.reports.exports.actions import ask_for, make_report
from reviewers.reports.exports.formats import typesetting
from reviewers.reports.exports.formats.registry import VOLUMES
from reviewers.reports.exports.loading import list_keys
from reviewers.reports.exports.volumes import ZipEntry, add_file, close_archive, cut, weigh
from reviewers.reports.models import ExportChunk, ExportResult
from reviewers.review.models import QueueItem
from reviewers.web.models import uuid7
from tests.factories import CITED, NOW, make_item, make_member, sign_in
from tests.ledger.sealed import seal_now
from tests.reports.exporting.made import EVERYTHING, make_pending, make_volumes, report_of
from tests.review.plans.planning import make_plan
from tests.sampling import sampled

NAMES = ["report-0-contents.pdf", "report-1-of-3.pdf", "report-2-of-3.pdf", "report-3-of-3.pdf"]


@pytest.fixture
def five(organisation):
    for number in range(5):
        make_item(organisation, id=f"answer-{number}")
    seal_now(organisation.pk)


@pytest.fixture
def archive(five, auditor):
    return zipfile.ZipFile(io.BytesIO(make_volumes(auditor)))


def text_of(content):
    return " ".join("".join(page.extract_text().replace("\u200b", "") for page in pypdf.PdfReader(io.BytesIO(content)).pages).split())


def attached_to(content, name):
    return pypdf.PdfReader(io.BytesIO(content)).attachments[name][0]


def test_each_volume_says_which_it_is_and_has_its_answers(archive):
    names = archive.namelist()
    texts = [text_of(archive.read(name)) for name in names]

    assert names == NAMES
    assert archive.testzip() is None
    assert [[number for number in range(5) if f"answer-{number}" in text] for text in texts] == [[], [0, 1], [2, 3], [4]]
    assert "All answers, contents of 3 volumes" in texts[0]
    for text, words in zip(texts[1:], ("1 of 3, answers 1 to 2", "2 of 3, answers 3 to 4", "3 of 3, answers 5 to 5"), strict=True):
        assert f"All answers, volume {words}" in text
    assert ["Where confidences come from" in text for text in texts] == [True, False, False, False]
    assert [f"Of {number} answer" in text for number, text in zip((5, 2, 2, 1), texts, strict=True)] == [True] * 4


def test_the_contents_name_each_volume_with_its_digest(archive):
    text = text_of(archive.read(NAMES[0]))

    for name, answers in zip(NAMES[1:], ("1 to 2", "3 to 4", "5 to 5"), strict=True):
        assert f"{name} {answers} 4 Mar 2026, " in text
        assert f"sha256:{hashlib.sha256(archive.read(name)).hexdigest()}" in text.replace(" ", "")


def test_each_volume_has_its_own_answers_and_what_proves_their_events_attached(archive, auditor):
    log = Log.objects.get()
    verifier = verifier_of(newest_key(log), log)
    whole = {event.id for answer in report_of(auditor).answers for event in answer.events}
    proven, numbers = set(), []

    for name in NAMES[1:]:
        content = archive.read(name)
        head, *answers, end = map(json.loads, attached_to(content, "report.jsonl").splitlines())
        assert (head["part"], end["part"], end["answers"]) == ("head", "end", len(answers))
        assert all(f"Checkpoint {each['origin']}" in text_of(content) for each in end["checkpoints"])
        numbers += [each["number"] for each in answers]
        for event, receipt in json.loads(attached_to(content, "receipts.json")).items():
            assert json.loads(open_receipt(receipt, [verifier]).content)["id"] == event
            proven.add(event)
    assert numbers == [1, 2, 3, 4, 5]
    assert proven == whole


def test_the_same_report_is_the_same_archive(five, auditor):
    assert make_volumes(auditor) == make_volumes(auditor)


def test_a_report_of_no_answers_is_one_volume(organisation, auditor):
    archive = zipfile.ZipFile(io.BytesIO(make_volumes(auditor)))

    assert archive.namelist() == ["report-0-contents.pdf", "report-1-of-1.pdf"]
    assert "volume 1 of 1, no answers" in text_of(archive.read("report-1-of-1.pdf"))


@pytest.mark.parametrize("done", sampled(range(4), more=1))
def test_one_that_is_ended_in_between_is_gone_on_with_behind_the_last_volume(five, auditor, done, monkeypatch):
    whole = make_pending(auditor, VOLUMES)
    expected = make_volumes(auditor, export=whole)
    again = make_pending(auditor, VOLUMES)
    steps = [chunk.number for chunk in ExportChunk.objects.filter(export=whole, name="file").order_by("number") if chunk.state.get("logs")]
    for chunk in ExportChunk.objects.filter(export=whole):
        if chunk.name != "file" or chunk.number <= steps[done]:
            chunk.pk, chunk.export = uuid7(), again
            chunk.save(force_insert=True)
    typeset = []
    monkeypatch.setattr(volumes, "volume_of", lambda *told: typeset.append(told[1]) or VOLUME_OF(*told))

    assert make_volumes(auditor, export=again) == expected
    assert typeset == [1, 2, 3][done:]
    assert bytes(again.result.digest) == bytes(whole.result.digest)
    assert (len(again.result.snapshots), again.result.snapshots) == (5, whole.result.snapshots)


VOLUME_OF = volumes.volume_of


def test_what_comes_in_meanwhile_is_not_in_it(five, organisation, auditor, monkeypatch):
    def volume_of(*told):
        make_item(organisation, answered_at="2026-03-03T19:42:07-06:00")
        return VOLUME_OF(*told)

    monkeypatch.setattr(volumes, "volume_of", volume_of)
    archive = zipfile.ZipFile(io.BytesIO(make_volumes(auditor)))

    assert archive.namelist() == NAMES
    assert "5 to 5" in text_of(archive.read(NAMES[0]))


def test_volumes_hold_fewer_answers_where_these_take_more_pages(organisation):
    long = {"context": {"safety": {f"field_{number}": "word " * 200 for number in range(2_000)}}}
    for _ in range(3):
        make_item(organisation, **long)
    make_item(organisation)
    items = QueueItem.objects.all()

    light, heavy = (list(cut(weigh(items, all_fields=all_fields), 100)) for all_fields in (False, True))

    assert ([len(keys) for keys in light], [len(keys) for keys in heavy]) == ([2, 2], [1, 1, 2])
    assert [key for keys in heavy for key in keys] == next(list_keys(items))


def make_citing(organisation, count):
    """An answer that cites two documents so many times."""
    words = " ".join(f"Adults start with {number} mg in the evening [{1 + number % 2}]." for number in range(count))
    return make_item(organisation, **CITED | {"response": words})


@pytest.mark.exhaustive
def test_volumes_hold_fewer_answers_where_these_cite_more(organisation):
    for _ in range(3):
        make_citing(organisation, 4_000)
    item = make_citing(organisation, 4_000)
    items = QueueItem.objects.all()
    weights = [weight for _, weight in weigh(items, all_fields=False)]

    assert min(weights) > 50
    assert len(list(cut(weigh(items, all_fields=False), 100))) > 1
    QueueItem.objects.filter(pk=item.pk).update(plan=make_plan(make_member(organisation, Role.LEAD), is_blind=True), is_blind=True)
    assert [weight for _, weight in weigh(items, all_fields=False)][-1] < weights[-1] / 2


def test_few_answers_with_many_citations_come_in_volumes(organisation, auditor, monkeypatch):
    make_citing(organisation, 400)
    make_citing(organisation, 400)
    assert ask_for(scope=EVERYTHING, form="pdf", reason="all", by=auditor, now=NOW, at_once=-1).form == "pdf"
    monkeypatch.setattr(volumes, "_MOST_PAGES", 5)

    assert ask_for(scope=EVERYTHING, form="pdf", reason="all", by=auditor, now=NOW, at_once=-1).form == VOLUMES


def test_a_volume_that_takes_too_long_ends_the_report_with_a_reason(five, auditor, monkeypatch):
    monkeypatch.setattr(typesetting, "MOST_SECONDS", 0)
    export = make_pending(auditor, VOLUMES)

    make_report(export=str(export.pk), organisation=str(export.organisation_id))

    result = ExportResult.objects.get(export=export)
    assert (result.outcome, result.reason) == ("failed", "some of its answers take too long to print; choose a web page or CSV")


def test_the_page_tells_how_many_answers_are_done(five, auditor, monkeypatch):
    export, seen = make_pending(auditor, VOLUMES), []
    client = sign_in(auditor)

    def volume_of(*told):
        seen.append(client.get(f"/exports/{export.pk}/").content.decode())
        return VOLUME_OF(*told)

    monkeypatch.setattr(volumes, "volume_of", volume_of)
    make_volumes(auditor, export=export)

    assert [f"<b>{done}</b> of 5 answers" in page for done, page in zip((0, 2, 4), seen, strict=True)] == [True, True, True]


def test_an_archive_may_be_larger_than_four_gigabytes(tmp_path):
    """With a hole where the files before would stand, which takes no room."""
    size = 3 * 1024**3
    first = ZipEntry("first.pdf", size, 0, 0)
    second = ZipEntry("second.pdf", size, 0, first.end)
    entry, stored = add_file("behind.pdf", b"something", [first, second])
    with (tmp_path / "large.zip").open("wb") as file:
        file.seek(second.end)
        file.write(stored)
        file.write(close_archive([first, second, entry], [entry, first, second]))

    with zipfile.ZipFile(tmp_path / "large.zip") as archive:
        assert archive.namelist() == ["behind.pdf", "first.pdf", "second.pdf"]
        assert archive.read("behind.pdf") == b"something"
        assert archive.getinfo("second.pdf").header_offset == first.end
