"""The rule "by two people", in the policy and in the database, whoever writes the row."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from reviewers.accounts.actions import note_second_factor
from reviewers.accounts.models import Membership, Role
from reviewers.accounts.policies import why_not_two_people
from reviewers.web.tenancy import tenant
from tests.factories import make_member, make_organisation

NOW = timezone.now()
PROPOSED = NOW - timedelta(hours=1)


@pytest.fixture
def lead(organisation) -> Membership:
    return make_member(organisation, Role.LEAD, "Leda Lund")


@pytest.fixture
def administrator(organisation) -> Membership:
    return make_member(organisation, Role.ADMINISTRATOR, "Ada Abbot")


def both(proposer: Membership, decider: Membership) -> tuple[str, bool]:
    """Return the policy's reason, and whether the database refuses."""
    reason = why_not_two_people(
        organisation_id=proposer.organisation_id,
        proposed_by=proposer.user_id,
        proposed_at=PROPOSED,
        decided_by=decider.user_id,
        now=timezone.now(),
    )
    try:
        with transaction.atomic(), connections["default"].cursor() as cursor:
            arguments = [proposer.organisation_id, proposer.user_id, PROPOSED, decider.user_id]
            cursor.execute("SELECT check_two_people(%s, %s, %s, %s)", arguments)
    except DatabaseError:
        return reason, True
    return reason, False


def change(member: Membership, **changes: object) -> None:
    Membership.objects.filter(pk=member.pk).update(**changes)


def test_two_members_from_before_decide_together(lead, administrator):
    assert both(lead, administrator) == ("", False)


def test_nobody_decides_alone(lead):
    reason, is_refused = both(lead, lead)

    assert reason.startswith("You proposed this.")
    assert is_refused


@pytest.mark.parametrize("late", ["proposer", "decider"])
def test_whoever_came_after_the_proposal_does_not_count(lead, administrator, late):
    change(lead if late == "proposer" else administrator, created_at=PROPOSED + timedelta(minutes=1))

    reason, is_refused = both(lead, administrator)

    assert "before the proposal" in reason
    assert is_refused


def test_a_former_member_does_not_decide_and_a_stranger_neither(lead, administrator):
    change(administrator, ended_at=NOW)
    with tenant.within((other := make_organisation("Other House")).pk):
        stranger = make_member(other, Role.LEAD, "Olga Other")

    for decider in (administrator, stranger):
        reason, is_refused = both(lead, decider)
        assert reason
        assert is_refused


@pytest.mark.parametrize("ghost", ["proposer", "decider"])
@pytest.mark.parametrize("way", ["by the other", "by a third"])
def test_who_came_by_an_invitation_lately_does_not_decide(organisation, lead, administrator, ghost, way):
    """Ghosts that an administrator invited, one after the other or side by side, are no second person for a week."""
    late, other = (lead, administrator) if ghost == "proposer" else (administrator, lead)
    inviter = other if way == "by the other" else make_member(organisation, Role.ADMINISTRATOR, "Tina Third")
    change(late, invited_by=inviter.user, created_at=PROPOSED - timedelta(hours=1))
    reason, is_refused = both(lead, administrator)
    change(late, created_at=NOW - timedelta(days=8))

    assert "came by an invitation in the last 7 days" in reason
    assert is_refused
    assert both(lead, administrator) == ("", False)


def test_where_a_second_factor_is_required_both_had_come_in_with_one_before(lead, administrator):
    lead.organisation.requires_second_factor = True
    lead.organisation.save()
    none = both(lead, administrator)
    for member in (lead, administrator):
        note_second_factor(member=member, at=PROPOSED + timedelta(minutes=1))
    late = both(lead, administrator)
    for member in (lead, administrator):
        change(member, second_factor_at=PROPOSED - timedelta(days=1))

    assert [(bool(reason), is_refused) for reason, is_refused in (none, late)] == [(True, True)] * 2
    assert both(lead, administrator) == ("", False)
