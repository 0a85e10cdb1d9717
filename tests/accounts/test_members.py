"""The administrators' page of members: who leaves and who may what; invitations have tests of their own."""

from __future__ import annotations

import time
from functools import partial

import pytest
from django.db import transaction
from django.test import Client

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.members.actions import change_role, end_membership
from reviewers.accounts.models import Draft, Invitation, Membership, Role, User
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.accounts.policies import Refused
from reviewers.web.tenancy import tenant
from tests.accounts.mailing import link_in_mail
from tests.accounts.signing_in import give_second_factor
from tests.events import actions_of, events, events_of
from tests.factories import NOW, make_member, make_organisation, sign_in
from tests.threads import at_once

PAGE = "/settings/members/"
NEW = {"email": "Nora@Example.org", "role": "reviewer"}


@pytest.fixture
def client(administrator) -> Client:
    return sign_in(administrator)


def test_the_page_lists_who_is_and_was_a_member_and_nobody_else(client, alice, bob, charlie):
    Membership.objects.filter(pk=bob.pk).update(ended_at=NOW)
    context = client.get(PAGE).context

    assert [row.name for row in context["members"]] == ["Ada Abbot", "Alice Aldous"]
    assert [row.name for row in context["former"]] == ["Bob Birch"]


def test_the_page_says_what_each_role_may_do_as_every_page_asks_it(client):
    matrix = dict(client.get(PAGE).context["matrix"])

    told = {(permission, role) for permission, cells in matrix.items() for role, may in cells if may}
    assert told == {
        (permission.value, role.label) for role in Role for permission in ROLE_PERMISSIONS[role] if permission is not Permission.READ_HOME
    }


@pytest.mark.parametrize("wrong", [{"email": "no address"}, {"role": "owner"}])
def test_a_faulty_form_invites_nobody(client, wrong):
    assert client.post(f"{PAGE}invite/", NEW | wrong).status_code == 422
    assert not Invitation.objects.exists()


def test_a_role_is_changed_holds_at_once_and_is_written_down(client, alice):
    theirs = sign_in(alice)
    before = theirs.get("/queue/").status_code

    client.post(f"{PAGE}{alice.pk}/role/", {"role": "coordinator"})

    assert (before, theirs.get("/queue/").status_code) == (200, 403)
    (event,) = events("member.role_changed")
    assert event["details"] == {"user": str(alice.user_id), "from": "reviewer", "to": "coordinator"}


def test_the_same_role_again_is_no_change(client, alice):
    client.post(f"{PAGE}{alice.pk}/role/", {"role": "reviewer"})

    assert events("member.role_changed") == []


def test_whoever_leaves_sees_nothing_at_once_and_can_come_back(client, alice):
    theirs = sign_in(alice)
    client.post(f"{PAGE}{alice.pk}/end/")
    gone = theirs.get("/queue/").status_code
    client.post(f"{PAGE}invite/", NEW | {"email": alice.user.email, "role": "lead"})
    theirs.post(link_in_mail("invitation"), {"do": "accept"})

    assert (gone, theirs.get("/queue/").status_code) == (403, 200)
    assert events("member.ended")[0]["details"] == {"user": str(alice.user_id), "role": "reviewer"}


def test_a_membership_ends_once(client, alice):
    client.post(f"{PAGE}{alice.pk}/end/")

    assert client.post(f"{PAGE}{alice.pk}/end/").status_code == 409
    assert client.post(f"{PAGE}{alice.pk}/role/", {"role": "lead"}).status_code == 409
    assert len(events("member.ended")) == 1


@pytest.mark.parametrize(("address", "form"), [("role", {"role": "lead"}), ("end", {})])
def test_the_last_administrator_stays(client, administrator, charlie, address, form):
    Membership.objects.filter(pk=charlie.pk).update(role=Role.ADMINISTRATOR)

    response = client.post(f"{PAGE}{administrator.pk}/{address}/", form)

    assert response.status_code == 409
    assert "is the only administrator here" in response.content.decode()
    assert client.get(PAGE).status_code == 200


def test_of_two_administrators_one_may_go(client, organisation, administrator):
    other = make_member(organisation, Role.ADMINISTRATOR, "Otto Oak")
    client.post(f"{PAGE}{administrator.pk}/end/")

    assert client.get(PAGE).status_code == 403
    with pytest.raises(Refused, match="only administrator"):
        end_membership(member=other, at=NOW, by=SYSTEM)
    with pytest.raises(Refused, match="only administrator"):
        change_role(member=other, role=Role.LEAD, at=NOW, by=SYSTEM)


def test_one_whose_account_is_closed_does_not_count(client, organisation, administrator):
    closed = make_member(organisation, Role.ADMINISTRATOR, "Otto Oak")
    User.objects.filter(pk=closed.user_id).update(is_active=False)

    assert client.post(f"{PAGE}{administrator.pk}/role/", {"role": "lead"}).status_code == 409


def test_of_two_administrators_who_send_each_other_away_at_once_one_stays(committed):
    """Each request needs the row that the other one has: the first waits for it, while the second begins."""
    organisation = make_organisation()
    ada, otto = (make_member(organisation, Role.ADMINISTRATOR, name) for name in ("Ada Abbot", "Otto Oak"))

    def hold() -> int:
        with transaction.atomic():
            Membership.objects.select_for_update().get(pk=ada.pk)
            time.sleep(1.5)
        return 0

    def send_away(browser: Client, other: Membership, seconds: float) -> int:
        time.sleep(seconds)
        return int(browser.post(f"{PAGE}{other.pk}/role/", {"role": "lead"}).status_code)

    browsers = [sign_in(otto), sign_in(ada)]
    assert [browser.get(PAGE).status_code for browser in browsers] == [200, 200]
    statuses = at_once([hold, partial(send_away, browsers[0], ada, 0.3), partial(send_away, browsers[1], otto, 0.8)])[1:]

    assert sorted(statuses) == [302, 409]
    assert Membership.objects.filter(role=Role.ADMINISTRATOR, ended_at=None).count() == 1


def test_the_page_tells_nothing_of_what_a_member_does_elsewhere(client, alice, charlie):
    """Alice works elsewhere too: she signed in there, proved who she is there, and set up a second factor."""
    with tenant.within(charlie.organisation_id):
        second = add_member(organisation=charlie.organisation, user=alice.user, role=Role.LEAD, at=NOW)
    before, known = client.get(PAGE).context["members"], len(events_of(alice.organisation_id))
    theirs = sign_in(alice)
    theirs.post(f"/organisations/{second.organisation_id}/enter/")
    give_second_factor(alice)
    theirs.post("/accounts/reauthenticate/", {"proof": "export", "password": "not the password", "code": "123456"})

    assert client.get(PAGE).context["members"] == before
    assert "proof.refused" in actions_of(events_of(charlie.organisation_id))
    assert "proof.refused" not in actions_of(events_of(alice.organisation_id)[known:])


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_the_page_is_for_administrators(organisation, role):
    other = sign_in(make_member(organisation, role))

    assert other.get(PAGE).status_code == 403
    assert PAGE not in other.get("/", follow=True).content.decode()


# ---- one person in several organisations


@pytest.fixture
def second(alice) -> Membership:
    """Alice is a lead elsewhere too."""
    organisation = make_organisation("Second House")
    with tenant.within(organisation.pk):
        return add_member(organisation=organisation, user=alice.user, role=Role.LEAD, at=NOW)


def test_whoever_belongs_to_several_is_asked_where_they_work(alice, second):
    client = sign_in(alice)

    asked = client.get("/queue/?state=skipped")
    page = client.get(asked["Location"]).content.decode()

    assert asked["Location"] == "/organisations/?next=%2Fqueue%2F%3Fstate%3Dskipped"
    assert all(name in page for name in (alice.organisation.name, "Second House"))
    entered = client.post(f"/organisations/{second.organisation_id}/enter/", {"next": "/queue/?state=skipped"})
    assert entered["Location"] == "/queue/?state=skipped"
    assert client.get("/queue/").context["member"] == second


def test_the_choice_is_written_down_there_and_can_be_changed(alice, second):
    client = sign_in(alice)
    for membership in (second, alice):
        client.post(f"/organisations/{membership.organisation_id}/enter/")

    assert client.get("/queue/").context["member"] == alice
    assert 'href="/organisations/"' in client.get("/queue/").content.decode()
    assert [event["organisation"] for event in events("session.started")] == [str(second.organisation_id), str(alice.organisation_id)]


def test_the_choice_is_that_of_one_session(alice, second):
    sign_in(alice).post(f"/organisations/{second.organisation_id}/enter/")

    assert sign_in(alice).get("/queue/").status_code == 302


def test_nothing_happens_in_any_of_them_before(alice, second, item):
    client = sign_in(alice)

    assert client.post(f"/items/{item.pk}/take/")["Location"].startswith("/organisations/")
    assert events("lease.taken") == []


def test_words_searched_for_in_one_do_not_come_into_another(alice, second):
    """They may name a client, and the next list would write them into the log of the other organisation."""
    client = sign_in(alice)
    client.post(f"/organisations/{second.organisation_id}/enter/")
    address = client.post("/queue/search/", {"words": "Nightingale"})["Location"]
    assert client.get(address).context["chosen"].words == "Nightingale"

    client.post(f"/organisations/{alice.organisation_id}/enter/")

    assert client.get(address).context["chosen"].words == ""
    assert "Nightingale" not in str(dict(client.session.items()))


def test_a_form_that_another_window_shows_of_one_is_not_taken_in_another(alice, second):
    """It may name a client, invite somebody, or switch something: none of that was meant for the other organisation."""
    client = sign_in(alice)
    client.handler.enforce_csrf_checks = True

    def post_with(token, address, **form):
        return client.post(address, form | {"csrfmiddlewaretoken": token})

    def token_on(address):
        return client.get(address).content.decode().partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]

    post_with(token_on("/organisations/"), f"/organisations/{alice.organisation_id}/enter/")
    shown = token_on("/queue/")
    assert post_with(token_on("/organisations/"), f"/organisations/{second.organisation_id}/enter/").status_code == 302

    assert post_with(shown, "/queue/search/", words="Nightingale").status_code == 403
    assert post_with(token_on("/queue/"), "/queue/search/", words="somebody").status_code == 302


def test_a_choice_that_has_ended_is_none(alice, second):
    client = sign_in(alice)
    client.post(f"/organisations/{second.organisation_id}/enter/")
    with tenant.within(second.organisation_id):
        Membership.objects.filter(pk=second.pk).update(ended_at=NOW)

    assert client.get("/queue/").context["member"] == alice


@pytest.mark.parametrize("is_only", [False, True], ids=["one of two", "the only one"])
def test_what_was_begun_in_one_that_has_ended_does_not_go_on_in_another(alice, second, is_only):
    """Neither words that were searched for there, nor a form that a window still shows, nor half a sentence in it."""
    Membership.objects.filter(pk=alice.pk).update(ended_at=NOW if is_only else None)
    client = sign_in(second)
    client.post(f"/organisations/{second.organisation_id}/enter/")
    address = client.post("/queue/search/", {"words": "Nightingale"})["Location"]
    assert client.get(address).context["chosen"].words == "Nightingale"
    token = client.cookies["csrftoken"].value
    Membership.objects.filter(pk=alice.pk).update(ended_at=None)
    with tenant.within(second.organisation_id):
        Membership.objects.filter(pk=second.pk).update(ended_at=NOW)

    client.handler.enforce_csrf_checks = True
    for path, form in (("/drafts/keep/", {"page": "/", "field": "note", "text": "half a"}), ("/queue/search/", {"words": "Nightingale"})):
        assert client.post(path, form | {"csrfmiddlewaretoken": token}).status_code == 403

    assert not Draft.objects.exists()
    assert client.get(address).context["chosen"].words == ""
    assert client.get("/queue/").context["member"] == alice


def test_the_way_on_leads_to_no_other_site(alice, second):
    client = sign_in(alice)

    assert client.post(f"/organisations/{second.organisation_id}/enter/", {"next": "//elsewhere.example/"})["Location"] == "/"


def test_whoever_belongs_to_one_is_not_asked(alice):
    page = sign_in(alice).get("/queue/")

    assert page.status_code == 200
    assert "/organisations/" not in page.content.decode()
