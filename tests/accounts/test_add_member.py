"""``manage.py add_member``: how the first person of a new house, and everybody after, comes in."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from reviewers.accounts.models import Membership, Organisation, Role, User
from reviewers.accounts.queries import list_organisation_ids
from reviewers.web import walls
from tests.accounts.signing_in import sign_in_with
from tests.events import actions_of, events
from tests.factories import NOW
from tests.state import state_of_tables

EMAIL = "nora@example.org"


def add(email=EMAIL, **options) -> str:
    """What the command says."""
    said = io.StringIO()
    with walls.outside():
        call_command("add_member", email, **{"name": "Nora Nyberg", "role": "lead", "organisation": "north"} | options, stdout=said)
    return said.getvalue()


def test_the_first_member_of_a_new_organisation_can_sign_in_with_what_is_printed_once(db):
    said = add(organisation_name="North Clinic")

    assert said.startswith(f"Nora Nyberg <{EMAIL}> is now lead at North Clinic.\n")
    (passphrase,) = re.findall(r"^Passphrase, shown this once: (\S{20,})$", said, re.MULTILINE)
    browser = Client()
    assert sign_in_with(browser, EMAIL, passphrase)["Location"] == "/"
    assert "North Clinic" in browser.get("/settings/").content.decode()


def test_organisation_and_membership_are_written_down_as_the_systems_doing(db):
    add(organisation_name="North Clinic")

    written = events()
    assert actions_of(written) == ["organisation.created", "member.added"]
    assert {event["actor"]["kind"] for event in written} == {"system"}
    assert written[1]["details"] == {"user": str(User.objects.get().pk), "role": "lead"}


def test_somebody_known_is_added_to_another_organisation_and_keeps_name_and_passphrase(alice):
    before = alice.user.password

    said = add(alice.user.email.upper(), name="Somebody Else", organisation_name="North Clinic")

    assert said == f"Alice Aldous <{alice.user.email}> is now lead at North Clinic.\n"
    user = User.objects.get(pk=alice.user_id)
    assert (user.name, user.password, len(list_organisation_ids(user.pk))) == ("Alice Aldous", before, 2)


def test_an_organisation_that_is_there_is_not_made_again(organisation):
    add(organisation=organisation.slug, organisation_name="Another name", role="auditor")

    assert Organisation.objects.get().name == organisation.name
    assert Membership.objects.get().role == Role.AUDITOR


def test_whose_membership_has_ended_can_be_added_again(alice):
    Membership.objects.update(ended_at=NOW)

    add(alice.user.email, organisation=alice.organisation.slug)

    assert Membership.objects.get(ended_at=None).role == Role.LEAD


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"role": "boss"}, "There is no role boss. Roles are reviewer, lead, coordinator, auditor, administrator."),
        ({"organisation": "nowhere"}, "There is no organisation nowhere. Make it with --organisation-name NAME."),
        ({"organisation": "no slug", "organisation_name": "X"}, "no slug is no slug: letters, digits, hyphens and underscores only."),
        ({"email": "nora"}, "nora is no e-mail address."),
        ({"email": "alice@example.org"}, "alice@example.org is a member of north already, as reviewer."),
        ({"email": "closed@example.org"}, "The account of closed@example.org is closed."),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_and_changes_nothing(db, options, told):
    add("alice@example.org", role="reviewer", organisation_name="North Clinic")
    User.objects.create_user(email="closed@example.org", name="Cleo Crane")
    User.objects.filter(email="closed@example.org").update(is_active=False)
    before = state_of_tables()

    with pytest.raises(CommandError) as refused:
        add(**options)

    assert str(refused.value) == told
    assert state_of_tables() == before
