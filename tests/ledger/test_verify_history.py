"""A change of a mutable row without an event is named, also after an event about something else has committed to what it left."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import ProgrammingError, connection, models, transaction
from django.utils import timezone
from psycopg import sql

from reviewers.accounts.actions import create_service_key, revoke_service_key, switch_asking_why, switch_citations
from reviewers.accounts.audit import SYSTEM, Announcement, announce, user_actor
from reviewers.accounts.members.actions import change_role, end_membership, invite, mark_external, sign_out, withdraw_invitation
from reviewers.accounts.members.tokens import Because, end_token
from reviewers.accounts.models import Membership, MemberToken, Proof, RetentionPeriod, Role, ServiceKey
from reviewers.accounts.policies import ExternalTerms
from reviewers.accounts.retention import RecordKind, set_period
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import CHECK_LENGTH, close, read_openings, row_of, rows_of
from reviewers.ledger.events import Action, Event
from reviewers.ledger.models import AuditEvent, EventSecret, Redaction, RedactionDecision
from reviewers.ledger.mutable_rows import MUTABLE_COLUMNS, current_row
from reviewers.ledger.redaction import _transaction_number
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.labels.actions import save_label
from reviewers.review.models import Label, Meaning, QueueItem, Verdict
from reviewers.review.plans.actions import start_plan, stop_plan
from reviewers.review.signing.actions import Intent, sign
from reviewers.review.signing.statements import digest_of, load_reviews, state_now
from reviewers.snapshots.models import SnapshotAttribution
from reviewers.web.models import uuid7
from reviewers.web.tenancy import tenant
from reviewers.webhooks.actions import add_endpoint, switch_endpoint
from reviewers.webhooks.models import Endpoint, EventKind
from tests.accounts.tokens import token_of
from tests.factories import choose, make_item, make_member, make_organisation
from tests.ledger.sealed import by_the_owner
from tests.review.plans.planning import make_plan, review, run_plan
from tests.webhooks.endpoints import choose as choose_mail

NEVER_TWICE = {
    "accounts_proof": "is committed to when it is given, and later only used",
    "accounts_signonprovider": "is set as a whole: nothing earlier counts",
    "accounts_signondomain": "is set as a whole: nothing earlier counts",
    "accounts_signonidentity": "is committed to when it is tied",
}


def later(minutes: int) -> Any:
    return timezone.now() + timedelta(minutes=minutes)


def change(row: models.Model, column: str, value: Any) -> None:
    """Change a row as the web's database role can."""
    statement = sql.SQL("UPDATE {} SET {} = %s WHERE id = %s").format(*map(sql.Identifier, (row._meta.db_table, column)))
    with connection.cursor() as cursor:
        cursor.execute(statement, [value, row.pk])


def _sign_out(member: Membership) -> None:
    sign_out(member=member, at=timezone.now(), by=SYSTEM)


def _membership(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    return member, "role", "administrator", lambda: _sign_out(member)


def _membership_from_before(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    """It would take decisions by two people a few days after it began."""
    return member, "created_at", timezone.now() - timedelta(days=900), lambda: end_membership(member=member, at=later(1), by=SYSTEM)


def _role(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    return member, "role", "lead", lambda: change_role(member=member, role=Role.AUDITOR, at=later(1), by=SYSTEM)


def _user(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    return member.user, "name", "Bob Birch", lambda: _sign_out(member)


def _organisation(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    own = member.organisation
    return (
        own,
        "requires_second_factor",
        not own.requires_second_factor,
        lambda: switch_citations(organisation=own, on=True, at=later(1), by=SYSTEM),
    )


def _invitation(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    made = invite(organisation=member.organisation, email="new@example.org", role=Role.REVIEWER, at=timezone.now(), by=SYSTEM)
    return made, "role", "administrator", lambda: withdraw_invitation(invitation=made, at=later(1), by=SYSTEM)


def _key(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    key, _ = create_service_key(
        organisation=member.organisation, owner=member.user, name="assistant", scopes=["ingest"], at=timezone.now(), by=SYSTEM
    )
    return key, "scopes", ["ingest", "read"], lambda: revoke_service_key(key=key, at=later(1), by=SYSTEM)


def _token(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    token, _ = token_of(member)
    return token, "expires_at", later(10**6), lambda: end_token(token=token, because=Because.ASKED, at=later(1), by=SYSTEM)


def _period(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    def set_to(years: int) -> None:
        set_period(organisation=member.organisation, kind=RecordKind.ANSWERS, years=years, at=timezone.now(), by=SYSTEM)

    set_to(9)
    return RetentionPeriod.objects.get(), "years", 1, lambda: set_to(8)


def _plan(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    lead = make_member(member.organisation, Role.LEAD)
    make_item(member.organisation)
    plan = make_plan(lead)
    return plan, "seed", "another", lambda: start_plan(plan_id=plan.pk, by=lead, now=later(1))


def _endpoint(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    by = make_member(member.organisation, Role.ADMINISTRATOR)
    endpoint, _ = add_endpoint(address="https://desk.example.org/", kinds=["flag"], by=by, now=timezone.now())
    off = {"endpoint_id": endpoint.pk, "on": False, "by": by}
    return endpoint, "address", "https://else.example.org/", lambda: switch_endpoint(**off, now=later(1))


def _mail(member: Membership) -> tuple[Any, str, Any, Callable[[], object]]:
    endpoint = choose_mail(member, EventKind.ALARM)
    return endpoint, "created_at", later(10**6), lambda: choose_mail(member, EventKind.FLAG, daily=True)


CASES = [_membership, _membership_from_before, _role, _user, _organisation, _invitation, _key, _token, _period, _plan, _endpoint, _mail]


@pytest.mark.parametrize("case", CASES)
def test_a_change_without_an_event_is_named_after_a_later_event(alice, case):
    row, column, value, act = case(alice)
    verify(organisation_id=alice.organisation_id)

    change(row, column, value)
    act()

    with pytest.raises(LedgerMismatch, match="no event tells so") as found:
        verify(organisation_id=alice.organisation_id)
    assert (found.value.table, found.value.key, found.value.column) == (row._meta.db_table, str(row.pk), column)


def test_every_mutable_table_is_tried(alice):
    tried = {case(alice)[0]._meta.db_table for case in CASES}

    assert tried | NEVER_TWICE.keys() == MUTABLE_COLUMNS.keys()


def test_what_events_tell_agrees_however_often_a_row_changes(alice, lead):
    own, by = alice.organisation, make_member(alice.organisation, Role.ADMINISTRATOR)
    for minutes in range(1, 4):
        switch_citations(organisation=own, on=minutes % 2 == 1, at=later(minutes), by=SYSTEM)
        switch_asking_why(organisation=own, on=minutes % 2 == 1, at=later(minutes), by=SYSTEM)
        sign_out(member=alice, at=later(minutes), by=SYSTEM)
        change_role(member=alice, role=(Role.LEAD, Role.AUDITOR, Role.REVIEWER)[minutes % 3], at=later(minutes), by=SYSTEM)
        set_period(organisation=own, kind=RecordKind.ANSWERS, years=minutes + 7, at=later(minutes), by=SYSTEM)
    endpoint, _ = add_endpoint(address="https://desk.example.org/", kinds=["flag"], by=by, now=timezone.now())
    for minutes in range(1, 5):
        switch_endpoint(endpoint_id=endpoint.pk, on=minutes % 2 == 0, by=by, now=later(minutes))
    stop_plan(plan_id=make_plan(lead).pk, by=lead, now=later(1))
    mark_external(
        member=make_member(own, Role.AUDITOR), outside=ExternalTerms("audit", later(60)), at=timezone.now(), by=user_actor(by.user_id)
    )
    end_token(token=token_of(make_member(own))[0], because=Because.ASKED, at=later(1), by=SYSTEM)

    verify(organisation_id=own.pk)
    assert Endpoint.objects.exists()
    assert MemberToken.objects.exists()


def test_an_event_that_tells_nothing_of_a_change_hides_none(alice):
    """As a web process that was taken over could write it."""
    change(alice, "role", "lead")
    alice.refresh_from_db()
    details: dict[str, Any] = {}
    record(
        Event(
            Action.MEMBER_ROLE_CHANGED,
            alice.organisation_id,
            SYSTEM,
            timezone.now(),
            "membership",
            alice.pk,
            details,
            rows=[current_row(alice)],
        )
    )

    with pytest.raises(LedgerMismatch, match="does not tell what it changed"):
        verify(organisation_id=alice.organisation_id)


def _write(action: Action, member: Membership, rows: list[Any]) -> None:
    """Write an event as a web process that was taken over could write it."""
    by = user_actor(member.user_id)
    record(Event(action, member.organisation_id, by, timezone.now(), "organisation", member.organisation_id, rows=rows))


def test_an_event_about_something_else_hides_no_change_by_other_columns(alice):
    """With all columns, or with few, it would begin another history of the row."""
    change(alice, "role", "administrator")
    alice.refresh_from_db()
    _write(Action.QUEUE_VIEWED, alice, [row_of(alice)])
    _sign_out(alice)

    with pytest.raises(LedgerMismatch, match="commits to other columns of accounts_membership"):
        verify(organisation_id=alice.organisation_id)


def test_an_event_about_something_else_vouches_for_no_new_row(alice):
    given = {"owner": alice.user, "name": "assistant", "scopes": ["read"], "hint": "fn_", "digest": b"d", "created_at": timezone.now()}
    key = ServiceKey.objects.create(organisation=alice.organisation, **given)
    _write(Action.QUEUE_VIEWED, alice, [current_row(key)])

    with pytest.raises(LedgerMismatch, match="by which none is made") as found:
        verify(organisation_id=alice.organisation_id)
    assert (found.value.table, found.value.key) == ("accounts_servicekey", str(key.pk))


def test_an_event_of_somebody_else_vouches_for_no_signature(alice, lead, monkeypatch):
    item, now = make_item(alice.organisation), timezone.now()
    review(item, alice)
    (submitted,) = load_reviews(alice.organisation_id, item.pk)
    given = {"organisation": alice.organisation, "user": lead.user, "purpose": "sign", "session": "s"}
    proof = Proof.objects.create(**given, given_at=now, expires_at=now + timedelta(minutes=5))
    details = {"purpose": "sign", "second_factor": False, "proof": str(proof.pk)}
    announce(Announcement("proof.given", alice.organisation_id, user_actor(lead.user_id), now, "user", lead.user_id, details))
    monkeypatch.setattr("reviewers.review.signing.actions.record", lambda _: None)
    shown = {"digest": digest_of(state_now(submitted)), "label_count": submitted.label_count, "meaning": Meaning.APPROVED, "zone": "UTC"}
    signature = sign(intent=Intent(item_id=item.pk, review_id=submitted.id, **shown), proof=proof, by=lead, now=now)
    _write(Action.QUEUE_VIEWED, alice, rows_of([signature]))

    with pytest.raises(LedgerMismatch, match="no event tells that its author wrote it") as found:
        verify(organisation_id=alice.organisation_id)
    assert (found.value.table, found.value.key, found.value.column) == ("review_signature", str(signature.pk), "signer_id")


def test_an_event_about_something_else_vouches_for_no_attribution(alice):
    """It would be what a page shows of the answer."""
    item = make_item(alice.organisation)
    made = SnapshotAttribution.objects.get(pk=item.attribution_id)
    made.pk, made.engine_version, made.attributed_at = uuid7(), "0.0.1", timezone.now()
    made.save(force_insert=True)
    QueueItem.objects.filter(pk=item.pk).update(attribution_id=made.pk)
    _write(Action.QUEUE_VIEWED, alice, rows_of([made]))

    with pytest.raises(LedgerMismatch, match="no event tells how it came") as found:
        verify(organisation_id=alice.organisation_id)
    assert (found.value.table, found.value.key) == ("snapshots_snapshotattribution", str(made.pk))


def test_a_plan_that_has_started_is_not_ended_as_a_change(lead):
    make_item(lead.organisation)
    plan = run_plan(lead)
    with connection.cursor() as cursor:
        ended = "UPDATE review_plan SET state = 'stopped', ended_by_id = %s, ended_at = now() WHERE id = %s"
        cursor.execute(ended, [lead.user_id, plan.pk])
    plan.refresh_from_db()
    _write(Action.PLAN_CHANGED, lead, [current_row(plan)])

    with pytest.raises(LedgerMismatch, match="does not tell what it changed"):
        verify(organisation_id=lead.organisation_id)


def test_the_database_closes_no_event_about_a_member(alice, lead):
    """Also if two people decide on it, for they may be two whom the web's role has made up."""
    secret = EventSecret.objects.get(pk=AuditEvent.objects.get(action="member.added", object_id=alice.pk).pk)
    _decide_on_closing(alice, lead, secret)

    with pytest.raises(ProgrammingError, match="no redaction that is approved now names ledger_eventsecret"), connection.cursor() as cursor:
        cursor.execute("SELECT ledger_redact('ledger_eventsecret', %s, '{\"payload\": null}')", [secret.pk])


def test_no_redaction_closes_what_is_committed_of_a_mutable_row(committed):
    """As the owner of the tables could do it, under a redaction that two people decided on."""
    organisation = make_organisation()
    alice, lead = make_member(organisation), make_member(organisation, Role.LEAD, "Leda Lund")
    with tenant.within(organisation.pk):
        added = AuditEvent.objects.get(action="member.added", object_id=alice.pk)
        secret = EventSecret.objects.get(pk=added.pk)
        seed = close(read_openings(json.loads(bytes(added.body)), bytes(secret.salt_seed)), {}, frozenset({0}))
        left = bytes(secret.column_checks)[CHECK_LENGTH * len(MUTABLE_COLUMNS["accounts_membership"]) :]
        change(alice, "role", "administrator")
        alice.refresh_from_db()
        with transaction.atomic():
            told = _decide_on_closing(alice, lead, secret)
    with by_the_owner("ledger_eventsecret") as cursor:
        closed = "UPDATE ledger_eventsecret SET salt_seed = %s, payload = NULL, column_checks = %s WHERE event_id = %s"
        cursor.execute(closed, [seed, left, added.pk])
    with tenant.within(organisation.pk):
        secret.refresh_from_db()
        _write(Action.REDACTION_APPROVED, lead, [*rows_of([*told, secret]), current_row(alice)])

        with pytest.raises(LedgerMismatch, match="no longer opens what its event commits to of accounts_membership") as found:
            verify(organisation_id=organisation.pk)
    assert (found.value.table, found.value.key) == ("ledger_eventsecret", str(added.pk))


def _decide_on_closing(member: Membership, lead: Membership, secret: EventSecret) -> list[models.Model]:
    """Propose as a lead to close a secret of an event about a member, approve it as another, and return both."""
    whose, now = lead.organisation_id, timezone.now()
    why = {"object_type": "snapshot", "object_id": member.pk, "parts": ["rest"], "basis": "erasure", "reason": "a reason"}
    proposal = Redaction.objects.create(organisation_id=whose, proposed_by=lead.user_id, proposed_at=now, **why)
    decision = RedactionDecision.objects.create(
        organisation_id=whose,
        redaction=proposal,
        proposed_by=lead.user_id,
        outcome="approved",
        decided_by=make_member(lead.organisation, Role.LEAD, "Lars Lind").user_id,
        decided_at=now,
        touched=[f"ledger_eventsecret {secret.pk}"],
        made_in=_transaction_number(),
    )
    return [proposal, decision]


def test_a_redaction_that_nobody_decided_accounts_for_no_change(committed):
    """As the owner of the tables could write it, who changes any row and closes what opens its commitment."""
    organisation = make_organisation()
    alice, item = make_member(organisation), make_item(organisation)
    with tenant.within(organisation.pk):
        save_label(choice=choose(item), by=alice, now=timezone.now(), verdict=Verdict.CORRECT)
        label, saved = Label.objects.get(), AuditEvent.objects.get(action="label.saved")
        secret = EventSecret.objects.get(pk=saved.pk)
        seed = close(read_openings(json.loads(bytes(saved.body)), bytes(secret.salt_seed)), {}, frozenset({0}))
    with by_the_owner("review_label", "ledger_eventsecret") as cursor:
        cursor.execute("UPDATE review_label SET verdict = 'wrong', truth = 'not_used' WHERE id = %s", [label.pk])
        closed = "UPDATE ledger_eventsecret SET salt_seed = %s, payload = NULL, column_checks = '' WHERE event_id = %s"
        cursor.execute(closed, [seed, saved.pk])
    with tenant.within(organisation.pk):
        label.refresh_from_db()
        secret.refresh_from_db()
        _write(Action.REDACTION_APPROVED, alice, rows_of([label, secret]))

        with pytest.raises(LedgerMismatch, match="no redaction says why"):
            verify(organisation_id=organisation.pk)
