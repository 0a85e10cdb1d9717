"""Each way by which a blind review was once seen through, by itself; ``test_distinguisher`` looks for all of a kind."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from datetime import timedelta
from uuid import UUID

import pytest
from django.test import Client

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Role, Scope
from reviewers.accounts.policies import Refused
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.shadow import compare_profile
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import AuditEvent, RedactionBasis
from reviewers.ledger.queries import EventSearch, load_page
from reviewers.reports.exports import actions as exports
from reviewers.reports.exports.scope import ReportScope, ScopeKind, resolve_request
from reviewers.reports.models import ExportResult
from reviewers.review.labels import actions
from reviewers.review.models import ControlRow, Draw, Label, PlanItem, Verdict
from reviewers.review.plans.actions import _rank, start_plan, stop_plan
from reviewers.review.plans.sampling import Design, Triggers
from reviewers.review.queries import load_item
from reviewers.review.redaction.actions import approve as approve_redaction
from reviewers.review.redaction.actions import propose as propose_redaction
from reviewers.review.redaction.parts import parts_of
from reviewers.review.redaction.queries import redactions_of
from reviewers.review.signing.statements import digest_of, load_reviews, state_now
from tests.calibration.labelled import combination_of
from tests.calibration.standing import approve, propose
from tests.events import events
from tests.factories import (
    BOTH,
    CITED,
    NOW,
    UNCITED,
    choose,
    choose_finding,
    flag_finding,
    make_item,
    make_key,
    make_member,
    make_record,
    sign_in,
)
from tests.reports.exporting.made import make_bundle, make_export, of_item, report_of, written
from tests.review.plans.planning import label_all, make_plan, review, run_blind, run_plan
from tests.review.redacting.redactable import lead_and_administrator, redact
from tests.review.signed import sign_as_it_stands
from tests.snapshots.searches import fail_search, make_searched, run_all
from tests.statements import statements_of

PLAIN_ID = UUID(int=1)

WRONG_FIT = BOTH | {"response": str(BOTH["response"]).replace("85% [[TF:fit_score]]", "35%"), "provider": "Ada Quill"}
"""An answer whose figure contradicts a field of the record that it does not cite: the row is not found, and says so."""


@pytest.fixture
def blind(organisation, lead):
    item = make_item(organisation, **WRONG_FIT)
    run_blind(lead)
    item.refresh_from_db()
    return item


@pytest.mark.parametrize("path", ["unfound/", "?unfound=1"])
def test_rows_that_were_not_found_tell_no_contradiction(blind, bob, auditor, path):
    assert "Contradicted" in sign_in(auditor).get(f"/items/{blind.pk}/{path}").content.decode()
    page = sign_in(bob).get(f"/items/{blind.pk}/{path}").content.decode()

    assert "fit_score" in page
    assert "Contradicted" not in page
    assert "answer says" not in page


def test_the_list_of_suggestions_tells_no_contradiction(blind, bob, lead, coordinator):
    assert "does not match" in sign_in(coordinator).get("/why/").content.decode()
    for member in (bob, lead):
        assert "does not match" not in sign_in(member).get("/why/").content.decode()


def test_a_plan_tells_nobody_who_reviews_by_what_it_drew(organisation, lead, bob, auditor):
    make_item(organisation, **WRONG_FIT)
    candidates = {"facets": {"guardrail": ["contradicted"], "model": ["model-a"]}}
    triggers = Triggers(guardrails=("contradicted",))
    design = Design(Draw.STRATIFIED, size=1)
    plan = run_plan(lead, overlap=2, is_blind=True, candidates=candidates, design=design, triggers=triggers)
    item = PlanItem.objects.get(plan=plan).item
    told = ("0.90 and above", "contradicted", "guardrail", plan.seed, "Stratum")

    assert [words for words in told if words not in sign_in(auditor).get(f"/plans/{plan.pk}/").content.decode()] == []
    for member in (lead, bob):
        page = sign_in(member).get(f"/plans/{plan.pk}/").content.decode()
        assert [words for words in told if words in page] == []
        assert "model-a" in page
    review(item, bob)
    assert "contradicted" not in sign_in(bob).get(f"/plans/{plan.pk}/").content.decode(), "more answers may be called in"
    stop_plan(plan_id=plan.pk, by=lead, now=NOW)
    assert "0.90 and above" in sign_in(bob).get(f"/plans/{plan.pk}/").content.decode()


def test_a_plan_without_answers_tells_nobody_who_will_review_what_it_looks_for(organisation, lead, bob, auditor):
    draft = make_plan(lead, overlap=2, is_blind=True, candidates={"facets": {"guardrail": ["contradicted"]}})
    waiting = run_plan(lead, overlap=2, is_blind=True, design=Design(Draw.TRIGGERED), triggers=Triggers(guardrails=("contradicted",)))

    for plan in (draft, waiting):
        told = (plan.seed, "contradicted")
        assert [words for words in told if words not in sign_in(auditor).get(f"/plans/{plan.pk}/").content.decode()] == []
        assert [words for words in told if words in sign_in(bob).get(f"/plans/{plan.pk}/").content.decode()] == []
    assert draft.seed in sign_in(lead).get(f"/plans/{draft.pk}/").content.decode(), "it is theirs to write"
    assert waiting.seed not in sign_in(lead).get(f"/plans/{waiting.pk}/").content.decode()


def test_the_seed_of_a_plan_tells_no_seeded_row(settings):
    row = {"section": "safety", "path": "risk_level"}
    settings.SECRET_KEY = "one key"
    ranked = _rank("a seed", PLAIN_ID, row)

    assert _rank("a seed", PLAIN_ID, row) == ranked
    assert _rank("another seed", PLAIN_ID, row) != ranked
    settings.SECRET_KEY = "another key"
    assert _rank("a seed", PLAIN_ID, row) != ranked


def test_the_report_of_a_plan_tells_no_more_of_it_than_its_page(organisation, lead, auditor):
    make_item(organisation, **WRONG_FIT)
    candidates = {"facets": {"guardrail": ["contradicted"], "model": ["model-a"]}}
    plan = run_plan(lead, overlap=2, is_blind=True, candidates=candidates, triggers=Triggers(below=0.7))
    told = ("contradicted", "below 0.70", plan.seed)

    def head(member):
        return resolve_request(ReportScope(ScopeKind.PLAN, plan.pk), member).facts

    assert [words for words in told if words not in str(head(auditor))] == []
    assert [words for words in told if words in str(head(lead))] == []
    assert "model-a" in str(head(lead))


def test_no_report_tells_by_an_answer_that_is_done_what_a_running_plan_looks_for(organisation, lead, alice, bob, auditor):
    done, waiting = (make_item(organisation, **WRONG_FIT) for _ in range(2))
    plan = run_blind(lead, design=Design(Draw.TRIGGERED), triggers=Triggers(guardrails=("contradicted",)))
    for member in (alice, bob):
        review(done, member)

    def sampled(member):
        (answer,) = report_of(member, of_item(done.pk)).answers
        return answer.sampled.plan, answer.sampled.stratum, answer.sampled.trigger

    told = (str(plan.pk), "called: guardrail contradicted", "guardrail contradicted")
    assert sampled(auditor) == told
    assert sampled(lead) == (str(plan.pk), "", "")
    stop_plan(plan_id=plan.pk, by=lead, now=NOW)
    assert sampled(lead) == told
    assert load_item(lead, waiting.pk).row.plan is None


def test_the_labels_for_fitting_do_not_name_what_called_an_answer(organisation, lead, alice):
    item = make_item(organisation, **WRONG_FIT)
    run_blind(lead, overlap=1, design=Design(Draw.TRIGGERED), triggers=Triggers(guardrails=("contradicted",)))
    review(item, alice)

    assert {each.stratum for each in build_dataset(combination_of(item)).observations} == {"called"}


def test_who_makes_a_report_does_not_tell_how_much_was_found_of_citations(organisation, lead, auditor, monkeypatch):
    item = make_item(organisation, **CITED)
    run_blind(lead)
    monkeypatch.setitem(exports._LIMITS, "cited", 0)

    def is_made_at_once(member):
        asked = exports.ask_for(scope=of_item(item.pk), form="jsonl", reason="to look", by=member, now=NOW)
        return ExportResult.objects.filter(export=asked).exists()

    assert [is_made_at_once(member) for member in (lead, auditor)] == [True, False]


@pytest.mark.parametrize("is_batch", [False, True])
def test_a_record_that_is_sent_again_is_answered_without_what_is_withheld(organisation, lead, is_batch):
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation, Scope.INGEST, Scope.READ)}"})
    body = json.dumps(make_record(**WRONG_FIT))
    kind = "application/x-ndjson" if is_batch else "application/json"
    first = json.loads(client.post("/api/v1/snapshots", body, content_type=kind).content)
    run_blind(lead)

    again = json.loads(client.post("/api/v1/snapshots", body, content_type=kind).content)

    assert first["attribution"]["found"] > 0
    assert again["id"] == first["id"]
    assert set(again["attribution"]) == {"profile", "engine", "withheld"}
    assert again["documents"] is None
    read = client.get(f"/api/v1/snapshots/{first['id']}").json()
    assert (read["record"], read["digest"], set(read["attribution"])) == (None, None, set(again["attribution"]))


def test_a_section_narrows_no_list_by_what_the_engine_found(blind, bob, auditor):
    ControlRow.objects.create(
        organisation=blind.organisation, drawn=PlanItem.objects.get(item=blind), section="therapeutic_fit", path="fit_score", is_right=False
    )
    queries = [f"model=model-a&section={section}" for section in ("safety", "therapeutic_fit")]

    assert [len(sign_in(bob).get(f"/queue/?{query}").context["page"].rows) for query in queries] == [0, 0]
    assert [len(sign_in(auditor).get(f"/queue/?{query}").context["page"].rows) for query in queries] == [1, 0]


def test_counts_beside_the_filters_leave_out_what_is_hidden(blind, organisation, bob, auditor):
    make_item(organisation)

    def counted(member):
        options = {kind: values for kind, _, values in sign_in(member).get("/queue/").context["options"]}
        return {option.value: option.count for kind in ("section", "model", "guardrail") for option, _ in options.get(kind, ())}

    assert counted(auditor) == {"provider_genome": 2, "safety": 2, "therapeutic_fit": 1, "model-a": 2, "contradicted": 1, "over_cited": 1}
    assert counted(bob) == {"provider_genome": 1, "safety": 1, "therapeutic_fit": 1, "model-a": 2, "over_cited": 1}


@pytest.mark.parametrize("query", ["signed=holds", "signed=void", "flagged=on"])
def test_no_filter_tells_what_a_colleague_did(blind, alice, bob, auditor, query):
    review(blind, alice)
    flag_finding(choice=choose_finding(blind, "contradicted"), note="look", by=alice, now=NOW)
    sign_as_it_stands(blind, alice)
    if query == "signed=void":
        actions.save_label(choice=choose(blind, 0, "again"), verdict=Verdict.WRONG, by=alice, now=NOW)
    query = f"{query}&state=to_do"

    assert len(sign_in(auditor).get(f"/queue/?{query}").context["page"].rows) == 1
    assert not sign_in(bob).get(f"/queue/?{query}").context["page"].rows


def test_the_ledger_keeps_what_others_did_from_a_lead_who_has_yet_to_review(blind, alice, lead, auditor):
    review(blind, alice)
    flag_finding(choice=choose_finding(blind, "contradicted"), note="look", by=alice, now=NOW)
    (flagged,) = events("finding.flagged")
    assert "code" not in flagged["details"], "an event is read at any time"

    page = sign_in(lead).get("/ledger/").content.decode()
    assert "flagged a finding" not in page
    assert "saved a label" not in page
    for path in (f"/ledger/events/{flagged['id']}/", f"/ledger/events/{flagged['id']}/receipt/"):
        assert sign_in(lead).get(path).status_code == 403
        assert sign_in(auditor).get(path).status_code == 200


def test_the_frozen_record_and_its_digest_are_kept_until_one_has_submitted(blind, alice, bob, lead, auditor):
    digest = bytes(blind.snapshot.digest).hex()
    for member in (bob, lead):
        client = sign_in(member)
        assert client.get(f"/items/{blind.pk}/record/").status_code == 403
        assert digest not in client.get(f"/items/{blind.pk}/").content.decode()
    assert sign_in(auditor).get(f"/items/{blind.pk}/record/").status_code == 200
    review(blind, bob)
    assert sign_in(bob).get(f"/items/{blind.pk}/record/").status_code == 200


def test_numbers_of_sources_do_not_count_the_markers_before_them(organisation, lead, bob, auditor):
    marked, plain = (
        make_item(organisation, **BOTH | {"response": text}) for text in (BOTH["response"], _without_markers(BOTH["response"]))
    )
    run_blind(lead)

    def numbers(member):
        return ["fn-1" in sign_in(member).get(f"/items/{item.pk}/").content.decode() for item in (marked, plain)]

    assert numbers(bob) == [True, True]
    pages = [sign_in(bob).get(f"/items/{item.pk}/").content.decode() for item in (marked, plain)]
    assert ["fn-3" in page for page in pages] == [False, False]
    assert "fn-3" in sign_in(auditor).get(f"/items/{marked.pk}/").content.decode()


def test_a_receipt_does_not_tell_that_somebody_signed(blind, alice, bob):
    before = sign_in(bob).get(f"/items/{blind.pk}/receipt/").content
    review(blind, alice)
    sign_as_it_stands(blind, alice)

    assert sign_in(bob).get(f"/items/{blind.pk}/receipt/").content == before
    assert sign_in(alice).get(f"/items/{blind.pk}/receipt/").content != before


def test_citations_that_were_found_afterwards_look_like_any_other(organisation, lead, bob, auditor):
    item = make_searched(organisation)
    run_all()
    run_blind(lead)
    told = ("found afterwards", "data-afterwards")

    assert [words for words in told if words not in _page(auditor, item)] == []
    assert [words for words in told if words in _page(bob, item)] == []
    address, asks = f"/items/{item.pk}/citation-search/", {"HX-Request": "true"}
    assert sign_in(auditor).get(address, headers=asks).status_code == 200
    assert sign_in(bob).get(address, headers=asks).status_code == 302
    review(item, bob)
    assert "found afterwards" in _page(bob, item), "they could be judged"


def test_citations_that_were_found_afterwards_are_judged_like_any_other(organisation, lead, bob, auditor):
    item = make_searched(organisation)
    run_all()
    run_blind(lead)

    assert "optional" in _page(auditor, item)
    assert "data-due" not in _page(auditor, item)
    assert "optional" not in _page(bob, item)
    assert _page(bob, item).count("data-due") == _page(bob, item).count("data-citation=") > 0
    found = actions.take(item_id=item.pk, by=bob, now=NOW)
    for number in list(found.unlabelled):
        actions.save_label(choice=choose(item, number), verdict=Verdict.CORRECT, by=bob, now=NOW)
    with pytest.raises(Refused, match=r"citations? ha(s|ve) no label"):
        actions.submit(item_id=item.pk, by=bob, now=NOW)
    review(item, bob)
    assert "data-due" not in _page(bob, item), "afterwards it is told which they are"


def test_no_note_tells_that_a_citation_was_dropped(organisation, lead, bob, auditor):
    item = make_item(organisation, **CITED | {"response": CITED["response"] + " And so on [9]."})
    run_blind(lead)

    assert "means no source" in _page(auditor, item)
    assert "means no source" not in _page(bob, item)


def test_the_report_of_a_withheld_answer_tells_no_search_for_citations(organisation, lead, auditor):
    item = make_searched(organisation)
    run_all()
    run_blind(lead)

    assert "citation_search.ended" in written(auditor, "jsonl", of_item(item.pk)).decode()
    report = written(lead, "jsonl", of_item(item.pk)).decode()
    assert "snapshot.frozen" in report
    assert "citation_search.ended" not in report


@pytest.mark.parametrize("query", ["guardrail=contradicted", "section=safety&model=model-a", "flagged=on", "signed=holds", "order=risk"])
def test_the_ledger_keeps_lists_that_others_narrowed_by_what_is_hidden(blind, alice, lead, auditor, query):
    review(blind, alice)
    flag_finding(choice=choose_finding(blind, "contradicted"), note="look", by=alice, now=NOW)
    sign_as_it_stands(blind, alice)
    sign_in(auditor).get(f"/queue/?{query}&state=to_do")
    viewed = events("queue.viewed")[-1]
    assert viewed["details"]["shown"] == [str(blind.pk)]

    path = f"/ledger/events/{viewed['id']}/"
    assert sign_in(lead).get(path).status_code == 403
    assert sign_in(auditor).get(path).status_code == 200
    sign_in(auditor).get("/queue/?model=model-a")
    plain = events("queue.viewed")[-1]
    assert sign_in(lead).get(f"/ledger/events/{plain['id']}/").status_code == 200
    review(blind, make_member(blind.organisation, Role.REVIEWER, "Carol Crane"))
    assert sign_in(lead).get(path).status_code == 200


def test_the_database_passes_over_however_many_hidden_lists(blind, alice, lead):
    actor, organisation = user_actor(alice.user_id), lead.organisation_id
    filters = [[], ["model"], ["model", "prompt"], *([["flagged", "model"], ["section"]] * 40)]
    record_all([Event(Action.QUEUE_VIEWED, organisation, actor, NOW, "organisation", organisation, {"filters": each}) for each in filters])

    read = statements_of(lambda: load_page(lead, EventSearch(), ""))

    assert sum(each.startswith("SELECT") and 'FROM "ledger_auditevent"' in each and "LIMIT" in each for each in read) == 1
    bodies = [json.loads(bytes(AuditEvent.objects.get(pk=row.id).body)) for row in load_page(lead, EventSearch(), "").rows]
    assert sorted(each["details"]["filters"] for each in bodies if each["action"] == Action.QUEUE_VIEWED) == filters[:3]


def test_the_report_of_somebody_else_tells_neither_digest_nor_size(blind, alice, bob, lead, auditor):
    review(blind, alice)
    export = make_export(auditor, "labels", of_item(blind.pk))
    digest = bytes(export.result.digest).hex()
    (made,) = events("report.made")
    paths = ("/exports/", f"/exports/{export.pk}/")

    assert [digest in sign_in(lead).get(path).content.decode() for path in paths] == [False, False]
    assert [digest in sign_in(auditor).get(path).content.decode() for path in paths] == [True, True]
    assert sign_in(lead).get(f"/ledger/events/{made['id']}/").status_code == 403
    own = make_export(lead, "labels", of_item(blind.pk))
    assert bytes(own.result.digest).hex() in sign_in(lead).get(f"/exports/{own.pk}/").content.decode()
    review(blind, bob)
    assert [digest in sign_in(lead).get(path).content.decode() for path in paths] == [True, True]
    assert sign_in(lead).get(f"/ledger/events/{made['id']}/").status_code == 200


@pytest.mark.parametrize("was_blind", [True, False])
def test_a_stopped_plan_does_not_tell_what_it_looked_for_in_answers_that_another_one_has_drawn_since(
    organisation, lead, alice, bob, auditor, was_blind
):
    item = make_item(organisation, **WRONG_FIT)
    design, triggers = Design(Draw.TRIGGERED), Triggers(guardrails=("contradicted",))
    stopped = run_plan(lead, is_blind=was_blind, overlap=2, design=design, triggers=triggers)
    stop_plan(plan_id=stopped.pk, by=lead, now=NOW)
    run_blind(lead)
    (called,) = events("plan.extended")
    assert called["details"]["items"] == [str(item.pk)]

    def told(member):
        titles = (
            sign_in(member).get(f"/plans/{stopped.pk}/").content.decode(),
            dict(resolve_request(of_plan, member).facts)["Later answers"],
        )
        return ["contradicted" in each for each in titles]

    of_plan, event = ReportScope(ScopeKind.PLAN, stopped.pk), f"/ledger/events/{called['id']}/"
    assert [told(each) for each in (bob, lead, auditor)] == [[False, False], [False, False], [True, True]]
    assert [sign_in(each).get(event).status_code for each in (lead, auditor)] == [403, 200]
    for member in (alice, bob):
        review(item, member)
    assert told(bob) == [True, True]
    assert sign_in(lead).get(event).status_code == 200


def test_a_comparison_of_profiles_leaves_out_answers_under_blind_review(organisation, lead, alice, bob):
    items = [make_item(organisation, model=model) for model in ("drawn", "drawn")]
    run_blind(lead, candidates={"facets": {"model": ["drawn"]}})
    shown = make_item(organisation, model="drawn")
    profile = propose(shown, lead)

    def compared() -> int:
        return compare_profile(profile_id=profile.pk, organisation_id=organisation.pk, now=NOW).message_count

    assert compared() == 1
    for member in (alice, bob):
        review(items[0], member)
    assert compared() == 2


def test_an_earlier_comparison_of_profiles_tells_no_figures_that_count_what_came_under_blind_review_since(
    organisation, lead, alice, bob, auditor
):
    item, other = (make_item(organisation, model="drawn") for _ in range(2))
    profile, approver = propose(item, lead), make_member(organisation, Role.LEAD, "Lasse Lowe")
    plan = make_plan(lead, overlap=2, is_blind=True)
    start_plan(plan_id=plan.pk, by=lead, now=NOW + timedelta(minutes=1))
    path = f"/calibration/profiles/{profile.pk}/"

    def told(member):
        return "of 2 messages" in " ".join(sign_in(member).get(path).content.decode().split())

    def event(member):
        (compared,) = events("profile.compared")[:1]
        return sign_in(member).get(f"/ledger/events/{compared['id']}/").status_code

    assert [told(each) for each in (lead, auditor)] == [False, True]
    assert [event(each) for each in (lead, auditor)] == [403, 200]
    with pytest.raises(Refused, match="Compare it again"):
        approve(profile, approver)
    compare_profile(profile_id=profile.pk, organisation_id=organisation.pk, now=NOW + timedelta(minutes=2))
    assert "0 of 0 messages change" in " ".join(sign_in(lead).get(path).content.decode().split())
    for each in (item, other):
        for member in (alice, bob):
            review(each, member)
    assert event(lead) == 200


def test_that_something_written_beside_a_blind_answer_was_redacted_is_not_told(blind, alice, bob, auditor, organisation):
    review(blind, alice)
    flag_finding(choice=choose_finding(blind, "contradicted"), note="look", by=alice, now=NOW)
    actions.save_label(choice=choose(blind, 0, "a thought"), note="another", by=alice, now=NOW)
    one, other = (make_member(organisation, Role.ADMINISTRATOR, name) for name in ("Ada Abbot", "Ann Adler"))
    own = load_item(one, blind.pk)
    parts = [part.name for part in parts_of(own) if part.author == alice.user_id] + ["user_text"]
    proposed = propose_redaction(item_id=blind.pk, parts=parts, basis=RedactionBasis.ERASURE, reason="She asked.", by=one, now=NOW)
    approve_redaction(redaction_id=proposed.pk, by=other, now=NOW)
    told = ("a note", "a remark")

    def words_for(member):
        return {word for gone in redactions_of(load_item(member, blind.pk)) for word in gone.words}

    def parts_for_programs():
        client = Client(headers={"Authorization": f"Bearer {make_key(organisation, Scope.READ)}"})
        return [name for each in client.get(f"/api/v1/snapshots/{blind.pk}").json()["redactions"] for name in each["parts"]]

    assert words_for(auditor) == {"the user’s message", *told}
    assert words_for(bob) == {"the user’s message"}
    assert "a note" in words_for(alice)
    assert parts_for_programs() == ["user_text"]
    review(blind, bob)
    assert words_for(bob) == {"the user’s message", *told}
    assert set(parts_for_programs()) == set(parts)


def test_ones_signature_stays_if_only_a_colleagues_note_is_redacted(organisation, alice, lead):
    """It signs nothing of the note. Without it one would know that a colleague has written one."""
    item = make_item(organisation, **WRONG_FIT)
    run_blind(lead, overlap=3)
    for member, verdict in ((alice, Verdict.WRONG), (lead, Verdict.CORRECT)):
        review(item, member, verdict, note=f"what {member.user.name} thinks")
    mine, theirs = (sign_own(item, member) for member in (lead, alice))
    one, other = (make_member(organisation, Role.ADMINISTRATOR, name) for name in ("Ada Abbot", "Ann Adler"))
    note = next(part.name for part in parts_of(load_item(one, item.pk)) if part.author == alice.user_id)
    redact(item, [note], one, other)

    assert [is_redacted(each) for each in (mine, theirs)] == [False, True]
    assert 'data-standing="holds"' in _page(lead, item)


def is_redacted(signature) -> bool:
    signature.refresh_from_db()
    return signature.is_redacted


def sign_own(item, by):
    own = next(each for each in load_reviews(item.organisation_id, item.pk) if each.reviewer_id == by.user_id)
    return sign_as_it_stands(item, by, review_id=own.id, digest=digest_of(state_now(own)), label_count=own.label_count)


def test_the_redactions_tell_nobody_who_reviews_blind_that_a_colleague_put_a_remark(blind, alice, bob, lead, auditor, organisation):
    review(blind, alice)
    flag_finding(choice=choose_finding(blind, "contradicted"), note="look", by=alice, now=NOW)
    one, other = (make_member(organisation, Role.ADMINISTRATOR, name) for name in ("Ada Abbot", "Ann Adler"))
    remark = [part.name for part in parts_of(load_item(one, blind.pk)) if part.author == alice.user_id]
    asked, shown = (
        propose_redaction(item_id=blind.pk, parts=parts, basis=RedactionBasis.ERASURE, reason="She asked.", by=one, now=NOW)
        for parts in (remark, ["user_text"])
    )
    addresses = [f"/redactions/{asked.pk}/", f"/redactions/{shown.pk}/"]

    def told(member):
        client = sign_in(member)
        page = client.get("/redactions/").content.decode()
        return ["remark" in page, *(client.get(address).status_code for address in addresses)]

    assert told(other) == [True, 200, 200]
    assert told(lead) == [False, 404, 200]
    assert sign_in(lead).post(f"{addresses[0]}decline/").status_code == 404
    review(blind, bob)
    assert told(lead) == [True, 200, 200]


def test_the_event_of_ones_own_label_does_not_tell_who_made_a_citation(organisation, lead, auditor):
    made, found = make_item(organisation, **CITED), make_searched(organisation)
    run_all()
    run_blind(lead)
    for item in (made, found):
        label_all(item, lead)
    events_of_labels = events("citation_label.saved")

    assert {each["object"]["id"] for each in events_of_labels} == {str(made.pk), str(found.pk)}
    assert all("own" not in each["details"] for each in events_of_labels)
    assert {each["parts"]["count"] for each in events_of_labels} == {3}
    page = sign_in(lead).get(f"/ledger/events/{events_of_labels[0]['id']}/")
    assert page.status_code == 200, "what one did oneself can be read at any time"


def test_nobody_who_reviews_blind_learns_whether_a_search_for_citations_failed(organisation, lead):
    failed, plain = make_item(organisation, **UNCITED), make_item(organisation, **CITED)
    fail_search(failed)
    run_blind(lead)
    client = sign_in(lead)

    def answers():
        return [client.post(f"/items/{item.pk}/look-again/", headers={"HX-Request": "true"}) for item in (failed, plain)]

    assert [(each.status_code, "blind review" in each.content.decode()) for each in answers()] == [(409, True), (409, True)]
    review(failed, lead)
    assert "blind review" not in answers()[0].content.decode()


def test_the_report_of_a_lead_who_has_submitted_tells_nothing_that_a_colleague_did(organisation, alice, bob, lead, auditor):
    item = make_item(organisation, **WRONG_FIT)
    run_blind(lead, overlap=3)
    review(item, alice)
    flag_finding(choice=choose_finding(item, "contradicted"), note="look", by=alice, now=NOW)
    sign_as_it_stands(item, alice)
    review(item, lead)
    work = {"label.saved", "finding.flagged", "review.submitted", "signature.made"}

    def in_report(member):
        (answer,) = report_of(member, of_item(item.pk)).answers
        return {(each.action, each.by) for each in answer.events if each.action in work}

    def in_evidence(member):
        with zipfile.ZipFile(io.BytesIO(make_bundle(member, of_item(item.pk)))) as bundle:
            bodies = [json.loads(base64.b64decode(json.loads(line)["body"])) for line in bundle.read("events.jsonl").splitlines()]
        return {(body["action"], body["actor"]["id"]) for body in bodies if body["action"] in work}

    own = {"label.saved", "review.submitted"}
    assert {action for action, who in in_report(auditor) if who == alice.user.name} == work
    assert in_report(lead) == {(action, lead.user.name) for action in own}
    assert in_evidence(lead) == {(action, str(lead.user_id)) for action in own}
    review(item, bob)
    assert {action for action, who in in_report(lead) if who == alice.user.name} == work
    assert {action for action, who in in_evidence(lead) if who == str(alice.user_id)} == work


def test_what_is_hidden_is_shown_once_all_reviews_are_in(blind, alice, bob, organisation):
    for member in (alice, bob):
        review(blind, member)
    carol = make_member(organisation, Role.REVIEWER, "Carol Crane")

    assert Label.objects.exists()
    assert "Contradicted" in sign_in(carol).get(f"/items/{blind.pk}/unfound/").content.decode()
    assert sign_in(carol).get(f"/items/{blind.pk}/record/").status_code == 200


def _page(member, item) -> str:
    return sign_in(member).get(f"/items/{item.pk}/?sources=all&citations=all").content.decode()


def _without_markers(text: str) -> str:
    return text.replace(" [[SF:risk_level]]", "").replace(" [[TF:fit_score]]", "")


@pytest.mark.parametrize(
    "marked",
    [
        "{} Your risk is elevated.\n\nAsk first,\nthen wait.",
        "Your risk is elevated.\n\n{}\n\nAsk first,\nthen wait.",
        "Your risk is elevated.\n\nAsk first,\n{} then wait.",
        "Your risk is elevated.\n\nAsk first,\nthen wait.\n{}",
        "Your risk is elevated. {}\n\nAsk first,\t{}\nthen wait.\n\n{}",
    ],
)
def test_no_white_space_is_left_where_a_marker_stood(organisation, lead, bob, marked):
    plain = "Your risk is elevated.\n\nAsk first,\nthen wait."
    items = [make_item(organisation, response=text) for text in (marked.replace("{}", "[[SF:risk_level]]"), plain)]
    run_blind(lead)

    answers = [_answer_on(sign_in(bob).get(f"/items/{item.pk}/").content.decode()) for item in items]
    assert answers[0] == answers[1]
    assert "Ask first,\nthen wait." in answers[1]
    told = [report_of(lead, of_item(item.pk)).answers[0].text for item in items]
    assert " ".join(told[0].split()) == " ".join(plain.split())
    assert (told[0][0], told[0][-1], " \n" in told[0], "\n " in told[0]) == ("Y", ".", False, False)


def _answer_on(page: str) -> str:
    return page.partition('<div class="answer"')[2].partition("</div>")[0]


def test_a_control_row_is_not_left_alone_where_the_answer_is_redacted(blind, alice, bob, auditor):
    drawn = PlanItem.objects.get(item=blind)
    ControlRow.objects.create(organisation=blind.organisation, drawn=drawn, section="therapeutic_fit", path="fit_score", is_right=False)
    lead, administrator = lead_and_administrator(alice)
    redact(blind, ["response"], lead, administrator)

    page = sign_in(bob).get(f"/items/{blind.pk}/?unfound=1").content.decode()
    assert "0 fields found in the answer" in page
    assert "Reported as used" not in page
    assert "fit_score" in page
    assert "Attention check" in sign_in(auditor).get(f"/items/{blind.pk}/").content.decode()


def test_a_control_row_is_not_left_alone_where_its_value_is_redacted(blind, alice, bob, auditor):
    drawn = PlanItem.objects.get(item=blind)
    ControlRow.objects.create(organisation=blind.organisation, drawn=drawn, section="provider_genome", path="fee_range", is_right=False)
    claimed = _claimed(bob, blind)
    lead, administrator = lead_and_administrator(alice)
    redact(blind, ["context.provider_genome.fee_range", "context.provider_genome.provider_name"], lead, administrator)

    assert claimed >= {"fee_range", "provider_name"}
    assert _claimed(bob, blind) == claimed - {"fee_range", "provider_name"}
    assert "Attention check" in sign_in(auditor).get(f"/items/{blind.pk}/").content.decode()


def _claimed(member, item) -> set[str]:
    """The paths of the fields that the page shows as used."""
    found = load_item(member, item.pk)
    return {row.field.path for row in found.attribution.fields if found.claims(row)}
