"""Judgements by a model on pages, in the API, in reports, and where they must not be: blind, redacted, in another's place."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from reviewers.accounts.models import Organisation
from reviewers.ledger.verification.organisation import verify
from reviewers.review.agreement.queries import agreement_with_people
from reviewers.review.labels import actions
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationVerdict
from reviewers.snapshots.judged_support import actions as judging_citations
from reviewers.snapshots.judged_support.actions import find_pending_support, judge_pending
from reviewers.snapshots.models import SnapshotDocuments, SupportJudgement, SupportOutcome, SupportRequest
from tests.api.sending import program_of
from tests.factories import CITED, NOW, label_citation, make_item, make_member, sign_in, without_proofs
from tests.ledger.sealed import seal_now
from tests.model_endpoint import KEY, NAME, serving
from tests.reports.exporting.made import of_item, written
from tests.review.plans.planning import run_blind
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact
from tests.snapshots.judged import FIRST, SECOND, USUAL, judge_here, judging, run_judging, turn_on_judging, waiting


@pytest.fixture
def lead(organisation):
    return make_member(organisation, "lead", "Leo Lindqvist")


def page_of(member, item):
    return without_proofs(member).get(reverse("item", args=[item.pk])).content.decode()


def test_the_page_says_it_beside_labels_with_sentence_and_model_and_never_green(organisation, alice):
    item = judge_here(organisation)

    page = page_of(alice, item)

    assert page.count('data-judged="') == 2
    for words in ("A model judged: contradicts", "A model judged: supports", FIRST, SECOND, NAME):
        assert words in page
    shown = [each.split("</div>")[0] for each in page.split('class="by-model"')[1:]]
    assert not [each for each in shown if 'data-tone="good"' in each]
    label_citation(sign_in(alice), item)
    assert "A model judged: contradicts" in page_of(alice, item)


def test_a_label_drawn_again_keeps_the_judgement_beside_it(organisation, alice):
    item = judge_here(organisation)

    drawn = label_citation(sign_in(alice), item, headers={"HX-Request": "true"}).content.decode()

    assert "A model judged: contradicts" in drawn


def test_nothing_that_the_engine_said_changes(organisation, alice):
    before = SnapshotDocuments.objects.get(attribution__snapshot=make_item(organisation, **CITED).pk)
    after = SnapshotDocuments.objects.get(attribution__snapshot=judge_here(organisation).pk)

    assert (before.validity, before.trust, bytes(before.digest)) == (after.validity, after.trust, bytes(after.digest))


def test_a_refused_judgement_is_said_to_be(organisation, alice):
    item = judge_here(organisation, judging("supports", "A lie about <b>nightingales</b>."), USUAL[1])

    page = page_of(alice, item)

    assert "A model’s judgement was refused" in page
    assert "the sentence that it named does not stand in the source" in page
    assert "nightingales" not in page


def test_hostile_texts_are_text(organisation, alice):
    hostile = "<script>alert(1)</script> should be asked first."
    documents = [CITED["documents"][0], {"title": "x", "content": hostile}]
    item = judge_here(organisation, USUAL[0], judging("supports", hostile), documents=documents)

    page = page_of(alice, item)

    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_while_a_blind_review_lasts_nothing_is_shown_or_told(organisation, alice, lead):
    item = judge_here(organisation)
    run_blind(lead)

    page = page_of(alice, item)
    told = program_of(organisation).get(f"/api/v1/snapshots/{item.pk}").content.decode()

    for each in (page, told):
        assert "model judged" not in each
        assert "judged-support" not in each
        assert FIRST not in each or each is page
    assert json.loads(told)["judged_support"] is None
    refused = sign_in(lead).post(reverse("ask_for_support", args=[item.pk]))
    assert refused.status_code == 409


def test_an_answer_under_blind_review_is_not_sent(organisation, lead, settings):
    turn_on_judging(organisation)
    make_item(organisation, **CITED)
    run_blind(lead)
    with serving(*USUAL) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY = script.url, NAME, KEY
        result = run_judging()

    assert (result.outcome, result.reason, script.asked) == ("skipped", "the answer is under blind review", [])


def test_a_judgement_that_comes_when_a_blind_review_has_begun_is_not_stored(organisation, lead, settings, monkeypatch):
    turn_on_judging(organisation)
    make_item(organisation, **CITED)
    ask = judging_citations._ask

    def asked_meanwhile(*given):
        run_blind(lead)
        return ask(*given)

    monkeypatch.setattr(judging_citations, "_ask", asked_meanwhile)
    with serving(*USUAL) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY = script.url, NAME, KEY
        result = run_judging()

    assert (result.outcome, result.reason, len(script.asked)) == ("skipped", "the answer is under blind review", 1)
    assert not SupportJudgement.objects.exists()


def test_the_figures_of_the_settings_leave_out_what_their_reader_reviews_blind(organisation, lead, auditor):
    judge_here(organisation, model="drawn")
    run_blind(lead, candidates={"facets": {"model": ["drawn"]}})

    def told(member) -> str:
        return sign_in(member).get(reverse("judged_support")).content.decode()

    assert ("<dd>2</dd>" in told(auditor), "1,800 sent" in told(auditor)) == (True, True)
    assert ("<dd>0</dd>" in told(lead), "0 sent" in told(lead)) == (True, True)
    assert "Answers that you review blind are left out" in told(lead)
    assert "left out" not in told(auditor)


def test_a_redacted_answer_is_not_sent(organisation, alice, settings):
    turn_on_judging(organisation)
    item = make_item(organisation, **CITED)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, "user_text"), lead, administrator)
    with serving(*USUAL) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY = script.url, NAME, KEY
        result = run_judging()

    assert (result.outcome, result.reason, script.asked) == ("skipped", "parts of this record were redacted", [])
    assert sign_in(lead).post(reverse("ask_for_support", args=[item.pk])).status_code == 409


def test_a_redaction_empties_judgements_and_nothing_is_repeated_from_them(organisation, alice):
    item = judge_here(organisation)
    lead, administrator = lead_and_administrator(alice)

    redact(item, names_of(item, lead, "documents."), lead, administrator)

    rows = SupportJudgement.objects.values_list("verdict", "reason", "sentence_start", "question_digest")
    assert list(rows) == [("", "redacted", None, None)] * 2
    assert "it was emptied with parts of this record that were redacted" in page_of(alice, item)
    seal_now(organisation.pk)
    assert verify(organisation_id=organisation.pk).redacted


def test_a_judgement_under_way_stores_nothing_of_what_was_redacted(organisation, alice, settings):
    turn_on_judging(organisation)
    item = make_item(organisation, **CITED)
    wanted = find_pending_support(SupportRequest.objects.get().pk)
    lead, administrator = lead_and_administrator(alice)

    def redacting(exchange):
        redact(item, names_of(item, lead, "documents."), lead, administrator)

    redacting(None)
    with serving(*USUAL) as script:
        settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY = script.url, NAME, KEY
        outcome, reason = judge_pending(wanted)

    assert (outcome, reason) == (SupportOutcome.SKIPPED, "parts of this record were redacted")
    assert not SupportJudgement.objects.exists()


def test_a_lead_has_an_earlier_answer_judged(organisation, alice, lead):
    item = make_item(organisation, **CITED)
    assert "Have its citations judged" not in page_of(lead, item)
    turn_on_judging(organisation)
    assert "Have its citations judged" in page_of(lead, item)
    assert "Have its citations judged" not in page_of(alice, item)

    assert sign_in(lead).post(reverse("ask_for_support", args=[item.pk])).status_code == 302
    assert len(waiting()) == 1
    assert "A model is being asked" in page_of(lead, item)
    assert sign_in(lead).post(reverse("ask_for_support", args=[item.pk])).status_code == 409


def test_the_api_tells_it_beside_the_checks(organisation):
    item = judge_here(organisation)

    told = program_of(organisation).get(f"/api/v1/snapshots/{item.pk}").json()["judged_support"]

    assert told["state"] == "judged"
    assert [(each["source"], each["verdict"], each["sentence"], each["model"]) for each in told["judgements"]] == [
        ("doc-1", "contradicts", FIRST, NAME),
        ("doc-2", "supports", SECOND, NAME),
    ]
    other = make_item(organisation, **CITED)
    assert program_of(organisation).get(f"/api/v1/snapshots/{other.pk}").json()["judged_support"] is None


@pytest.mark.parametrize("form", ["jsonl", "csv", "html", "pdf"])
def test_reports_have_it_beside_the_checks(organisation, form):
    item = judge_here(organisation)

    report = written(make_member(organisation, "auditor"), form, of_item(item.pk))

    if form == "jsonl":
        (answer,) = [line for line in map(json.loads, report.splitlines()) if "documents" in line]
        judged = [cited["judged"] for document in answer["documents"] for cited in document["citations"]]
        said = [(each["verdict"], each["sentence"], each["model"]) for each in judged]
        assert said == [("contradicts", FIRST, NAME), ("supports", SECOND, NAME)]
    elif form != "pdf":
        assert "A model judged: contradicts" in report.decode()


def submit_labels(organisation, *verdicts, reviewer):
    """Judge an answer, and submit labels of its citations."""
    item = judge_here(organisation)
    for number, verdict in enumerate(verdicts):
        choice = RowChoice(item.pk, item.attribution_id, number)
        actions.save_citation_label(choice=choice, verdict=CitationVerdict(verdict), by=reviewer, now=NOW)
    actions.label_remaining(item_id=item.pk, by=reviewer, now=NOW)
    actions.submit(item_id=item.pk, by=reviewer, now=NOW)


def test_agreement_is_told_once_there_are_enough_labels(organisation, alice, lead):
    submit_labels(organisation, "contradicts", "does_not_say", reviewer=alice)

    few = agreement_with_people(organisation, NOW)
    assert dict(few.table) == {"supports": [0, 0, 0], "does_not_say": [1, 0, 0], "contradicts": [0, 0, 1]}
    assert (few.all.rows, few.all.is_enough) == (2, False)
    page = sign_in(lead).get(reverse("judged_support")).content.decode()
    assert page.count("cannot tell yet") == 2
    assert "1,800 sent" in page

    for _ in range(10):
        submit_labels(organisation, "contradicts", "cannot_judge", reviewer=alice)
        submit_labels(organisation, "contradicts", "supports", reviewer=alice)
    enough = agreement_with_people(organisation, NOW)
    assert (enough.all.rows, enough.all.is_enough) == (32, True)
    assert enough.all.percent.value == pytest.approx(31 / 32)


def test_labels_that_are_not_submitted_do_not_count(organisation, alice):
    item = judge_here(organisation)
    label_citation(sign_in(alice), item)

    assert agreement_with_people(organisation, NOW).all.rows == 0


def test_the_switch_is_a_lead_s_and_needs_a_model(organisation, alice, lead, settings):
    address = reverse("switch_judged_support")
    assert sign_in(alice).post(address, {"on": "1"}).status_code == 403
    sign_in(lead).post(address, {"on": "1"})
    assert not Organisation.objects.get(pk=organisation.pk).judges_support

    settings.MODEL_URL, settings.MODEL_NAME = "https://models.example.org/v1", NAME
    sign_in(lead).post(address, {"on": "1"})
    assert Organisation.objects.get(pk=organisation.pk).judges_support
    assert "models.example.org" in sign_in(lead).get(reverse("settings")).content.decode()

    settings.MODEL_URL = ""
    sign_in(lead).post(address, {"on": "0"})
    assert not Organisation.objects.get(pk=organisation.pk).judges_support
