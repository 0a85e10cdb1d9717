"""Words that only some reviewers say are not in the record are a conflict, which a lead decides as others are."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from reviewers.accounts.models import Role
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.sequencer import seal_all
from reviewers.ledger.verification.organisation import verify
from reviewers.review.adjudication.actions import decide_conflict
from reviewers.review.adjudication.decisions import RowOutcome
from reviewers.review.labels.claims import shown_claims, take_back_claim
from reviewers.review.labels.queries import ClaimKey
from reviewers.review.models import ClaimOutcome, DecidedKind, Decision, Phase, QueueItem, Rule, UnsupportedClaim
from reviewers.review.queries import load_item
from reviewers.review.signing.statements import load_reviews, rebuild_statement, state_now
from tests.accounts.outside import mark
from tests.events import events
from tests.factories import NOW, choose, claim_words, make_item, make_key, make_member, sign_in
from tests.markup import read_markup
from tests.review.deciding.cases import case_of, phase_of, ruling_of
from tests.review.desk import FOUR_TRACKS
from tests.review.plans.planning import review, run_blind
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact

WORDS = "somebody answers at night"
HALF = "somebody answers"
LESS = "night"


def make_claimed(organisation, lead, *said, **terms):
    """An answer that as many people have reviewed blind as there are words here; whoever has none claims nothing."""
    item = make_item(organisation, **FOUR_TRACKS)
    run_blind(lead, **{"overlap": len(said)} | terms)
    for number, words in enumerate(said):
        reviewer = make_member(organisation, name=f"Reviewer {number}")
        if words:
            claim_words(item, reviewer, words, note=f"note {number}")
        review(item, reviewer)
    return QueueItem.objects.select_related("snapshot", "attribution", "plan").get(pk=item.pk)


def rows_on_claims(item, member):
    return [row for row in case_of(item, member).rows if isinstance(row.key, ClaimKey)]


def decide(item, lead, verdict=ClaimOutcome.SUPPORTED, **changes):
    (row,) = rows_on_claims(item, lead)
    return decide_conflict(ruling=ruling_of(item, row, verdict, **changes), by=lead, now=NOW)


@pytest.fixture
def claimed(organisation, lead):
    return make_claimed(organisation, lead, WORDS, "")


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [
        ((WORDS, WORDS), ["decided"]),
        ((WORDS, HALF), ["decided"]),
        ((WORDS, LESS), ["conflict", "conflict"]),
        ((WORDS, ""), ["conflict"]),
        (("", ""), []),
    ],
)
def test_a_claim_conflicts_where_spans_do_not_overlap_by_half(organisation, lead, said, outcomes):
    item = make_claimed(organisation, lead, *said)

    assert [row.outcome for row in rows_on_claims(item, lead)] == outcomes
    assert phase_of(item) == (Phase.CONSOLIDATING if "conflict" in outcomes else Phase.COMPLETE)


@pytest.mark.parametrize(
    ("rule", "said", "outcome", "verdict"),
    [
        (Rule.UNANIMOUS, (WORDS, WORDS, ""), RowOutcome.CONFLICT, ""),
        (Rule.MAJORITY, (WORDS, HALF, ""), RowOutcome.DECIDED, "unsupported"),
        (Rule.MAJORITY, (WORDS, "", ""), RowOutcome.DECIDED, "supported"),
        (Rule.LEAD, (WORDS, WORDS, WORDS), RowOutcome.CONFLICT, ""),
    ],
)
def test_the_rule_of_the_plan_applies_to_claims(organisation, lead, rule, said, outcome, verdict):
    item = make_claimed(organisation, lead, *said, rule=rule)

    (row,) = rows_on_claims(item, lead)
    assert (row.outcome, row.verdict) == (outcome, verdict)


@pytest.mark.parametrize("verdict", list(ClaimOutcome))
def test_a_lead_decides_and_the_item_is_complete(claimed, lead, verdict):
    case = decide(claimed, lead, verdict)

    assert (phase_of(claimed), case.conflicts) == (Phase.COMPLETE, [])
    decision, made = Decision.objects.get(), UnsupportedClaim.objects.get()
    assert (decision.kind, decision.start, decision.end, decision.verdict) == (DecidedKind.CLAIM, made.start, made.end, verdict)
    assert decision.labels == [str(made.pk)]
    (told,) = events("conflict.decided")
    assert told["details"]["verdict"] == verdict
    assert WORDS not in str(told)
    seal_all(now=NOW)
    verify(organisation_id=claimed.organisation_id)


@pytest.mark.parametrize("verdict", ["", "none", "correct", "cannot_judge"])
def test_a_claim_is_in_the_record_or_not(claimed, lead, verdict):
    with pytest.raises(Invalid, match="Choose"):
        decide(claimed, lead, verdict)


def test_whoever_reviewed_the_answer_decides_nothing_of_it(organisation, lead, alice):
    item = make_item(organisation, **FOUR_TRACKS)
    run_blind(lead)
    review(item, lead)
    claim_words(item, alice, WORDS)
    review(item, alice)

    with pytest.raises(Refused, match="reviewed this answer yourself"):
        decide(item, lead)


def test_a_label_that_joins_a_claim_after_its_decision_settles_it_and_one_taken_back_opens_nothing(claimed, lead):
    decide(claimed, lead)
    silent = make_reviewer(claimed, 1)

    claim_words(claimed, silent, HALF, reason="on a second reading")
    (row,) = rows_on_claims(claimed, lead)
    assert (row.outcome, row.verdict, row.made) == (RowOutcome.DECIDED, "unsupported", None)

    first = UnsupportedClaim.objects.order_by("id").first()
    take_back_claim(choice=choose(claimed, 0, "no"), claim=ClaimKey(first.start, first.end), by=make_reviewer(claimed, 0), now=NOW)
    (row,) = rows_on_claims(claimed, lead)
    assert row.outcome is RowOutcome.CONFLICT
    assert phase_of(claimed) == Phase.CONSOLIDATING


def make_reviewer(item, number):
    """The reviewer who submitted as this one, from 0."""
    return item.snapshot.submissions.order_by("slot")[number].reviewer.memberships.get()


def test_a_note_that_was_changed_brings_a_decided_claim_before_a_lead_again(claimed, lead):
    decide(claimed, lead)

    claim_words(claimed, make_reviewer(claimed, 0), WORDS, note="nowhere at all", reason="clearer")

    assert [row.outcome for row in rows_on_claims(claimed, lead)] == [RowOutcome.CONFLICT]
    assert phase_of(claimed) == Phase.CONSOLIDATING


def test_nobody_learns_of_a_claim_before_all_have_submitted(organisation, lead, alice, bob):
    item = make_item(organisation, **FOUR_TRACKS)
    run_blind(lead)
    claim_words(item, alice, WORDS, note="a trombone")
    review(item, alice)

    for member in (bob, lead):
        for path in (f"/items/{item.pk}/", "/conflicts/", "/inbox/"):
            page = sign_in(member).get(path).content.decode()
            assert "a trombone" not in page
            assert "Labels conflict" not in page
        assert sign_in(member).get(f"/conflicts/{item.pk}/").status_code in (302, 403)

    review(item, bob)
    assert "1 conflict to decide" in sign_in(lead).get(f"/conflicts/{item.pk}/").content.decode()


def test_the_page_shows_the_words_in_the_answer_and_who_marked_them(organisation, lead):
    item = make_claimed(organisation, lead, WORDS, HALF, "", rule=Rule.UNANIMOUS)

    page = read_markup(sign_in(lead).get(f"/conflicts/{item.pk}/"))

    assert "".join(mark.text for mark in page.one("div", class_="answer").find("mark")) == WORDS
    assert page.one("p", class_="claim").text == WORDS
    rows = page.one("table", class_="plain stack voices").one("tbody").find("tr")
    assert [[cell.text for cell in row.find("th") + row.find("td")] for row in rows] == [
        ["Reviewer 0", "Not in the record", "note 0"],
        ["Reviewer 1", "Not in the record", f"of ‘{HALF}’note 1"],
        ["Reviewer 2", "No label", ""],
    ]
    choices = {choice["value"]: choice["data-key"] for choice in page.find("input", name="verdict")}
    assert choices == {"unsupported": "1", "supported": "2"}


def test_what_was_decided_is_beside_the_words(claimed, lead, auditor):
    form = {"attribution": str(claimed.attribution_id), "labels": str(UnsupportedClaim.objects.get().pk)}
    client = sign_in(lead)
    client.post(f"/conflicts/{claimed.pk}/decide/", form | {"verdict": "supported", "reason": "the plan says so"})

    section = read_markup(sign_in(auditor).get(f"/items/{claimed.pk}/")).one("section", class_="unsupported")
    assert " ".join(section.one("p", class_="decided").text.split()) == f"Decided: In the record, by {lead.user.name}: the plan says so"
    program = {"Authorization": f"Bearer {make_key(claimed.organisation, 'read')}"}
    (told,) = client.get(f"/api/v1/items/{claimed.pk}", headers=program).json()["unsupported"]
    assert (told["decision"]["verdict"], told["decision"]["lead"]) == ("supported", lead.user.name)
    assert "the plan says so" not in told["decision"]["reason"], "a program reads no reasons"


@pytest.mark.parametrize(("verdict", "title"), [("supported", ""), ("unsupported", "A lead has decided that this is not in the record.")])
def test_the_sheet_of_the_answer_says_what_was_decided(organisation, lead, verdict, title):
    item = make_claimed(organisation, lead, WORDS, "")
    path, coordinator = f"/why/{item.pk}/", make_member(organisation, Role.COORDINATOR, "Cora Cole")
    assert "1 of 2 reviewers says that this is not in the record." in sign_in(coordinator).get(path).content.decode()

    decide(item, lead, verdict)

    page = sign_in(coordinator).get(path).content.decode()
    assert title in page
    assert (WORDS in page.partition("not in the record")[2][:600]) is bool(title)


def test_a_signature_covers_what_was_decided(claimed, lead):
    before = state_now(load_reviews(claimed.organisation_id, claimed.pk)[0])
    decide(claimed, lead)

    (signed, _) = load_reviews(claimed.organisation_id, claimed.pk)
    now = state_now(signed)
    assert "decisions" not in before
    assert [each["kind"] for each in now["decisions"]] == ["claim"]
    assert rebuild_statement(signed, now) == now


def test_the_reason_is_redacted_and_the_ledger_verifies(claimed, lead):
    decide(claimed, lead, reason="a bassoon")
    first, admin = lead_and_administrator(lead)

    redact(claimed, names_of(claimed, first, "decision"), first, admin)

    assert "bassoon" not in Decision.objects.get().reason
    seal_all(now=NOW)
    verify(organisation_id=claimed.organisation_id)


def test_a_member_from_outside_reads_the_verdict_and_neither_words_nor_reason(claimed, lead):
    decide(claimed, lead, reason="a bassoon")
    outside = mark(make_member(claimed.organisation, Role.AUDITOR, "Ida Inkpen"))

    (shown,) = shown_claims(load_item(outside, claimed.pk))

    assert shown.decided is not None
    assert shown.decided.verdict == "In the record"
    assert "bassoon" not in shown.decided.reason
    assert WORDS not in shown.words


def test_the_database_takes_no_other_row_for_a_claim(claimed, lead):
    decision = {"organisation": claimed.organisation, "snapshot_id": claimed.pk, "round": 1, "attribution_id": claimed.attribution_id}
    said = {"verdict": "supported", "reason": "so", "labels": [], "decided_at": NOW, "decided_by": lead.user, "kind": DecidedKind.CLAIM}

    for wrong in ({}, {"start": 3, "end": 9, "path": "x"}, {"start": 3, "end": 9, "verdict": "correct"}):
        with pytest.raises(IntegrityError, match="decided_"), transaction.atomic():
            Decision.objects.create(**decision, **said | wrong)
