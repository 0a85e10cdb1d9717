"""Legal holds: what they cover, what they forbid, who lifts them, and that a hold and a redaction at the same moment take turns."""

from __future__ import annotations

import re
import threading
import time
from contextlib import suppress
from datetime import date, timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from reviewers.accounts.models import Membership, Role
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose
from reviewers.ledger.models import RedactionBasis, RedactionDecision
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.review.legal_holds.actions import HoldTerms, keep, lift, place, propose_lift
from reviewers.review.models import Hold, HoldKind, LiftDecision, QueueItem
from reviewers.review.queries import load_item, load_items
from reviewers.review.redaction.actions import approve, propose
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import BARS
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, make_item, make_member, make_organisation, prove, sign_in, without_proofs
from tests.protected_text.canaries import file_of
from tests.reports.exporting.made import report_of
from tests.review.holds.held import make_hold, make_lifting
from tests.review.plans.planning import run_blind
from tests.threads import at_once


@pytest.fixture
def lead(organisation):
    return make_member(organisation, Role.LEAD, "Leda Lund")


@pytest.fixture
def other_lead(organisation):
    return make_member(organisation, Role.LEAD, "Lars Lind")


def propose_redaction(item, by):
    return propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked for it.", by=by, now=NOW)


def is_held(item) -> bool:
    (found,) = load_items(QueueItem.objects.filter(pk=item.pk))
    return bool(found.holds)


def test_a_client_is_held_with_all_that_arrives_later_and_nobody_else(organisation, lead):
    first, other = make_item(organisation, client_reference="c-1"), make_item(organisation, client_reference="c-10")
    make_hold(lead, reference="c-1")
    later = make_item(organisation, client_reference="c-1")

    assert [is_held(item) for item in (first, later, other)] == [True, True, False]


@pytest.mark.parametrize("reference", ["c-1 ", " c-1", "\u3000c-1", "c-1\u00a0"])
def test_a_client_is_held_whose_reference_has_spaces_around_it(organisation, lead, reference):
    """Placed from the answer's own page: the reference of the form is the one that answers have."""
    item, typed = make_item(organisation, client_reference=reference), make_item(organisation, client_reference="c-2")
    for name in (reference, " c-2 "):
        form = {"kind": "client", "client": name, "reason": "a lawsuit"}
        assert prove(sign_in(lead), lead, Purpose.HOLD).post("/holds/place/", form).status_code == 302

    assert [is_held(each) for each in (item, typed)] == [True, True]


def test_a_conversation_a_plan_and_a_period_are_held(organisation, lead):
    talk, other = make_item(organisation, conversation_id="talk-1"), make_item(organisation, conversation_id="talk-2")
    make_hold(lead, HoldKind.CONVERSATION, reference="talk-1")
    assert (is_held(talk), is_held(other)) == (True, False)

    planned = make_item(organisation, model="planned", client_reference="c-2")
    plan = run_blind(lead, candidates={"facets": {"model": ["planned"]}})
    make_hold(lead, HoldKind.PLAN, plan_id=plan.pk)
    assert (is_held(planned), is_held(other)) == (True, False)

    then = make_item(organisation, conversation_id="talk-3", answered_at="2024-02-29T23:59:59Z")
    make_hold(lead, HoldKind.PERIOD, since=date(2024, 2, 29), until=date(2024, 2, 29))
    assert (is_held(then), is_held(other)) == (True, False)


def test_another_organisation_is_not_held_by_the_same_reference(organisation, lead):
    elsewhere = make_organisation("Elsewhere Clinic")
    with tenant.within(elsewhere.pk):
        make_hold(make_member(elsewhere, Role.LEAD), reference="c-1")
    assert not is_held(make_item(organisation, client_reference="c-1"))


def test_nothing_of_what_is_held_is_redacted_until_two_have_lifted_it(organisation, lead, other_lead):
    item = make_item(organisation, client_reference="c-1")
    waiting = propose_redaction(item, lead)
    hold = make_hold(lead, reference="c-1")

    with pytest.raises(Refused, match="under a legal hold"):
        approve(redaction_id=waiting.pk, by=other_lead, now=NOW)
    with pytest.raises(Refused, match="under a legal hold"):
        propose_redaction(item, lead)
    assert load_item(lead, item.pk).record["user_text"]

    propose_lift(hold_id=hold.pk, reason="it is settled", by=lead, now=NOW)
    with pytest.raises(Refused, match="Somebody else"):
        lift(hold_id=hold.pk, by=lead, now=NOW)
    with pytest.raises(Refused, match="under a legal hold"):
        approve(redaction_id=waiting.pk, by=other_lead, now=NOW)
    lift(hold_id=hold.pk, by=other_lead, now=NOW)
    approve(redaction_id=waiting.pk, by=other_lead, now=NOW)

    assert not is_held(item)


def test_what_two_holds_cover_stays_held_when_one_is_lifted(organisation, lead, other_lead):
    item = make_item(organisation, client_reference="c-1", conversation_id="talk-1")
    first = make_hold(lead, reference="c-1")
    make_hold(lead, HoldKind.CONVERSATION, reference="talk-1")
    propose_lift(hold_id=first.pk, reason="it is settled", by=lead, now=NOW)
    lift(hold_id=first.pk, by=other_lead, now=NOW)

    with pytest.raises(Refused, match="under a legal hold"):
        propose_redaction(item, lead)


def test_a_proposal_is_decided_once_and_another_one_can_follow(organisation, lead, other_lead):
    hold = make_hold(lead, reference="c-1")
    with pytest.raises(Refused, match="Nobody has proposed"):
        lift(hold_id=hold.pk, by=other_lead, now=NOW)
    propose_lift(hold_id=hold.pk, reason="it is settled", by=lead, now=NOW)
    with pytest.raises(Refused, match="already"):
        propose_lift(hold_id=hold.pk, reason="it is settled", by=other_lead, now=NOW)
    assert keep(hold_id=hold.pk, by=other_lead, now=NOW).outcome == "declined"
    propose_lift(hold_id=hold.pk, reason="it is, really", by=lead, now=NOW)
    assert keep(hold_id=hold.pk, by=lead, now=NOW).outcome == "withdrawn"
    propose_lift(hold_id=hold.pk, reason="now it is", by=lead, now=NOW)
    lift(hold_id=hold.pk, by=other_lead, now=NOW)
    for again in (lambda: lift(hold_id=hold.pk, by=other_lead, now=NOW), lambda: keep(hold_id=hold.pk, by=lead, now=NOW)):
        with pytest.raises(Refused, match="lifted already"):
            again()


@pytest.mark.parametrize(
    "terms",
    [
        HoldTerms(HoldKind.CLIENT, ""),
        HoldTerms(HoldKind.CLIENT, "why"),
        HoldTerms(HoldKind.PLAN, "why"),
        HoldTerms(HoldKind.PERIOD, "why"),
        HoldTerms(HoldKind.PERIOD, "why", since=date(2026, 2, 2), until=date(2026, 2, 1)),
    ],
)
def test_a_hold_of_nothing_or_without_a_reason_is_not_placed(lead, terms):
    with pytest.raises(Refused):
        place(terms=terms, by=lead, now=NOW)
    assert not Hold.objects.exists()


def test_the_database_refuses_an_approval_of_what_is_held_whoever_writes_it(organisation, lead, other_lead):
    """As the web's role, past the policy."""
    item = make_item(organisation, client_reference="c-1")
    waiting = propose_redaction(item, lead)
    make_hold(lead, reference="c-1")

    row = {"redaction": waiting, "organisation_id": organisation.pk, "proposed_by": lead.user_id, "decided_by": other_lead.user_id}
    with pytest.raises(DatabaseError, match="legal hold"), transaction.atomic():
        RedactionDecision.objects.create(**row, outcome="approved", decided_at=NOW, touched=[], made_in=1)
    RedactionDecision.objects.create(**row, outcome="declined", decided_at=NOW, made_in=1)


def test_the_database_lets_nobody_lift_a_hold_alone_or_by_a_proposal_of_another(organisation, lead, other_lead):
    first, second = make_hold(lead, reference="c-1"), make_hold(lead, reference="c-2")
    proposal = propose_lift(hold_id=first.pk, reason="it is settled", by=lead, now=NOW)
    row = {"organisation": organisation, "proposal": proposal, "outcome": "lifted", "decided_at": NOW}
    for who in (
        {"hold": first, "proposed_by": lead.user, "decided_by": lead.user},
        {"hold": first, "proposed_by": other_lead.user, "decided_by": lead.user},
        {"hold": second, "proposed_by": lead.user, "decided_by": other_lead.user},
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:  # noqa: PT012 — either may refuse
            LiftDecision.objects.create(**row, **who)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_the_database_decides_on_no_lifting_that_it_does_not_find(organisation, lead, other_lead):
    """Another organisation's, or one that is written after its decision."""
    other = make_organisation("Elsewhere")
    with tenant.within(other.pk):
        elsewhere = make_lifting(other)
    row = {"organisation": organisation, "proposal_id": elsewhere.pk, "hold_id": elsewhere.hold_id, "outcome": "lifted", "decided_at": NOW}

    with pytest.raises(DatabaseError, match="is proposed here before it is decided"), transaction.atomic():
        LiftDecision.objects.create(**row, proposed_by_id=elsewhere.proposed_by_id, decided_by=other_lead.user)


@pytest.mark.parametrize("changes", [{"role": Role.COORDINATOR}, {"ended_at": NOW + timedelta(hours=1)}], ids=["another role", "left"])
def test_whoever_may_lift_no_holds_any_more_is_no_first_of_two(organisation, lead, other_lead, changes):
    hold = make_hold(other_lead, reference="c-1")
    propose_lift(hold_id=hold.pk, reason="it is settled", by=lead, now=NOW)
    Membership.objects.filter(pk=lead.pk).update(**changes)

    with pytest.raises(Refused, match="may not place and lift legal holds any more"):
        lift(hold_id=hold.pk, by=other_lead, now=NOW + timedelta(hours=2))
    assert keep(hold_id=hold.pk, by=other_lead, now=NOW).outcome == "declined"


def test_somebody_who_came_after_the_proposal_does_not_lift_it(organisation, lead):
    hold = make_hold(lead, reference="c-1")
    proposal = propose_lift(hold_id=hold.pk, reason="it is settled", by=lead, now=NOW)
    late = make_member(organisation, Role.LEAD, "Nora New")
    Membership.objects.filter(pk=late.pk).update(created_at=NOW + timedelta(hours=1))

    with pytest.raises(Refused, match="before the proposal"):
        lift(hold_id=hold.pk, by=late, now=NOW + timedelta(hours=2))
    row = {"organisation": organisation, "proposal": proposal, "hold": hold, "proposed_by": lead.user, "decided_by": late.user}
    with pytest.raises(DatabaseError, match="two different members"), transaction.atomic():
        LiftDecision.objects.create(**row, outcome="lifted", decided_at=NOW + timedelta(hours=2))


def test_a_hold_and_an_approval_at_the_same_moment_take_turns(committed):
    """Either it was redacted before the hold was there, or it is held and whole: never held and redacted afterwards."""
    organisation = make_organisation()
    lead, other = make_member(organisation, Role.LEAD, "Leda Lund"), make_member(organisation, Role.LEAD, "Lars Lind")
    for number in range(6):
        item = make_item(organisation, client_reference=f"c-{number}")
        waiting = propose_redaction(item, lead)
        at_once([lambda n=number: _try(lambda: make_hold(lead, reference=f"c-{n}")), lambda w=waiting: _try(lambda: _approve(w, other))])
        written = [event["action"] for event in events() if event["action"] in ("hold.placed", "redaction.approved")]
        assert is_held(item)
        assert written[-1] == "hold.placed", "an approval came first, or was refused"


def _approve(waiting, by) -> None:
    approve(redaction_id=waiting.pk, by=by, now=NOW)


def _try(call) -> None:
    with suppress(Refused):
        call()


def test_an_approval_waits_for_a_hold_that_is_being_placed(committed):
    """The database itself: the second transaction sees what the first has written, though it began before."""
    organisation = make_organisation()
    lead, other = make_member(organisation, Role.LEAD, "Leda Lund"), make_member(organisation, Role.LEAD, "Lars Lind")
    waiting = propose_redaction(make_item(organisation, client_reference="c-1"), lead)

    placed = threading.Event()

    def slowly() -> None:
        with transaction.atomic():
            make_hold(lead, reference="c-1")
            placed.set()
            time.sleep(0.5)  # long enough for the approval to meet the open transaction, whichever way that goes

    def soon() -> str:
        assert placed.wait(60)
        try:
            _approve(waiting, other)
        except Refused as refusal:
            return str(refusal)
        return "redacted"

    assert "under a legal hold" in at_once([slowly, soon])[1]


def test_nothing_is_approved_by_what_was_there_before_a_hold(committed):
    """As the web's role, in a transaction that began before the hold was placed and repeats its reads."""
    organisation = make_organisation()
    lead, other = make_member(organisation, Role.LEAD, "Leda Lund"), make_member(organisation, Role.LEAD, "Lars Lind")
    item = make_item(organisation, client_reference="c-1")
    waiting, begun, placed = propose_redaction(item, lead), threading.Event(), threading.Event()

    def long_ago() -> None:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            assert not Hold.objects.exists()
            begun.set()
            assert placed.wait(60)
            with pytest.raises(DatabaseError, match="judged by what is there now"), transaction.atomic():
                _approve(waiting, other)

    def meanwhile() -> None:
        assert begun.wait(60)
        make_hold(lead, reference="c-1")
        placed.set()

    at_once([long_ago, meanwhile])
    assert BARS.encode() not in bytes(Snapshot.objects.get(pk=item.pk).record)


def test_the_item_says_it_is_held_and_the_pages_lead_through_it(organisation, lead, other_lead):
    item = make_item(organisation, client_reference="c-1")
    client, other = sign_in(lead), sign_in(other_lead)
    form = client.get(f"/holds/new/?item={item.pk}").content.decode()
    assert 'value="c-1"' in form

    placed = client.post("/holds/place/", {"kind": "client", "client": "c-1", "reason": "a lawsuit"})
    page = client.get(placed["Location"]).content.decode()
    assert "In force" in page
    assert "1 so far" in page
    assert "a lawsuit" in client.get("/holds/").content.decode()
    shown = client.get(f"/items/{item.pk}/").content.decode()
    assert "Under legal hold" in shown
    assert client.get(f"/items/{item.pk}/redact/").content.decode().count("Under legal hold") == 1
    refused = client.post(f"/items/{item.pk}/redact/propose/", {"parts": "user_text", "basis": "erasure", "reason": "x"})
    assert refused.status_code == 409

    client.post(f"{placed['Location']}propose-lift/", {"reason": "it is settled"})
    assert client.post(f"{placed['Location']}lift/").status_code == 409
    assert "Agree, and lift it" in other.get(placed["Location"]).content.decode()
    other.post(f"{placed['Location']}lift/")
    assert "Lifted" in client.get("/holds/").content.decode()
    assert "Under legal hold" not in client.get(f"/items/{item.pk}/").content.decode()


def test_placing_and_lifting_a_hold_each_take_a_fresh_proof(organisation, lead, other_lead):
    form = {"kind": "client", "client": "client-1", "reason": "a lawsuit"}
    client = without_proofs(lead)
    asked = client.post("/holds/place/", form)
    assert asked.status_code == 200
    assert "place or lift a legal hold" in asked.content.decode()
    assert not Hold.objects.exists()

    prove(client, lead, Purpose.HOLD)
    assert [client.post("/holds/place/", form).status_code for _ in range(2)] == [302, 200], "one proof is good for one hold"

    hold = Hold.objects.get()
    assert client.post(f"/holds/{hold.pk}/propose-lift/", {"reason": "it is settled"}).status_code == 200
    assert not hold.proposals.exists(), "at an open browser nobody gives half of what takes two"
    prove(client, lead, Purpose.HOLD).post(f"/holds/{hold.pk}/propose-lift/", {"reason": "it is settled"})
    assert hold.proposals.exists()
    other = prove(without_proofs(other_lead), other_lead, Purpose.REDACT, Purpose.EXPORT)
    assert other.post(f"/holds/{hold.pk}/lift/").status_code == 200
    assert not LiftDecision.objects.exists()
    assert prove(other, other_lead, Purpose.HOLD).post(f"/holds/{hold.pk}/lift/").status_code == 302
    assert LiftDecision.objects.get().outcome == "lifted"


def test_a_form_that_lacks_something_comes_back_with_why(organisation, lead):
    client = sign_in(lead)
    for form in ({"kind": "client", "reason": "why"}, {"kind": "client", "client": "c-1"}, {"kind": "plan", "plan": "", "reason": "why"}):
        assert client.post("/holds/place/", form).status_code == 422
    hold = make_hold(lead, reference="c-1")
    assert client.post(f"/holds/{hold.pk}/propose-lift/", {"reason": ""}).status_code == 422


def test_reports_say_which_answers_are_held(organisation, lead, auditor):
    held, free = make_item(organisation, client_reference="c-1"), make_item(organisation, client_reference="c-2")
    make_hold(lead, reference="c-1")

    answers = {each.id: each for each in report_of(auditor).answers}

    assert [each.words for each in answers[str(held.pk)].holds] == ["everything of this client"]
    assert answers[str(free.pk)].holds == ()


@pytest.mark.parametrize("form", ["csv", "jsonl", "html", "xlsx", "pdf", "fhir", "bundle"])
def test_each_format_with_a_place_for_it_says_so(organisation, lead, auditor, form):
    make_item(organisation, client_reference="c-1")
    make_hold(lead, reference="c-1")

    assert re.sub(r"\s", "", "everything of this client") in re.sub(r"\s", "", file_of(auditor, form, ReportScope(ScopeKind.PERIOD)))
