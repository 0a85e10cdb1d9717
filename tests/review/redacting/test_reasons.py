"""Reasons, and the words of searches: redacted like notes, gone from every table, with every seal as it was."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import mark_external
from reviewers.accounts.models import Role
from reviewers.accounts.policies import ExternalTerms, Refused
from reviewers.ledger.models import AuditEvent, EventSecret, RedactionBasis
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.adjudication.actions import decide_conflict, reopen
from reviewers.review.legal_holds.actions import lift, propose_lift
from reviewers.review.models import Decision, Hold, HoldKind, Meaning, Signature, Verdict
from reviewers.review.redaction.actions import propose
from reviewers.snapshots.redactable_parts import BARS
from tests.factories import NOW, make_item, make_member, make_organisation, sign_in, without_proofs
from tests.ledger.opened import opened_tables
from tests.ledger.sealed import seal_now
from tests.markup import read_markup
from tests.review.deciding.cases import case_of, make_conflict, ruling_of
from tests.review.holds.held import make_hold
from tests.review.plans.planning import review, run_blind
from tests.review.redacting.redactable import lead_and_administrator, names_of, places_of, redact
from tests.review.signed import sign_as_it_stands

CANARIES = {
    "decision": "spinet",
    "reopening": "dulcimer",
    "opening": "theorbo",
    "ground": "sackbut",
    "search": "ocarina",
    "hold": "crumhorn",
}


@pytest.fixture(scope="module")
def world(committed_for_module):
    """An answer that was decided, signed, reopened, opened and revealed with a reason, searched for, and proposed for redaction before."""
    alice = make_member(make_organisation())
    lead, administrator = lead_and_administrator(alice)
    item = make_conflict(alice.organisation, record={"response": "Your risk is elevated, says the ocarina player of Ulm."})
    for row in case_of(item, lead).conflicts:
        decide_conflict(ruling=ruling_of(item, row, reason=f"the {CANARIES['decision']} says so"), by=lead, now=NOW)
    sign_as_it_stands(item, lead, Meaning.ADJUDICATED)
    reopen(item_id=item.pk, reason=f"the {CANARIES['reopening']} was missed", by=lead, now=NOW)
    without_proofs(lead).post(f"/items/{item.pk}/why/", {"kind": "audit", "reason": f"a {CANARIES['opening']} was asked for"})
    outsider, now = make_member(alice.organisation, Role.AUDITOR, "Otto Outer"), timezone.now()
    mark_external(member=outsider, outside=ExternalTerms("the audit", now + timedelta(days=1)), at=now, by=SYSTEM)
    without_proofs(outsider).post(f"/items/{item.pk}/reveal/", {"text": "all", "reason": f"that {CANARIES['opening']} again"})
    without_proofs(lead).post("/queue/search/", {"words": f"{CANARIES['search']} player"}, follow=True)
    make_past_hold(CANARIES["hold"], lead, administrator)
    propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason=f"the {CANARIES['ground']}", by=lead, now=NOW)
    return item, lead, administrator


def make_past_hold(word, lead, administrator):
    """A hold on a client that has no answer here any more, lifted by two."""
    hold = make_hold(lead, reference=f"client-{word}", reason=f"the {word} lawsuit")
    propose_lift(hold_id=hold.pk, reason=f"the {word} was found", by=lead, now=NOW)
    lift(hold_id=hold.pk, by=administrator, now=NOW)
    return hold


def elsewhere(member, redaction):
    """The names of parts that the page of a proposal tells of, by the turn."""
    page = read_markup(without_proofs(member).get(f"/redactions/{redaction.pk}/"))
    forms = [form for form in page.find("form") if form.find("fieldset")]
    return {form.one("legend").text: [field["value"] for field in form.find("input") if field["name"] == "parts"] for form in forms}


def test_the_page_of_a_proposal_tells_of_a_search_that_looked_for_these_words(world):
    item, lead, administrator = world
    redaction = propose(item_id=item.pk, parts=["response"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
    search = AuditEvent.objects.get(action="queue.searched")

    told = elsewhere(administrator, redaction)

    assert told == {"This turn, searches and past holds": ["context.safety.risk_level", f"search.{search.pk}"]}


@pytest.mark.parametrize("kind", CANARIES)
def test_each_is_gone_from_every_table_and_all_seals_hold(world, kind):
    item, lead, administrator = world
    assert places_of(CANARIES[kind]), "The word is not where it could be redacted."
    names = names_of(item, administrator, f"{kind}.")
    if kind == "search":
        names = [f"search.{AuditEvent.objects.get(action='queue.searched').pk}", "response"]
    if kind == "hold":
        names = [f"hold.{Hold.objects.get().pk}"]
    assert names

    people = (administrator, lead) if kind == "opening" else (lead, administrator)  # leads may not know yet what others have opened
    redact(item, names, *people)

    assert places_of(CANARIES[kind]) == []
    seal_now(item.organisation_id)
    assert verify(organisation_id=item.organisation_id).redacted
    assert not names_of(item, administrator, f"{kind}.") or kind == "ground", "nothing is redacted twice"


def test_a_past_hold_that_repeats_the_words_is_told_and_none_that_another_in_force_repeats(organisation, alice):
    lead, administrator = lead_and_administrator(alice)
    hold = make_past_hold("rebec", lead, administrator)
    item = make_item(organisation, user_text="the rebec lawsuit")
    redaction = propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
    assert elsewhere(administrator, redaction) == {"This turn, searches and past holds": [f"hold.{hold.pk}"]}

    make_hold(lead, reference=hold.reference)
    assert elsewhere(administrator, redaction) == {}
    with pytest.raises(Refused):
        propose(item_id=item.pk, parts=[f"hold.{hold.pk}"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)


def test_a_past_hold_that_says_the_reference_of_another_in_force_is_kept(organisation, alice):
    """It was about the same client, by one conversation."""
    lead, administrator = lead_and_administrator(alice)
    past = make_hold(lead, HoldKind.CONVERSATION, reason="the rebec lawsuit of client-psaltery", reference="talk-1")
    propose_lift(hold_id=past.pk, reason="it is settled", by=lead, now=NOW)
    lift(hold_id=past.pk, by=administrator, now=NOW)
    item = make_item(organisation, user_text="the rebec lawsuit")
    redaction = propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
    assert elsewhere(administrator, redaction) == {"This turn, searches and past holds": [f"hold.{past.pk}"]}

    make_hold(lead, reference="client-psaltery")
    assert elsewhere(administrator, redaction) == {}
    with pytest.raises(Refused):
        propose(item_id=item.pk, parts=[f"hold.{past.pk}"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)


def test_a_search_for_the_reference_of_a_hold_in_force_is_kept(organisation, alice):
    lead, administrator = lead_and_administrator(alice)
    item = make_item(organisation, user_text="the rebec lawsuit of client-psaltery")
    without_proofs(lead).post("/queue/search/", {"words": "client-psaltery"}, follow=True)
    search = f"search.{AuditEvent.objects.get(action='queue.searched').pk}"
    redaction = propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
    assert [search] in elsewhere(administrator, redaction).values()

    make_hold(lead, reference="client-psaltery")
    assert elsewhere(administrator, redaction) == {}
    with pytest.raises(Refused):
        propose(item_id=item.pk, parts=[search], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)


def test_what_stands_in_their_place_cannot_be_changed_unseen(world):
    item, _, _ = world
    assert {made.reason for made in Decision.objects.filter(snapshot=item.pk)} == {BARS}
    with opened_tables() as cursor:
        cursor.execute("UPDATE review_decision SET reason = 'another'")
        with pytest.raises(LedgerMismatch, match="reason"):
            verify(organisation_id=item.organisation_id)


def test_a_signature_that_names_a_reason_by_its_digest_is_emptied(world):
    assert {bytes(signature.statement) for signature in Signature.objects.all()} == {b""}


def test_a_search_whose_words_were_taken_by_hand_is_found(world):
    item, lead, _ = world
    without_proofs(lead).post("/queue/search/", {"words": "sleep"}, follow=True)
    seal_now(item.organisation_id)
    search = AuditEvent.objects.filter(action="queue.searched").latest("pk")
    with opened_tables() as cursor:
        cursor.execute("UPDATE ledger_eventsecret SET payload = '{}' WHERE event_id = %s", [search.pk])
        with pytest.raises(LedgerMismatch):
            verify(organisation_id=item.organisation_id)
    assert EventSecret.objects.get(pk=search.pk).payload


def test_the_words_of_another_organisations_search_cannot_be_named(world):
    item, lead, _ = world
    with pytest.raises(Refused):
        propose(
            item_id=item.pk,
            parts=["search.00000000-0000-0000-0000-000000000000"],
            basis=RedactionBasis.ERASURE,
            reason="not ours",
            by=lead,
            now=NOW,
        )


def test_another_turn_of_the_conversation_that_repeats_the_words_is_told_and_proposed_with_it(organisation, alice):
    lead, administrator = lead_and_administrator(alice)
    first = make_item(organisation, turn_index=1, user_text="my sister plays the hurdy-gurdy in Ulm", response="That is a loud one.")
    second = make_item(organisation, turn_index=2, user_text="what else?", response="As your sister plays the hurdy-gurdy, try the harp.")
    make_item(organisation, turn_index=1, conversation_id="another", user_text="my sister plays the hurdy-gurdy in Ulm")
    redaction = propose(item_id=first.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)

    assert elsewhere(administrator, redaction) == {"Turn 2": ["response"]}

    form = {"parts": "response", "basis": "erasure", "reason": "She asked."}
    answer = sign_in(lead).post(f"/items/{second.pk}/redact/propose/", form)
    assert answer.status_code == 302
    assert elsewhere(administrator, redaction) == {}, "it is proposed"


def test_notes_of_a_blind_review_are_told_to_nobody_who_could_review_it(organisation, alice):
    lead, administrator = lead_and_administrator(alice)
    words = "the fiddle from Ulm is out of tune"
    first = make_item(organisation, turn_index=1, user_text=words, response="Then have it tuned.", context={})
    second = make_item(organisation, turn_index=2, model="blind", user_text="what else?")
    run_blind(lead, name="Blind", candidates={"facets": {"model": ["blind"]}})
    review(second, alice, Verdict.WRONG, words)
    redaction = propose(item_id=first.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)

    assert elsewhere(lead, redaction) == {}
    assert list(elsewhere(administrator, redaction)) == ["Turn 2"]


def test_the_page_of_a_proposal_asks_the_same_however_many_turns_there_are(organisation, lead, django_assert_max_num_queries):
    first = make_item(organisation, turn_index=1, user_text="my sister plays the hurdy-gurdy in Ulm")
    redaction = propose(item_id=first.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
    browser = without_proofs(lead)
    for turn in (2, 3, 4):
        make_item(organisation, turn_index=turn, user_text="does my sister play the hurdy-gurdy?")
        with django_assert_max_num_queries(38):
            browser.get(f"/redactions/{redaction.pk}/")
