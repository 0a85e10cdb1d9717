"""A change of a mutable row without an event is named, also after an event about something else has committed to what it left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, models
from django.utils import timezone
from psycopg import sql

from reviewers.accounts.actions import create_service_key, revoke_service_key, switch_asking_why, switch_citations
from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.members.actions import change_role, end_membership, invite, mark_external, sign_out, withdraw_invitation
from reviewers.accounts.members.tokens import Because, end_token
from reviewers.accounts.models import Membership, MemberToken, RetentionPeriod, Role
from reviewers.accounts.policies import ExternalTerms
from reviewers.accounts.retention import Kind, set_period
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.mutable_rows import MUTABLE_COLUMNS, current_row
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.ledger.verification.organisation import verify
from reviewers.review.plans.actions import start_plan, stop_plan
from reviewers.webhooks.actions import add_endpoint, switch_endpoint
from reviewers.webhooks.models import Endpoint
from tests.accounts.tokens import token_of
from tests.factories import make_item, make_member
from tests.review.plans.planning import make_plan

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
        set_period(organisation=member.organisation, kind=Kind.ANSWERS, years=years, at=timezone.now(), by=SYSTEM)

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


CASES = [_membership, _membership_from_before, _role, _user, _organisation, _invitation, _key, _token, _period, _plan, _endpoint]


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
        set_period(organisation=own, kind=Kind.ANSWERS, years=minutes + 7, at=later(minutes), by=SYSTEM)
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
