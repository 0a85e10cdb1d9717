"""A redaction takes two people, happens once, and is let through by the database only as it was decided."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.utils import timezone

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import change_role, end_membership
from reviewers.accounts.models import Membership, Role
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.models import Redaction, RedactionBasis, RedactionDecision
from reviewers.review.redaction.actions import approve, decline, propose
from reviewers.snapshots.models import Snapshot
from tests.factories import NOW, make_member, sign_in, without_proofs
from tests.review.redacting.redactable import make_proposal


def test_nobody_approves_their_own(item, lead):
    redaction = propose(item_id=item.pk, parts=["response"], basis=RedactionBasis.ORDER, reason="It was ordered.", by=lead, now=NOW)

    with pytest.raises(Refused, match="Somebody else has to approve it"):
        approve(redaction_id=redaction.pk, by=lead, now=NOW)
    assert "elevated" in bytes(Snapshot.objects.get(pk=item.pk).record).decode()


def test_what_was_decided_stays_decided(item, lead, administrator):
    redaction = make_proposal(item)
    decline(redaction_id=redaction.pk, by=lead, now=NOW)

    for decide in (approve, decline):
        with pytest.raises(Refused, match="decided already: declined"):
            decide(redaction_id=redaction.pk, by=administrator, now=NOW)
    assert RedactionDecision.objects.get().outcome == "declined"


def test_only_what_is_there_can_be_proposed(item, lead):
    for parts, refusal in (([], Invalid), (["documents.0"], Refused), (["user_text", "context.safety.nothing"], Refused)):
        with pytest.raises(refusal):
            propose(item_id=item.pk, parts=parts, basis=RedactionBasis.ERASURE, reason="why not", by=lead, now=NOW)


def test_a_part_is_redacted_once(item, lead, administrator):
    approve(redaction_id=make_proposal(item).pk, by=administrator, now=NOW)

    with pytest.raises(Refused, match="Some of these parts are not there"):
        make_proposal(item)


def test_approving_takes_a_fresh_proof(item, organisation, administrator):
    redaction, client = make_proposal(item), without_proofs(administrator)

    asked = client.post(f"/redactions/{redaction.pk}/approve/")

    assert "take parts out of a record for good" in asked.content.decode()
    assert not RedactionDecision.objects.exists()


def test_proposing_takes_a_fresh_proof(item, lead):
    """At somebody's open browser nobody gives half of what takes two people."""
    form = {"parts": "response", "basis": "erasure", "reason": "She asked."}

    client = without_proofs(lead)

    asked = client.post(f"/items/{item.pk}/redact/propose/", form)
    lacking = [client.post(f"/items/{item.pk}/redact/propose/", dict(form, **change)) for change in ({"parts": []}, {"reason": ""})]

    assert [answer.status_code for answer in lacking] == [422, 422], "before anybody is asked who they are"
    assert "take parts out of a record for good" in asked.content.decode()
    assert not Redaction.objects.exists()


def test_what_somebody_proposed_who_left_and_came_back_is_not_approved(item, lead, administrator):
    redaction = make_proposal(item)
    proposer = Membership.objects.get(user=redaction.proposed_by, organisation=item.organisation)
    end_membership(member=proposer, at=timezone.now(), by=SYSTEM)
    add_member(organisation=item.organisation, user=proposer.user, role=Role.LEAD, at=timezone.now())

    refused = sign_in(administrator).post(f"/redactions/{redaction.pk}/approve/")

    assert refused.status_code == 409
    assert "or has left since" in refused.content.decode()


def test_what_somebody_proposed_who_may_not_any_more_is_not_approved(item, lead, administrator):
    """The database refuses it as well; the page says why."""
    redaction = propose(item_id=item.pk, parts=["response"], basis=RedactionBasis.ORDER, reason="It was ordered.", by=lead, now=NOW)
    change_role(member=lead, role=Role.REVIEWER, at=NOW, by=SYSTEM)

    answer = sign_in(administrator).post(f"/redactions/{redaction.pk}/approve/")

    assert answer.status_code == 409
    assert "may not propose and approve redactions any more" in answer.content.decode()


@pytest.mark.parametrize("name", ["search.words", "search.", "search.\x00"])
def test_a_part_that_names_no_search_is_not_there(item, lead, name):
    form = {"parts": name, "basis": "erasure", "reason": "She asked."}

    assert sign_in(lead).post(f"/items/{item.pk}/redact/propose/", form).status_code == 409


def test_a_reviewer_and_an_auditor_can_neither_propose_nor_approve(item, organisation):
    for role in (Role.REVIEWER, Role.AUDITOR, Role.COORDINATOR):
        client = sign_in(make_member(organisation, role))
        assert client.get(f"/items/{item.pk}/redact/").status_code == 403
        assert client.get("/redactions/").status_code == 403


def call(table: str, key: UUID, changes: str) -> None:
    """As the web's role could."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT ledger_redact(%s, %s, %s::jsonb)", [table, key, changes])


def test_the_web_cannot_change_a_record_without_a_decision(item, lead):
    redaction = make_proposal(item)
    with pytest.raises(DatabaseError, match="no redaction that is approved now names"):
        call("snapshots_snapshot", item.pk, '{"excerpt": ""}')
    decline(redaction_id=redaction.pk, by=lead, now=NOW)
    with pytest.raises(DatabaseError, match="no redaction that is approved now names"):
        call("snapshots_snapshot", item.pk, '{"excerpt": ""}')


@pytest.mark.parametrize(
    ("table", "changes", "refusal"),
    [
        ("snapshots_snapshot", '{"model": "another"}', "nothing can be put in the place of"),
        ("snapshots_snapshot", '{"excerpt": "", "organisation_id": "00000000-0000-0000-0000-000000000000"}', "nothing can be put"),
        ("accounts_membership", '{"role": "lead"}', "names accounts_membership"),
        ("ledger_auditevent", '{"action": "another"}', "names ledger_auditevent"),
        ("ledger_eventsecret", '{"event_id": "00000000-0000-0000-0000-000000000000"}', "names ledger_eventsecret"),
    ],
)
def test_a_decision_lets_through_only_what_may_be_redacted(item, administrator, table, changes, refusal):
    redaction = make_proposal(item)
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()")
        number = cursor.fetchone()[0]
    RedactionDecision.objects.create(
        organisation_id=item.organisation_id,
        redaction=redaction,
        proposed_by=redaction.proposed_by,
        outcome="approved",
        decided_by=administrator.user_id,
        decided_at=NOW,
        touched=[f"{table} {item.pk}"],
        made_in=number,
    )
    with pytest.raises(DatabaseError, match=refusal):
        call(table, item.pk, changes)


def test_a_decision_cannot_name_another_proposer(item, lead):
    """By which whoever proposed it could approve it."""
    redaction = make_proposal(item)
    with pytest.raises(IntegrityError, match="decision_names_its_proposer"), transaction.atomic():
        RedactionDecision.objects.create(
            organisation_id=item.organisation_id,
            redaction=redaction,
            proposed_by=lead.user_id,
            outcome="approved",
            decided_by=redaction.proposed_by,
            decided_at=NOW,
            made_in=0,
        )


def test_nobody_else_may_call_the_function(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_function_privilege('public', 'ledger_redact(text, uuid, jsonb)', 'EXECUTE')")
        assert cursor.fetchone() == (False,)


def elsewhere(member, redaction) -> set[str]:
    """The parts that repeat what is proposed, as the page of the proposal names them to a member."""
    page = sign_in(member).get(f"/redactions/{redaction.pk}/").content.decode()
    return set(re.findall(r'name="parts" value="([^"]+)"', page.partition('id="elsewhere"')[2]))


def test_whoever_may_not_read_an_answer_cannot_try_words_by_reasons_of_their_own(item, lead, administrator):
    """Administrators may redact and not read. Whether a word stands in a message is told them by no word that they wrote."""
    because = {"item_id": item.pk, "basis": RedactionBasis.ERASURE, "by": administrator, "now": NOW}
    tried = propose(parts=["client_reference"], reason="evenings", **because)
    asked, of_message = (propose(parts=[part], reason="She asked.", **because) for part in (f"ground.{tried.pk}", "user_text"))

    assert sign_in(administrator).get(f"/items/{item.pk}/").status_code == 403
    assert [elsewhere(administrator, each) for each in (asked, of_message)] == [set(), set()]
    assert [elsewhere(lead, each) for each in (asked, of_message)] == [set(), set()], "both are proposed already"
    decline(redaction_id=asked.pk, by=lead, now=NOW)
    assert elsewhere(lead, of_message) == {f"ground.{tried.pk}"}


def test_nor_by_searches_of_their_own(item, lead, administrator):
    redaction = propose(item_id=item.pk, parts=["user_text"], basis=RedactionBasis.ERASURE, reason="She asked.", by=administrator, now=NOW)
    client = sign_in(administrator)
    assert client.post("/access/client/", {"client": "evenings"}, follow=True).status_code == 200

    assert elsewhere(administrator, redaction) == set()
    assert {each.partition(".")[0] for each in elsewhere(lead, redaction)} == {"search"}
