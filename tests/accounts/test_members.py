"""The administrators' page of members: who comes, who leaves, who may what, and how somebody new gets a password."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from reviewers.accounts.actions import add_member
from reviewers.accounts.announcements import SYSTEM
from reviewers.accounts.membership import change_role, end_membership
from reviewers.accounts.membership_policies import Refused
from reviewers.accounts.models import Membership, Role, User
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.web import walls
from tests.accounts.signing_in import is_signed_in, sign_in_with
from tests.events import events
from tests.factories import NOW, PASSWORD, make_member, make_organisation, sign_in

PAGE = "/settings/members/"
NEW = {"name": "Nora New", "email": "Nora@Example.org", "role": "reviewer"}
CHOSEN_PASSWORD = "a passphrase of my own"


@pytest.fixture
def client(administrator) -> Client:
    return sign_in(administrator)


def link_in(response) -> str:
    (link,) = re.findall(r'<code class="secret">http://testserver(/accounts/password/reset/key/[^<]+)</code>', response.content.decode())
    return link


def set_password(link: str) -> Client:
    """Follow a link as somebody who is not signed in, and choose a password."""
    client = Client()
    form = client.get(link)["Location"]
    assert client.post(form, {"password1": CHOSEN_PASSWORD, "password2": CHOSEN_PASSWORD}).status_code == 302
    return client


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


def test_somebody_new_gets_a_link_once_and_signs_in_with_a_password_of_their_own(client, organisation):
    shown = client.post(f"{PAGE}add/", NEW)
    link = link_in(shown)
    set_password(link)
    nora = Client()
    sign_in_with(nora, "nora@example.org", CHOSEN_PASSWORD)

    assert is_signed_in(nora)
    assert nora.get("/queue/").status_code == 200
    assert link not in client.get(PAGE).content.decode()
    again = Client().get(link, follow=True)
    assert "password1" not in again.content.decode(), "it works once"


def test_adding_somebody_is_written_down_with_who_did_it(client, administrator):
    client.post(f"{PAGE}add/", NEW)

    added, linked = events()[-2:]
    nora = User.objects.get(email="nora@example.org")
    assert (added["action"], added["details"]) == ("member.added", {"user": str(nora.pk), "role": "reviewer"})
    assert (linked["action"], linked["details"]) == ("password.link_made", {"user": str(nora.pk)})
    assert {event["actor"]["id"] for event in (added, linked)} == {str(administrator.user_id)}


def test_somebody_known_keeps_name_and_password_and_gets_no_link(client, charlie):
    response = client.post(f"{PAGE}add/", NEW | {"email": charlie.user.email}, follow=True)

    assert response.context["members"][1].name == "Charlie Crane"
    assert "/password/reset/key/" not in response.content.decode()
    assert User.objects.get(pk=charlie.user_id).check_password(PASSWORD)


def test_nobody_is_a_member_twice_and_a_closed_account_is_none(client, alice, charlie):
    User.objects.filter(pk=charlie.user_id).update(is_active=False)

    for email, why in [(alice.user.email, "is a member already"), (charlie.user.email, "is closed")]:
        response = client.post(f"{PAGE}add/", NEW | {"email": email})
        assert response.status_code == 409
        assert why in response.content.decode()


@pytest.mark.parametrize("wrong", [{"email": "no address"}, {"role": "owner"}, {"name": ""}])
def test_a_faulty_form_adds_nobody(client, wrong):
    before = Membership.objects.count()

    assert client.post(f"{PAGE}add/", NEW | wrong).status_code == 422
    assert Membership.objects.count() == before


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
    client.post(f"{PAGE}add/", NEW | {"email": alice.user.email, "role": "lead"})

    assert (gone, theirs.get("/queue/").status_code) == (403, 200)
    assert events("member.ended")[0]["details"] == {"user": str(alice.user_id), "role": "reviewer"}


def test_a_membership_ends_once(client, alice):
    client.post(f"{PAGE}{alice.pk}/end/")

    assert client.post(f"{PAGE}{alice.pk}/end/").status_code == 409
    assert client.post(f"{PAGE}{alice.pk}/role/", {"role": "lead"}).status_code == 409
    assert client.post(f"{PAGE}{alice.pk}/link/").status_code == 409
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


def test_a_forgotten_password_is_helped_by_a_link_and_the_old_one_is_gone(client, alice):
    set_password(link_in(client.post(f"{PAGE}{alice.pk}/link/")))

    assert [User.objects.get(pk=alice.user_id).check_password(word) for word in (PASSWORD, CHOSEN_PASSWORD)] == [False, True]


def test_no_administrator_gets_a_link_to_an_account_that_opens_another_organisation(client, alice, charlie):
    with walls.within(charlie.organisation_id):
        add_member(organisation=charlie.organisation, user=alice.user, role=Role.LEAD, at=NOW)

    response = client.post(f"{PAGE}{alice.pk}/link/")

    assert response.status_code == 409
    assert "/password/reset/key/" not in response.content.decode()
    assert charlie.organisation.name not in response.content.decode()


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
    with walls.within(organisation.pk):
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
    assert [event["organisation"] for event in events("organisation.entered")] == [str(second.organisation_id), str(alice.organisation_id)]


def test_the_choice_is_that_of_one_session(alice, second):
    sign_in(alice).post(f"/organisations/{second.organisation_id}/enter/")

    assert sign_in(alice).get("/queue/").status_code == 302


def test_nothing_happens_in_any_of_them_before(alice, second, item):
    client = sign_in(alice)

    assert client.post(f"/items/{item.pk}/take/")["Location"].startswith("/organisations/")
    assert events("lease.taken") == []


def test_a_choice_that_has_ended_is_none(alice, second):
    client = sign_in(alice)
    client.post(f"/organisations/{second.organisation_id}/enter/")
    with walls.within(second.organisation_id):
        Membership.objects.filter(pk=second.pk).update(ended_at=NOW)

    assert client.get("/queue/").context["member"] == alice


def test_the_way_on_leads_to_no_other_site(alice, second):
    client = sign_in(alice)

    assert client.post(f"/organisations/{second.organisation_id}/enter/", {"next": "//elsewhere.example/"})["Location"] == "/"


def test_whoever_belongs_to_one_is_not_asked(alice):
    page = sign_in(alice).get("/queue/")

    assert page.status_code == 200
    assert "/organisations/" not in page.content.decode()
