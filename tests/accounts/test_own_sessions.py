"""Where one is signed in: the person's own page, signing out elsewhere, and being signed out by an administrator."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from reviewers.accounts.actions import add_member
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Role
from reviewers.web.tenancy import tenant
from tests.accounts.mailing import link_in_mail
from tests.accounts.signing_in import is_signed_in, sign_in_with
from tests.events import events, events_of
from tests.factories import NOW, PASSWORD, make_item, sign_in, without_proofs

PAGE = "/accounts/signed-in/"
PROOF = "/accounts/reauthenticate/"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/604.1"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
EDGE = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0"


def come_in(member: Membership, browser: str = FIREFOX, place: str = "203.0.113.7") -> Client:
    """Sign in by the form, with a browser, from a place."""
    client = Client(headers={"User-Agent": browser}, REMOTE_ADDR=place)
    assert sign_in_with(client, member.user.email).status_code == 302
    return client


def others_of(client: Client) -> list:
    return [each for each in client.get(PAGE).context["sessions"] if not each.is_this]


@pytest.mark.parametrize(
    ("browser", "place", "told"),
    [
        (FIREFOX, "203.0.113.7", ("Firefox on Windows", "203.0.113.x")),
        (SAFARI, "2001:db8:0:7::1", ("Safari on an iPhone", "2001:db8:0:x")),
        (CHROME, "198.51.100.23", ("Chrome on Linux", "198.51.100.x")),
        (EDGE, "198.51.100.23", ("Edge on a Mac", "198.51.100.x")),
        ("<script>alert(1)</script>\udcff".encode("latin-1", "replace").decode(), "198.51.100.23", ("a browser", "198.51.100.x")),
    ],
)
def test_a_session_is_told_by_browser_and_network_in_plain_words(alice, browser, place, told):
    (row,) = come_in(alice, browser, place).get(PAGE).context["sessions"]

    assert ((row.browser, row.network), row.is_this) == (told, True)


def test_the_page_shows_ones_own_sessions_and_no_key_of_any(alice, bob):
    here = come_in(alice)
    there, _ = come_in(alice, SAFARI), come_in(bob)

    page = here.get(PAGE)

    assert [(row.browser, row.is_this) for row in page.context["sessions"]] == [
        ("Firefox on Windows", True),
        ("Safari on an iPhone", False),
    ]
    assert not [key for key in (here.session.session_key, there.session.session_key) if key in page.content.decode()]
    assert "203.0.113.7" not in page.content.decode()


def test_of_browser_and_network_only_the_words_are_kept(alice):
    come_in(alice)

    kept = str([row.get_decoded() for row in Session.objects.all()])

    assert not [words for words in ("Mozilla", "Gecko", "203.0.113.7") if words in kept]


def test_signing_out_there_asks_who_one_is_and_goes_on_as_it_was_sent(alice):
    here, there, third = come_in(alice), come_in(alice, SAFARI), come_in(alice, CHROME)
    (name,) = [row.name for row in others_of(here) if row.browser == "Safari on an iPhone"]

    asked = here.post(PAGE, {"session": name})

    assert asked["Location"].startswith(PROOF)
    assert is_signed_in(there)
    done = here.post(asked["Location"], {"password": PASSWORD}, follow=True)
    assert done.redirect_chain == [(PAGE, 302)]
    assert "You are signed out there." in done.content.decode()
    assert [client.get("/queue/").status_code for client in (here, there, third)] == [200, 302, 200]
    (ended,) = events("session.ended")
    assert (ended["details"], ended["actor"]) == ({"reason": "ended_elsewhere"}, {"kind": "user", "id": str(alice.user_id)})


def test_signing_out_everywhere_else_leaves_this_one_and_other_people(alice, bob):
    here, there, third, somebody_else = come_in(alice), come_in(alice, SAFARI), come_in(alice, CHROME), come_in(bob)
    here.post(PROOF, {"password": PASSWORD})

    here.post(PAGE, {"session": "others"})

    assert [client.get("/queue/").status_code for client in (here, there, third, somebody_else)] == [200, 302, 302, 200]
    assert [event["details"]["reason"] for event in events("session.ended")] == ["ended_elsewhere"] * 2


def test_nobody_signs_somebody_else_out(alice, bob):
    theirs, here = come_in(alice), come_in(bob)
    (row,) = theirs.get(PAGE).context["sessions"]
    here.post(PROOF, {"password": PASSWORD})

    for name in (row.name, theirs.session.session_key, "", "\u0000"):
        assert here.post(PAGE, {"session": name}, follow=True).status_code == 200

    assert is_signed_in(theirs)
    assert events("session.ended") == []


def test_a_proof_given_elsewhere_or_a_wrong_one_ends_nothing(alice):
    here, there = come_in(alice), come_in(alice, SAFARI)
    there.post(PROOF, {"password": PASSWORD})

    asked = here.post(PAGE, {"session": "others"})

    assert here.post(asked["Location"], {"password": "not the passphrase"}).status_code == 422
    assert is_signed_in(there)


def test_another_password_ends_the_sessions_elsewhere_with_their_events(alice):
    here, there = come_in(alice), come_in(alice, SAFARI)
    new = "another rather long one"

    here.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})

    assert [client.get("/queue/").status_code for client in (here, there)] == [200, 302]
    assert [event["details"] for event in events("session.ended")] == [{"reason": "password_changed"}]
    assert not Session.objects.filter(pk=there.cookies["sessionid"].value).exists()


def test_so_does_a_password_set_by_a_link(client, alice):
    there = come_in(alice)
    client.post("/accounts/password/reset/", {"email": alice.user.email})
    form = client.get(link_in_mail(), follow=True)
    new = "another rather long one"

    client.post(form.redirect_chain[-1][0], {"password1": new, "password2": new})

    assert not is_signed_in(there)
    (ended,) = events("session.ended")
    assert (ended["details"], ended["actor"]["kind"]) == ({"reason": "password_changed"}, "system")


def test_an_administrator_signs_a_member_out_wherever_they_are_and_they_come_back_by_signing_in(administrator, alice, bob):
    first, second, somebody_else = come_in(alice), come_in(alice, SAFARI), come_in(bob)

    sign_in(administrator).post(f"/settings/members/{alice.pk}/sign-out/")

    told = first.get("/queue/")
    assert told["Location"] == "/accounts/login/?next=/queue/&ended=sign_in_again"
    assert "An administrator of your organisation has signed you out." in first.get(told["Location"]).content.decode()
    assert [client.get("/queue/").status_code for client in (first, second, somebody_else)] == [302, 302, 200]
    assert not is_signed_in(first)
    sign_in_with(first, alice.user.email)
    assert first.get("/queue/").status_code == 200
    (event,) = events("member.signed_out")
    assert (event["details"], event["actor"]["id"]) == ({"user": str(alice.user_id)}, str(administrator.user_id))
    assert {event["details"]["reason"] for event in events("session.ended")} == {"sign_in_again"}


def test_what_a_signed_out_session_asks_for_is_not_done(administrator, alice, organisation):
    item, theirs = make_item(organisation), come_in(alice)
    sign_in(administrator).post(f"/settings/members/{alice.pk}/sign-out/")

    theirs.post(f"/items/{item.pk}/take/")

    assert events("lease.taken") == []


def test_only_an_administrator_does_it_with_a_proof_and_in_their_own_organisation(administrator, alice, bob, charlie):
    theirs = come_in(alice)

    answers = [
        sign_in(bob).post(f"/settings/members/{alice.pk}/sign-out/").status_code,
        without_proofs(administrator).post(f"/settings/members/{alice.pk}/sign-out/"),
        sign_in(administrator).post(f"/settings/members/{charlie.pk}/sign-out/").status_code,
    ]

    assert (answers[0], answers[2]) == (403, 404)
    assert "Confirm that it is you" in answers[1].content.decode()
    assert theirs.get("/queue/").status_code == 200
    assert events("member.signed_out") == []


def test_it_closes_this_organisation_and_leaves_others_open_to_who_works_there(administrator, alice, charlie):
    with tenant.within(charlie.organisation_id):
        add_member(organisation=charlie.organisation, user=alice.user, role=Role.REVIEWER, at=NOW, by=SYSTEM)
    theirs = come_in(alice)
    theirs.post(f"/organisations/{charlie.organisation_id}/enter/")

    sign_in(administrator).post(f"/settings/members/{alice.pk}/sign-out/")

    assert theirs.get("/queue/").status_code == 200
    back = theirs.post(f"/organisations/{alice.organisation_id}/enter/")
    assert back["Location"].endswith("ended=sign_in_again")
    assert not is_signed_in(theirs)
    assert "member.signed_out" not in {event["action"] for event in events_of(charlie.organisation_id)}
