"""Other ways to learn about a blind review than its pages: redactions, masked reports, the ledger, alarms, later citations."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import switch_repair
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Role
from reviewers.accounts.policies import Refused
from reviewers.ledger.jobs import run_verification
from reviewers.ledger.models import AuditEvent, RedactionBasis
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.reports.exports.volumes import weigh
from reviewers.review.citation_search import repeat_citation_search
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from reviewers.review.plans.sampling import candidates_of
from reviewers.review.queries import load_item
from reviewers.review.redaction.actions import approve, propose
from reviewers.review.redaction.parts import OF_LABELS, kind_of, parts_of
from reviewers.snapshots.redactable_parts import BARS
from tests.events import events
from tests.factories import (
    BOTH,
    CITED,
    NOW,
    UNCITED,
    choose,
    choose_finding,
    claim_words,
    flag_finding,
    make_item,
    make_key,
    make_member,
    make_record,
    sign_in,
)
from tests.ledger.sealed import seal_now
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_bundle, of_item, report_of
from tests.review.plans.planning import label_all, review, run_blind, run_plan
from tests.review.signed import sign_as_it_stands
from tests.snapshots.searches import fail_search, make_searched, run_all

RECORD = BOTH | {"response": str(BOTH["response"]).replace("85% [[TF:fit_score]]", "35%"), "provider": "Ada Quill"}


@pytest.fixture
def blind(organisation, lead) -> QueueItem:
    """An answer that two people review blind."""
    item = make_item(organisation, **RECORD)
    run_blind(lead)
    item.refresh_from_db()
    return item


def redact(item: QueueItem, parts: Sequence[str], by: Membership | None = None) -> None:
    """Have two administrators redact parts, or one of them together with ``by``."""
    one, other = (make_member(item.organisation, Role.ADMINISTRATOR, name) for name in ("Ada Abbot", "Ann Adler"))
    asked = propose(item_id=item.pk, parts=parts, basis=RedactionBasis.ERASURE, reason="She asked.", by=one, now=NOW)
    approve(redaction_id=asked.pk, by=by or other, now=NOW)


def written_by(author: Membership, item: QueueItem) -> list[str]:
    """The parts that somebody wrote beside an answer, as an administrator finds them."""
    finder = make_member(item.organisation, Role.ADMINISTRATOR, "Fay Finder")
    return [part.name for part in parts_of(load_item(finder, item.pk)) if part.author == author.user_id]


def remark(item: QueueItem, by: Membership) -> None:
    flag_finding(choice=choose_finding(item, "contradicted"), note="look", by=by, now=NOW)
    actions.save_label(choice=choose(item, 0, "a thought"), note="another", by=by, now=NOW)


def evidence_of(member: Membership, scope: ReportScope) -> list[dict[str, Any]]:
    """The bodies of the events in a bundle, each with the names of the parts that it opens."""
    with zipfile.ZipFile(io.BytesIO(make_bundle(member, scope))) as bundle:
        lines = [json.loads(line) for line in bundle.read("events.jsonl").splitlines()]
    return [
        json.loads(base64.b64decode(line["body"])) | {"opened": {part["name"] for part in line["parts"] if "name" in part}}
        for line in lines
    ]


@pytest.mark.parametrize("profile", [DisclosureProfile.FULL, DisclosureProfile.MASKED])
def test_no_bundle_opens_a_digest_of_an_answer_that_is_withheld(blind, lead, auditor, bob, profile):
    scope = ReportScope(ScopeKind.ITEM, blind.pk, profile=profile)

    def digests(member):
        return {name for each in evidence_of(member, scope) for name in each["opened"] if name.endswith("sha256")} - {"report.sha256"}

    assert digests(lead) == set()
    assert "record.sha256" in digests(auditor)
    for member in (lead, bob):
        review(blind, member)
    assert "record.sha256" in digests(lead)


def test_no_report_tells_a_reviewer_that_what_a_colleague_wrote_was_redacted(blind, alice, bob, lead, auditor):
    review(blind, alice)
    remark(blind, alice)
    redact(blind, written_by(alice, blind))

    def told(member):
        (answer,) = report_of(member, of_item(blind.pk)).answers
        in_bundle = {each["action"] for each in evidence_of(member, of_item(blind.pk))}
        return "redaction.approved" in {each.action for each in answer.events}, "redaction.approved" in in_bundle

    assert told(auditor) == (True, True)
    assert told(lead) == (False, False)
    review(blind, lead)
    assert told(lead) == (True, True), "all reviews are in"


def test_the_bundle_of_a_withheld_answer_whose_question_was_redacted_is_sound(blind, alice, lead, organisation, tmp_path):
    review(blind, alice)
    sign_as_it_stands(blind, alice)
    redact(blind, ["user_text"])
    seal_now(organisation.pk)
    file = tmp_path / "bundle.zip"
    file.write_bytes(make_bundle(lead, of_item(blind.pk)))
    (answer,) = report_of(lead, of_item(blind.pk)).answers

    assert (answer.question, answer.is_withheld) == (BARS, True)
    verify(str(file))
    assert "review_signature" not in {row["table"] for each in evidence_of(lead, of_item(blind.pk)) for row in each["rows"]}


def test_no_report_of_a_redacted_answer_tells_whoever_has_submitted_what_colleagues_did_beside_it(
    organisation, alice, bob, lead, auditor, tmp_path
):
    item = make_item(organisation, **RECORD)
    run_blind(lead, overlap=3)
    review(item, alice)
    sign_as_it_stands(item, alice)
    remark(item, alice)
    review(item, lead)
    redact(item, written_by(alice, item))
    redact(item, ["user_text"])
    seal_now(organisation.pk)

    def told(member):
        (answer,) = report_of(member, of_item(item.pk)).answers
        tables = {row["table"] for each in evidence_of(member, of_item(item.pk)) for row in each["rows"]}
        return [each.action for each in answer.events].count("redaction.approved"), "review_signature" in tables, answer.is_withheld

    assert told(auditor) == (2, True, False)
    assert told(lead) == (0, False, True)
    file = tmp_path / "bundle.zip"
    file.write_bytes(make_bundle(lead, of_item(item.pk)))
    verify(str(file))
    review(item, bob)
    assert told(lead) == (2, True, False)


def test_whoever_approves_a_redaction_does_not_read_which_rows_of_colleagues_it_changed(blind, alice, lead, auditor):
    review(blind, alice)
    sign_as_it_stands(blind, alice)
    redact(blind, ["user_text"], by=lead)
    path = f"/ledger/events/{AuditEvent.objects.get(action='redaction.approved').pk}/"

    assert "review_signature" in sign_in(auditor).get(path).content.decode()
    assert sign_in(lead).get(path).status_code == 403
    review(blind, lead)
    assert sign_in(lead).get(path).status_code == 200


def test_the_sheet_does_not_tell_that_a_colleagues_note_was_redacted(organisation, alice, bob, lead, coordinator):
    item = make_item(organisation, **RECORD)
    run_blind(lead, overlap=3)
    review(item, alice)
    remark(item, alice)
    review(item, bob)
    redact(item, written_by(alice, item))

    def is_told(member):
        return "were redacted on" in sign_in(member).get(f"/why/{item.pk}/").content.decode()

    assert is_told(coordinator)
    assert not is_told(bob)
    review(item, lead)
    assert is_told(bob)


def test_a_program_that_sends_another_content_is_not_told_that_a_note_was_redacted(blind, alice, organisation):
    review(blind, alice)
    remark(blind, alice)
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation)}"})
    record = make_record(**RECORD | {"id": blind.snapshot.external_id, "response": "Something else."})

    def answer():
        return client.post("/api/v1/snapshots", json.dumps(record), content_type="application/json").json()["reason"]

    before = answer()
    redact(blind, written_by(alice, blind))
    assert answer() == before
    assert "another content" in before


def test_the_reason_of_a_hidden_redaction_is_no_part_to_choose(blind, alice, lead):
    review(blind, alice)
    remark(blind, alice)
    redact(blind, written_by(alice, blind))

    def grounds(member):
        return [part for part in parts_of(load_item(member, blind.pk)) if part.name.startswith("ground.")]

    assert grounds(make_member(blind.organisation, Role.ADMINISTRATOR))
    assert grounds(lead) == []
    review(blind, lead)
    assert grounds(lead)


def test_that_the_reason_of_a_hidden_redaction_is_to_go_is_not_told(blind, alice, bob, lead, auditor):
    review(blind, alice)
    remark(blind, alice)
    redact(blind, written_by(alice, blind))
    one, other = (make_member(blind.organisation, Role.ADMINISTRATOR, name) for name in ("Ida Abbot", "Isa Adler"))
    ground = next(part.name for part in parts_of(load_item(one, blind.pk)) if part.name.startswith("ground."))
    asked = propose(item_id=blind.pk, parts=[ground], basis=RedactionBasis.ERASURE, reason="It names her.", by=one, now=NOW)

    def told(member):
        client = sign_in(member)
        waits = "Redaction proposed" in client.get("/inbox/").content.decode()
        return (
            "the reason of a redaction" in client.get("/redactions/").content.decode(),
            waits,
            client.get(f"/redactions/{asked.pk}/").status_code,
        )

    assert told(other) == (True, True, 200)
    assert told(lead) == (False, False, 404)
    review(blind, bob)
    assert told(lead) == (True, True, 200)


def test_what_is_written_with_labels_is_no_part_to_redact_before_they_are_submitted(organisation, alice, lead, administrator):
    item = make_item(organisation, **BOTH)
    run_plan(lead, overlap=2)
    label_all(item, alice, note="a remark")
    claim_words(item, alice, note="nowhere")
    finders = [lead, administrator]

    assert [part.name for finder in finders for part in parts_of(load_item(finder, item.pk)) if part.author == alice.user_id] == []
    actions.submit(item_id=item.pk, by=alice, now=NOW)
    for finder in finders:
        assert {kind_of(part.name) for part in parts_of(load_item(finder, item.pk)) if part.author == alice.user_id} == OF_LABELS


def rows_of_ledger(member: Membership, query: str = "") -> tuple[list[str], bool]:
    """The actions on the first page of the ledger, and whether it tells places in the log."""
    page = sign_in(member).get(f"/ledger/{query}").content.decode()
    return re.findall(r'<code class="quiet">([a-z_.]+)</code>', page), "Place in the log" in page


def test_the_list_of_events_does_not_tell_that_citations_were_looked_for(organisation, lead, auditor):
    make_item(organisation, **CITED)
    make_searched(organisation)
    run_all()
    run_blind(lead)
    seal_now(organisation.pk)

    actions_told, tells_places = rows_of_ledger(auditor)
    assert {"citation_search.asked", "citation_search.ended"} <= set(actions_told)
    assert tells_places
    actions_told, tells_places = rows_of_ledger(lead)
    assert not {each for each in actions_told if each.startswith("citation_search")}
    assert actions_told.count("snapshot.frozen") == 2
    assert not tells_places, "a gap would tell the same"


def test_a_list_of_the_events_of_one_answer_does_not_tell_whether_there_are_hidden_ones(organisation, alice, lead, auditor):
    switch_repair(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    organisation.refresh_from_db()
    as_it_came, repaired, labelled = (make_item(organisation, **record) for record in (CITED, UNCITED, CITED | {"id": "labelled"}))
    run_blind(lead)
    actions.take(item_id=as_it_came.pk, by=alice, now=NOW)
    label_all(labelled, alice)
    seal_now(organisation.pk)
    about = [f"?object={item.pk}" for item in (as_it_came, repaired, labelled)]

    assert [rows_of_ledger(auditor, query)[0].count("answer.repaired") for query in about] == [0, 1, 0]
    assert [rows_of_ledger(lead, query) for query in about] == [
        (["lease.taken", "snapshot.frozen"], False),
        (["snapshot.frozen"], False),
        (["lease.taken", "snapshot.frozen"], False),
    ]
    by_alice = [f"{query}&person={alice.user_id}" for query in about]
    assert [rows_of_ledger(lead, query) for query in by_alice] == [(["lease.taken"], False), ([], False), (["lease.taken"], False)]
    notes = {"are left out" in sign_in(lead).get(f"/ledger/{query}").content.decode() for query in about}
    assert notes == {True}


def test_a_receipt_of_a_hidden_event_is_hidden_with_it(blind, alice, bob, lead, auditor):
    review(blind, alice)
    sign_in(alice).get(f"/items/{blind.pk}/receipt/")
    path = f"/ledger/events/{AuditEvent.objects.get(action='receipt.taken').pk}/"

    assert [sign_in(member).get(path).status_code for member in (lead, auditor)] == [403, 200]
    review(blind, bob)
    assert sign_in(lead).get(path).status_code == 200


def test_a_search_for_a_hidden_event_is_hidden_with_it(blind, alice, bob, lead, auditor):
    review(blind, alice)
    for event in (AuditEvent.objects.get(action="review.submitted"), AuditEvent.objects.filter(action="snapshot.frozen").latest("id")):
        sign_in(auditor).get(f"/ledger/?object={event.pk}")
    paths = [f"/ledger/events/{each.pk}/" for each in AuditEvent.objects.filter(action="ledger.searched").order_by("id")]

    assert [sign_in(lead).get(path).status_code for path in paths] == [403, 200]
    review(blind, bob)
    assert [sign_in(lead).get(path).status_code for path in paths] == [200, 200]


def test_whoever_started_a_plan_does_not_read_how_many_rows_were_seeded(organisation, lead, auditor):
    make_item(organisation, **RECORD)
    run_blind(lead, control_share=0.5)
    path = f"/ledger/events/{AuditEvent.objects.get(action='plan.started').pk}/"

    assert [sign_in(member).get(path).status_code for member in (lead, auditor)] == [403, 200]


def test_whoever_reviews_is_not_told_how_many_rows_were_verified(blind, lead, auditor):
    seal_now(blind.organisation_id)
    found = run_verification(organisation_id=blind.organisation_id, begun_at=timezone.now())

    def told(member):
        return " ".join(sign_in(member).get("/ledger/").content.decode().split())

    assert f"{found.event_count} events, {found.row_count} rows and" in told(auditor)
    assert f"{found.event_count} events, their rows and" in told(lead)


def test_the_event_of_a_label_keeps_its_verdict_until_the_review_is_submitted(organisation, alice, bob, lead):
    item = make_item(organisation, **RECORD)
    run_plan(lead, overlap=2)
    label_all(item, alice, Verdict.WRONG)
    assert all("verdict" not in each["details"] for each in events("label.saved"))
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    assert "sha256" in events("review.submitted")[-1]["details"]
    actions.save_label(choice=choose(item, 0, "a thought"), verdict=Verdict.CORRECT, by=alice, now=NOW)
    assert events("label.saved")[-1]["details"]["verdict"] == "correct"


def test_while_others_review_an_answer_blind_nobody_has_citations_looked_for_again(organisation, alice, bob, lead):
    item = make_item(organisation, **UNCITED)
    fail_search(item)
    run_blind(lead)
    review(item, lead)

    with pytest.raises(Refused, match="Others review this answer blind"):
        repeat_citation_search(item_id=item.pk, by=lead, now=NOW)
    review(item, alice)
    with pytest.raises(Refused, match="turned off"):
        repeat_citation_search(item_id=item.pk, by=lead, now=NOW)


def test_no_plan_draws_an_answer_while_citations_are_looked_for(organisation, lead):
    item = make_searched(organisation)

    assert list(candidates_of(organisation, {}, NOW)) == []
    assert list(candidates_of(organisation, {}, NOW + timedelta(minutes=6))) == [item], "the worker may be gone"
    run_all()
    assert list(candidates_of(organisation, {}, NOW)) == [item]


def test_an_alarm_does_not_tell_by_its_figures_what_an_answer_under_blind_review_says(blind, alice, bob, auditor):
    names = {"model": blind.snapshot.model, "prompt_version": blind.snapshot.prompt_version}
    day = blind.answered_at.date()
    make_alarm(blind.organisation, day=day, **names)
    make_alarm(blind.organisation, "contradicted", day=day - timedelta(days=30), **names)

    def told(member):
        return sign_in(member).get("/quality/").content.decode().count("of 40 conversations")

    assert [told(member) for member in (alice, auditor)] == [1, 2], "the other counts no such answer"
    for member in (alice, bob):
        review(blind, member)
    assert told(alice) == 2


def test_where_a_volume_ends_does_not_depend_on_what_was_found_in_an_answer(organisation, lead):
    item = make_item(organisation, **RECORD)

    def weight():
        return next(each for _, each in weigh(QueueItem.objects.filter(pk=item.pk), all_fields=False))

    before = weight()
    run_blind(lead)
    assert item.attribution.found_count
    stored = len(item.attribution.documents.document)
    assert before - weight() == pytest.approx(item.attribution.found_count / 15 + stored / 1_000)
