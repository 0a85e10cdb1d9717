"""``manage.py add_member``: how the first person of a new house, and everybody after, comes in."""

from __future__ import annotations

import io
import re

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from reviewers.accounts.models import Invitation, Organisation, Role, User
from reviewers.accounts.queries import list_organisation_ids
from reviewers.web.tenancy import tenant
from tests.accounts.signing_in import sign_in_with
from tests.events import actions_of, events
from tests.factories import PASSWORD, sign_in
from tests.state import state_of_tables

EMAIL = "nora@example.org"


def add(email=EMAIL, **options) -> str:
    """Return what the command says."""
    said = io.StringIO()
    with tenant.outside():
        call_command("add_member", email, **{"role": "lead", "organisation": "north"} | options, stdout=said)
    return said.getvalue()


def path_in(said: str) -> str:
    (path,) = re.findall(rf"^{re.escape(settings.ADDRESS)}(/accounts/invitation/\S+)$", said, re.MULTILINE)
    return path


def test_the_first_member_of_a_new_organisation_chooses_a_password_by_the_link_that_is_printed(db):
    said = add(organisation_name="North Clinic")
    browser = Client()
    browser.post(path_in(said), {"name": "Nora Nyberg", "password1": PASSWORD, "password2": PASSWORD})

    assert said.startswith(f"{EMAIL} is invited to North Clinic as lead.\n")
    assert sign_in_with(browser, EMAIL, PASSWORD)["Location"] == "/"
    assert "North Clinic" in browser.get("/settings/").content.decode()


def test_organisation_and_invitation_are_written_down_as_the_systems_doing(db):
    add(organisation_name="North Clinic")

    written = events()
    assert actions_of(written) == ["organisation.created", "invitation.made"]
    assert {event["actor"]["kind"] for event in written} == {"system"}
    assert written[1]["details"] == {"role": "lead", "until": None}


def test_somebody_known_accepts_signed_in_as_before_and_keeps_name_and_password(alice):
    path = path_in(add(alice.user.email.upper(), organisation_name="North Clinic"))
    before = list_organisation_ids(alice.user_id)

    sign_in(alice).post(path, {"do": "accept"})

    user = User.objects.get(pk=alice.user_id)
    assert (user.name, user.password) == ("Alice Aldous", alice.user.password)
    assert (len(before), len(list_organisation_ids(user.pk))) == (1, 2)


def test_an_organisation_that_is_there_is_not_made_again(organisation):
    add(organisation=organisation.slug, organisation_name="Another name", role="auditor")

    assert Organisation.objects.get().name == organisation.name
    assert Invitation.objects.get().role == Role.AUDITOR


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"role": "boss"}, "There is no role boss. Roles are reviewer, lead, coordinator, auditor, administrator."),
        ({"organisation": "nowhere"}, "There is no organisation nowhere. Make it with --organisation-name NAME."),
        ({"organisation": "no slug", "organisation_name": "X"}, "no slug is no slug: letters, digits, hyphens and underscores only."),
        ({"email": "nora"}, "nora is no e-mail address."),
        ({"email": "alice@example.org"}, "alice@example.org is a member already."),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_and_changes_nothing(db, options, told):
    path = path_in(add("alice@example.org", role="reviewer", organisation_name="North Clinic"))
    Client().post(path, {"name": "Alice", "password1": PASSWORD, "password2": PASSWORD})
    before = state_of_tables()

    with pytest.raises(CommandError) as refused:
        add(**options)

    assert str(refused.value) == told
    assert state_of_tables() == before
