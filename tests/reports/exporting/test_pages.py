"""The pages of exports: asked for with a reason and a proof, made, taken, and listed for good."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zlib
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from json import JSONDecodeError

import pytest
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.jobs import Job

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Role
from reviewers.ledger.jobs import request_verification
from reviewers.reports.exports import actions, chunks, queries
from reviewers.reports.exports.actions import (
    UntilSealed,
    defer_packing,
    finish,
    forget,
    give_up_lost_reports,
    make_report,
    pack_report,
    write_export,
)
from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.reports.exports.bundle.writer import NotSealedYet
from reviewers.reports.exports.chunks import keep
from reviewers.reports.exports.formats.registry import FORMATS, offered_formats
from reviewers.reports.models import Export, ExportChunk, ExportResult
from reviewers.web.jobs import LONG, lock_of
from reviewers.web.models import uuid7
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, PASSWORD, make_item, make_member, make_organisation, sign_in, without_proofs
from tests.ledger.sealed import seal_now
from tests.reports.exporting.changing import unpack
from tests.reports.exporting.made import EVERYTHING, lines, make_export, make_pending, of_item
from tests.review.plans.planning import review, run_blind
from tests.review.signed import submit
from tests.statements import statements_of

IN_PIECES = [form.name for form in FORMATS.values() if form.is_lines]
FORM = {"kind": "period", "form": "jsonl", "reason": "the yearly audit"}


def ask(client, **changes):
    return client.post("/exports/create/", FORM | changes, follow=True)


def content_of(response) -> bytes:
    return b"".join(response.streaming_content)


@pytest.mark.parametrize("form", [form.name for form in offered_formats()])
def test_a_report_is_asked_for_made_and_taken(organisation, auditor, form):
    item = make_item(organisation)
    submit(item, make_member(organisation))
    client = sign_in(auditor)

    page = ask(client, kind="item", object=str(item.pk), form=form)
    seal_now(organisation.pk)
    export = Export.objects.get()
    taken = client.get(f"/exports/{export.pk}/file/")

    assert page.redirect_chain == [(f"/exports/{export.pk}/", 302)]
    assert taken.status_code == 200
    assert taken["Content-Type"] == FORMATS[form].content_type
    assert taken["Content-Disposition"].startswith('attachment; filename="footnote-item-')
    assert content_of(taken)
    done = [event["action"] for event in events() if event["action"].startswith("report.")]
    assert done == ["report.asked", "report.made", "report.taken"]


def test_what_is_taken_is_what_its_digest_is_of(organisation, auditor):
    make_item(organisation)
    export = make_export(auditor, "csv")
    content = content_of(sign_in(auditor).get(f"/exports/{export.pk}/file/"))

    assert hashlib.sha256(content).digest() == bytes(export.result.digest)
    assert len(content) == export.result.size
    assert next(csv.reader(io.StringIO(content.decode())))[0] == "answer"


def test_a_bundle_can_be_taken_once_its_last_event_is_sealed_and_holds(organisation, auditor):
    make_item(organisation)
    export = make_export(auditor, "bundle")
    client = sign_in(auditor)

    waiting = client.get(f"/exports/{export.pk}/")
    early = client.get(f"/exports/{export.pk}/file/")
    seal_now(organisation.pk)
    page, taken = client.get(f"/exports/{export.pk}/"), client.get(f"/exports/{export.pk}/file/")

    assert b"once its last event is sealed" in waiting.content
    assert early["Location"] == f"/exports/{export.pk}/"
    assert b"python verify.py" in page.content
    assert verify(io.BytesIO(content_of(taken))).answers == 1


def test_the_worker_packs_a_bundle_once_all_of_it_is_sealed(organisation, auditor):
    make_item(organisation)
    export = make_export(auditor, "bundle")
    told = {"export": str(export.pk), "organisation": str(organisation.pk)}
    client = sign_in(auditor)

    with pytest.raises(NotSealedYet):
        pack_report(**told)
    seal_now(organisation.pk)
    at_once = content_of(client.get(f"/exports/{export.pk}/file/"))
    pack_report(**told)
    pack_report(**told)

    kept = b"".join(chunks.pieces(export, chunks.BUNDLE))
    assert content_of(client.get(f"/exports/{export.pk}/file/")) == kept == at_once
    assert verify(io.BytesIO(kept)).sealed_since == 1
    waits = [UntilSealed().get_retry_decision(exception=NotSealedYet(), job=job_of(attempts)).retry_at for attempts in (0, 1, 20)]
    assert [round((wait - timezone.now()).total_seconds()) for wait in waits] == [2, 4, 600]
    assert UntilSealed().get_retry_decision(exception=KeyError(), job=job_of(0)) is None


def test_a_bundle_that_cannot_be_packed_says_so_until_it_can(organisation, auditor):
    make_item(organisation)
    export = make_export(auditor, "bundle")
    told = {"export": str(export.pk), "organisation": str(organisation.pk)}
    client = sign_in(auditor)
    seal_now(organisation.pk)
    evidence = export.chunks.filter(name=chunks.EVENTS)
    whole = {chunk.pk: bytes(chunk.content) for chunk in evidence}
    evidence.update(content=zlib.compress(b"no event at all"))

    for _ in range(2):
        with pytest.raises(JSONDecodeError):
            pack_report(**told)
    page, taken = client.get(f"/exports/{export.pk}/"), client.get(f"/exports/{export.pk}/file/")
    for pk, content in whole.items():
        evidence.filter(pk=pk).update(content=content)
    pack_report(**told)

    assert b"could not be packed" in page.content
    assert b"Not packed" in page.content
    assert b"verify.py" not in page.content
    assert b"hx-trigger" not in page.content.partition(b'id="made"')[2].partition(b">")[0]
    assert taken["Location"] == f"/exports/{export.pk}/"
    assert verify(io.BytesIO(content_of(client.get(f"/exports/{export.pk}/file/")))).answers == 1


def job_of(attempts):
    return Job(id=1, queue="", lock=None, queueing_lock=None, task_name="", attempts=attempts)


def test_a_long_bundle_is_not_packed_while_somebody_waits(organisation, auditor, monkeypatch):
    monkeypatch.setattr(queries, "WHILE_WAITING", 0)
    make_item(organisation)
    export = make_export(auditor, "bundle")
    seal_now(organisation.pk)
    client = sign_in(auditor)

    early, waiting = client.get(f"/exports/{export.pk}/file/"), client.get(f"/exports/{export.pk}/")
    pack_report(export=str(export.pk), organisation=str(organisation.pk))

    assert early["Location"] == f"/exports/{export.pk}/"
    assert b"of a long one minutes" in waiting.content
    assert verify(io.BytesIO(content_of(client.get(f"/exports/{export.pk}/file/")))).answers == 1


def test_who_has_not_just_proved_who_they_are_is_asked_and_then_it_goes_on(organisation, auditor):
    make_item(organisation)
    client = without_proofs(auditor)

    asked = client.post("/exports/create/", FORM)
    assert b"export what is recorded here" in asked.content
    assert not Export.objects.exists()
    client.post("/exports/create/", FORM | {"proof": "export", "password": PASSWORD})

    assert Export.objects.get().reason == "the yearly audit"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reason": " "}, "This field is required"),
        ({"form": "docx"}, "not one of the available choices"),
        ({"since": "2026-05-01", "until": "2026-04-01"}, "The last day lies before the first"),
        ({"kind": "plan"}, "Say which one"),
    ],
)
def test_what_cannot_be_is_said_beside_the_form(organisation, auditor, changes, words):
    make_item(organisation)

    page = ask(sign_in(auditor), **changes)

    assert page.status_code == 422
    assert words in page.content.decode()
    assert not Export.objects.exists()


def test_more_than_a_format_holds_is_refused_before_anything_is_written(organisation, auditor, monkeypatch):
    monkeypatch.setitem(FORMATS, "xlsx", replace(FORMATS["xlsx"], most=1))
    make_item(organisation)
    make_item(organisation)

    page = ask(sign_in(auditor), form="xlsx")

    refused = page.content.decode()
    assert "Workbook holds at most 1 answers, and these are 2. Choose fewer days, CSV or JSON lines." in refused
    assert "evidence, for anybody to verify without this site; at most 20,000 answers<" in refused
    assert not Export.objects.exists()


def test_a_long_pdf_comes_in_volumes_which_the_form_says_beforehand(organisation, auditor, lead, monkeypatch):
    monkeypatch.setitem(FORMATS, "pdf", replace(FORMATS["pdf"], most=1))
    make_item(organisation)
    make_item(organisation)
    plan = run_blind(lead)
    client = sign_in(auditor)

    form = client.get(f"/exports/new/?plan={plan.pk}").content.decode()
    page = ask(client, form="pdf", kind="plan", object=str(plan.pk))

    assert "with all of it attached; more than 1 answer come in volumes of at most 100, in one archive with a page of contents<" in form
    assert "</b>: 2, which as PDF come in volumes</p>" in form
    assert 'value="pdfs"' not in form
    assert "PDF in volumes" in page.content.decode()
    assert Export.objects.get().form == "pdfs"


def test_a_report_of_no_answers_says_that_there_are_none(organisation, auditor):
    make_item(organisation)
    client = sign_in(auditor)

    ask(client, until="1999-01-01", form="bundle")
    seal_now(organisation.pk)

    export = Export.objects.get()
    assert verify(io.BytesIO(content_of(client.get(f"/exports/{export.pk}/file/")))).answers == 0


def test_the_list_says_who_what_why_and_when_and_keeps_it(organisation, auditor, lead):
    item = make_item(organisation)
    make_export(auditor, "pdf", of_item(item.pk), reason="asked by the regulator")

    page = sign_in(lead).get("/exports/").content.decode()

    for words in ("Audra Ashe", "One answer", "asked by the regulator", "PDF", "sha256:", "Ready"):
        assert words in page


def test_the_disclosures_of_a_client_are_the_exports_that_have_their_answers(organisation, auditor):
    mine, other = make_item(organisation, client_reference="client-7"), make_item(organisation, client_reference="client-8")
    make_export(auditor, "csv", of_item(mine.pk), reason="the first one")
    make_export(auditor, "csv", of_item(other.pk), reason="the second one")
    client = sign_in(auditor)

    page = client.post("/exports/search/", {"client": "client-7"}, follow=True)

    assert "client-7" not in page.redirect_chain[-1][0]
    assert ("the first one" in page.content.decode(), "the second one" in page.content.decode()) == (True, False)
    (event,) = events("exports.searched")
    assert "client-7" not in json.dumps(event)


def test_a_lead_cannot_take_what_an_auditor_exported(organisation, auditor, lead):
    make_item(organisation)
    export = make_export(auditor)

    answer = sign_in(lead).get(f"/exports/{export.pk}/file/", follow=True)

    assert answer.redirect_chain == [(f"/exports/{export.pk}/", 302)]
    assert "it may show labels that you may not know yet" in answer.content.decode()
    assert events("report.taken") == []


def test_under_blind_review_a_lead_exports_question_and_answer_alone(organisation, lead, auditor, alice):
    item = make_item(organisation)
    run_blind(lead)
    review(item, alice, note="obsidian")

    def exported(by):
        export = make_export(by)
        return content_of(sign_in(by).get(f"/exports/{export.pk}/file/"))

    blind, open_ = exported(lead), exported(auditor)
    answer = lines(blind)[1]
    assert (answer["is_withheld"], answer["rows"], answer["notes"], answer["reviews"]) == (True, [], [], [])
    assert answer["question"]
    assert (b"obsidian" in blind, b"obsidian" in open_) == (False, True)


def test_a_bundle_of_a_blind_answer_holds_and_discloses_no_label(organisation, lead, alice):
    item = make_item(organisation)
    run_blind(lead)
    review(item, alice, note="obsidian")
    export = make_export(lead, "bundle")
    seal_now(organisation.pk)

    content = content_of(sign_in(lead).get(f"/exports/{export.pk}/file/"))

    found = verify(io.BytesIO(content))
    assert (found.blind, found.labels) == (1, 0)
    assert b"obsidian" not in b"".join(unpack(content).values())


@pytest.mark.parametrize(("form", "unsaid"), [*((form, "") for form in IN_PIECES), ("jsonl", "many")])
def test_a_long_report_that_is_ended_in_between_is_gone_on_with(organisation, auditor, form, unsaid, monkeypatch):
    """Also one that a version before this one began, which did not say whether events are ``many``."""
    monkeypatch.setattr("reviewers.reports.exports.loading.BATCH", 2)
    for number in range(5):
        submit(make_item(organisation), make_member(organisation, name=f"Reviewer {number // 2}"))
    whole = make_export(auditor, form)
    broken = make_pending(auditor, form)
    finish(export=broken, by=auditor, now=NOW)

    again = make_pending(auditor, form)
    kept = ExportChunk.objects.filter(export=broken)
    for chunk in kept.filter(number__lt=2):
        chunk.pk, chunk.export = uuid7(), again
        (chunk.state or {}).get("logs", {}).pop(unsaid, None)
        chunk.save(force_insert=True)
    finish(export=again, by=auditor, now=NOW)

    assert bytes(again.result.digest) == bytes(broken.result.digest) == bytes(whole.result.digest)
    assert again.result.snapshots == whole.result.snapshots
    assert len(whole.result.snapshots) == 5


def test_the_lists_of_answers_of_exports_are_not_compared_with_one_another(organisation, auditor, lead):
    """PostgreSQL compares each answer with each: two lists of twenty thousand took half a minute, for each export on a page."""
    make_export(auditor, scope=of_item(make_item(organisation).pk))
    client = sign_in(lead)

    asked = statements_of(lambda: (client.get("/exports/"), client.post("/exports/search/", {"client": "client-1"}, follow=True)))

    assert any("unnest" in each for each in asked)
    assert not any("&&" in each for each in asked if "reports_exportresult" in each)


def test_somebody_has_few_reports_wait(organisation, auditor, lead, monkeypatch):
    monkeypatch.setattr("reviewers.reports.exports.policies.MOST_WAITING", 2)
    for _ in range(2):
        make_pending(auditor)

    response = sign_in(auditor).post("/exports/create/", {"kind": "period", "form": "jsonl", "reason": "the yearly audit"})

    assert (response.status_code, Export.objects.count()) == (422, 2)
    assert "2 of your reports wait to be made" in response.content.decode()
    make_pending(lead)


def test_the_long_jobs_of_an_organisation_run_one_after_the_other(organisation, auditor):
    """Whatever they do: an organisation that has several kinds made would take the whole worker."""
    export = make_pending(auditor)
    defer_packing(export)
    request_verification(organisation_id=organisation.pk, by=user_actor(auditor.user_id), at=NOW)

    assert set(ProcrastinateJob.objects.filter(queue_name=LONG).values_list("lock", flat=True)) == {lock_of(organisation.pk)}
    assert ProcrastinateJob.objects.filter(queue_name=LONG).count() == 3


def test_the_worker_makes_a_long_one_and_the_page_tells_how_far_it_is(organisation, auditor):
    make_item(organisation)
    export = make_pending(auditor)
    client = sign_in(auditor)

    before = client.get(f"/exports/{export.pk}/").content.decode()
    make_report(export=str(export.pk), organisation=str(organisation.pk))
    make_report(export=str(export.pk), organisation=str(organisation.pk))
    after = client.get(f"/exports/{export.pk}/").content.decode()

    assert "<b>0</b> of 1 answers" in before
    assert "Download" in after
    assert ExportResult.objects.count() == 1


@pytest.mark.parametrize(
    "large",
    [
        {"user_text": "x" * 2_000_000},
        {"context": {"s": {f"field_{number}": number for number in range(2_501)}}},
        {"response": "Staff is open [1]. " * 5_000, "documents": ["Staff is open."]},
    ],
    ids=["in bytes", "in fields", "in citations"],
)
def test_a_large_report_of_few_answers_is_made_by_the_worker(organisation, auditor, large):
    item = make_item(organisation, **large)

    assert "made in the background" in ask(sign_in(auditor), kind="item", object=str(item.pk)).content.decode()
    assert not ExportResult.objects.exists()
    assert ProcrastinateJob.objects.filter(task_name=make_report.name).count() == 1


def test_the_worker_makes_one_long_report_of_an_organisation_at_a_time(organisation, auditor):
    """It does few jobs at once, and mail, say, is not to wait for hours until two reports are made."""
    make_item(organisation)
    other = make_member(make_organisation(), Role.AUDITOR)
    with tenant.within(other.organisation_id):
        make_item(other.organisation)
        make_pending(other)
    make_pending(auditor)
    make_pending(auditor)

    locks = Counter(ProcrastinateJob.objects.filter(task_name=make_report.name).values_list("lock", flat=True))

    assert sorted(locks.values()) == [1, 2]


def test_an_export_of_somebody_who_left_is_not_made(organisation, auditor):
    make_item(organisation)
    export = make_pending(auditor)
    type(auditor).objects.filter(pk=auditor.pk).update(ended_at=NOW)

    make_report(export=str(export.pk), organisation=str(organisation.pk))

    assert ExportResult.objects.get().reason == "whoever asked is not a member any more"


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_report_whose_result_was_not_stored_any_more_is_made_again(organisation, auditor, form):
    """Its file was there whole when the worker was killed."""
    make_item(organisation)
    export = make_pending(auditor, form)
    write_export(export, auditor)
    make_report(export=str(export.pk), organisation=str(organisation.pk))

    assert ExportResult.objects.get().reason == ""


def test_what_goes_wrong_in_the_worker_is_told_on_the_page(organisation, auditor):
    make_item(organisation)
    export = make_pending(auditor)
    keep(export, "file", 0, b"half a line", {"nothing": "that can be read"})

    with pytest.raises(KeyError):
        make_report(export=str(export.pk), organisation=str(organisation.pk))

    assert "could not be made: an error ended it" in sign_in(auditor).get(f"/exports/{export.pk}/").content.decode()
    assert not ExportChunk.objects.exists()


def test_a_report_whose_job_is_gone_is_given_up_and_one_that_waits_is_not(organisation, auditor):
    """Five workers were killed while they made it. Nobody makes it any more, and it must not count as one that waits."""
    make_item(organisation)
    lost, kept = make_pending(auditor), make_pending(auditor)
    ProcrastinateJob.objects.filter(args__export=str(lost.pk)).update(status="failed")

    for _ in range(2):
        give_up_lost_reports.func(timestamp=0)

    assert [(each.export_id, each.outcome) for each in ExportResult.objects.all()] == [(lost.pk, "failed")]
    assert "ask for it again" in sign_in(auditor).get(f"/exports/{lost.pk}/").content.decode()
    assert len(events("report.failed")) == 1
    make_report(export=str(kept.pk), organisation=str(organisation.pk))
    assert ExportResult.objects.get(export=kept).outcome == "made"


def test_a_bundle_whose_packing_is_gone_says_so(organisation, auditor, monkeypatch):
    for module in (actions, queries):
        monkeypatch.setattr(module, "WHILE_WAITING", 0)
    make_item(organisation)
    lost, kept = make_export(auditor, "bundle"), make_export(auditor, "bundle")
    ProcrastinateJob.objects.filter(task_name=pack_report.name, args__export=str(lost.pk)).delete()

    for _ in range(2):
        give_up_lost_reports.func(timestamp=0)

    assert ExportChunk.objects.get(name=chunks.NOT_PACKED).export_id == lost.pk
    client = sign_in(auditor)
    assert "could not be packed" in client.get(f"/exports/{lost.pk}/").content.decode()
    assert "could not be packed" not in client.get(f"/exports/{kept.pk}/").content.decode()


def test_files_are_let_go_of_after_some_days_and_the_page_says_so(organisation, auditor):
    make_item(organisation)
    export = make_export(auditor)

    forget(organisation_id=organisation.pk, before=NOW + timedelta(seconds=1))

    page = sign_in(auditor).get(f"/exports/{export.pk}/").content.decode()
    assert "The file was kept for seven days" in page
    assert ExportResult.objects.get().digest


def test_the_pages_ask_the_database_a_few_times_however_many_exports_there_are(organisation, auditor):
    make_item(organisation)
    for _ in range(3):
        export = make_export(auditor, scope=EVERYTHING)
    client = sign_in(auditor)

    assert len(statements_of(lambda: client.get("/exports/"))) <= 8
    assert len(statements_of(lambda: client.get(f"/exports/{export.pk}/"))) <= 10


def test_the_pages_of_answers_and_plans_lead_to_their_exports(organisation, lead):
    item = make_item(organisation)
    plan = run_blind(lead)
    client = sign_in(lead)

    for page, address in ((f"/items/{item.pk}/", f"/exports/new/?item={item.pk}"), (f"/plans/{plan.pk}/", f"/exports/new/?plan={plan.pk}")):
        assert address in client.get(page).content.decode()
        assert client.get(address).status_code == 200
    reviewer = sign_in(make_member(organisation, Role.REVIEWER))
    assert "/exports/" not in reviewer.get(f"/items/{item.pk}/").content.decode()


@pytest.mark.parametrize("query", ["item=nothing", "plan=../../x", "item=00000000-0000-0000-0000-000000000000"])
def test_a_form_for_what_is_not_there_is_not_found(organisation, auditor, query):
    assert sign_in(auditor).get(f"/exports/new/?{query}").status_code == 404


def test_the_moment_of_a_file_is_of_no_matter(organisation, auditor):
    make_item(organisation)
    first, second = make_export(auditor), make_export(auditor)

    assert bytes(first.result.digest) == bytes(second.result.digest)
    assert timezone.now() > first.asked_at
