"""Sessions end by themselves: after a while without use, and after so many hours however much they are used."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from reviewers.accounts import sessions
from reviewers.accounts.actions import KEPT_FOR, MOST_DRAFTS, delete_old_drafts
from reviewers.accounts.models import Draft
from reviewers.review.labels import actions
from reviewers.review.models import Lease
from reviewers.web.tenancy import tenant
from tests.accounts.signing_in import is_signed_in, sign_in_with
from tests.events import actions_of, events
from tests.factories import NOW, make_organisation, sign_in

UNATTENDED = {"Unattended": "1"}
SECOND = timedelta(seconds=1)


def go_back(client: Client, *, used: timedelta, begun: timedelta | None = None) -> Client:
    """Let the session have been used, and begun, so long ago."""
    session = client.session
    session[sessions.USED] = (timezone.now() - used).isoformat()
    session[sessions.BEGUN] = (timezone.now() - (begun or used)).isoformat()
    session.save()
    return client


def test_a_session_that_nobody_used_for_a_quarter_of_an_hour_is_over(alice, settings):
    client = go_back(sign_in(alice), used=settings.SESSION_IDLE + SECOND)

    response = client.get("/queue/?state=skipped")

    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=/queue/%3Fstate%3Dskipped&ended=idle")
    assert not is_signed_in(client)
    assert "nothing was done for a while" in client.get(response["Location"]).content.decode()


def test_a_moment_before_it_goes_on_and_the_use_makes_it_longer(alice, settings):
    client = go_back(sign_in(alice), used=settings.SESSION_IDLE - timedelta(seconds=20))

    assert client.get("/queue/").status_code == 200
    assert client.get("/session/").json() == {"left": pytest.approx(settings.SESSION_IDLE.total_seconds(), abs=2), "extends": True}


def test_after_twelve_hours_it_is_over_however_much_it_is_used(alice, settings):
    client = go_back(sign_in(alice), used=SECOND, begun=settings.SESSION_LONGEST + SECOND)

    assert client.get("/queue/")["Location"].endswith("&ended=absolute")


def test_a_session_that_has_gone_meanwhile_is_said_to_have_ended(alice, settings):
    client = go_back(sign_in(alice), used=settings.SESSION_IDLE + SECOND)
    sessions.end_all_expired(timezone.now())

    response = client.get("/queue/")

    assert response["Location"] == "/accounts/login/?next=/queue/&ended=gone"
    assert "Your session has ended" in client.get(response["Location"]).content.decode()


def test_whoever_signed_out_or_never_signed_in_is_told_of_no_end(alice):
    client = sign_in(alice)
    client.post("/accounts/logout/")

    assert client.get("/queue/")["Location"] == Client().get("/queue/")["Location"] == "/accounts/login/?next=/queue/"


def test_using_it_does_not_move_its_last_moment(alice, settings):
    client = go_back(sign_in(alice), used=timedelta(minutes=1), begun=settings.SESSION_LONGEST - timedelta(seconds=40))
    client.get("/queue/")

    assert client.get("/session/").json() == {"left": pytest.approx(40, abs=2), "extends": False}


def test_what_a_page_asks_by_itself_keeps_nobody_signed_in(alice, item, settings):
    actions.take(item_id=item.pk, by=alice, now=timezone.now())
    client = go_back(sign_in(alice), used=timedelta(minutes=10))

    client.post(f"/items/{item.pk}/renew/", headers=UNATTENDED)
    client.get("/session/", headers=UNATTENDED)

    left = client.get("/session/", headers=UNATTENDED).json()["left"]
    assert left == pytest.approx((settings.SESSION_IDLE - timedelta(minutes=10)).total_seconds(), abs=2)


def test_the_page_that_renews_a_lease_says_that_nobody_is_there(alice, item):
    client = sign_in(alice)
    client.post(f"/items/{item.pk}/take/")

    assert '"Unattended": "1"' in client.get(f"/items/{item.pk}/").content.decode()


def test_saying_that_one_stays_makes_it_longer(alice, settings):
    client = go_back(sign_in(alice), used=timedelta(minutes=14))

    assert client.post("/session/stay/").json()["left"] == pytest.approx(settings.SESSION_IDLE.total_seconds(), abs=2)


def test_the_end_is_written_down_with_its_reason_and_lets_go_of_everything(alice, item, settings):
    client = go_back(sign_in(alice), used=settings.SESSION_IDLE + SECOND)
    actions.take(item_id=item.pk, by=alice, now=timezone.now())

    client.get("/queue/")

    ended, released = events()[-2:]
    assert (ended["action"], ended["details"], ended["actor"]["kind"]) == ("session.ended", {"reason": "idle"}, "system")
    assert (released["action"], Lease.objects.count()) == ("lease.released", 0)


def test_of_sessions_that_nobody_comes_back_to_the_worker_writes_down_the_end(alice, bob, settings):
    go_back(sign_in(alice), used=settings.SESSION_IDLE + SECOND)
    go_back(sign_in(bob), used=SECOND, begun=settings.SESSION_LONGEST + SECOND)
    open_still = sign_in(bob)

    assert sessions.end_all_expired(timezone.now()) == 2
    assert sessions.end_all_expired(timezone.now()) == 0

    assert sorted(event["details"]["reason"] for event in events("session.ended")) == ["absolute", "idle"]
    assert open_still.get("/queue/").status_code == 200
    assert Session.objects.count() == 1


def test_signing_out_oneself_is_another_reason(alice):
    sign_in(alice).post("/accounts/logout/")

    (ended,) = events("session.ended")
    assert (ended["details"], ended["actor"]["kind"]) == ({"reason": "signed_out"}, "user")


def test_one_end_is_written_down_once(alice, settings):
    client = go_back(sign_in(alice), used=settings.SESSION_IDLE + SECOND)
    cookie = client.cookies["sessionid"].value
    for _ in range(2):
        client.cookies["sessionid"] = cookie
        client.get("/queue/")
    sessions.end_all_expired(timezone.now())

    assert actions_of(events()).count("session.ended") == 1


def test_whoever_only_began_to_sign_in_has_no_session_that_could_end(client, alice):
    client.get("/accounts/login/")
    session = client.session
    session["x"] = 1
    session.save()
    Session.objects.update(expire_date=NOW)
    client.get("/queue/")

    assert events("session.ended") == []


def test_a_session_in_which_nobody_signed_in_is_kept_no_longer_than_an_idle_one(client, db, settings):
    client.get("/accounts/2fa/passkeys/login/", headers={"X-Requested-With": "XMLHttpRequest"})

    [kept] = Session.objects.all()
    assert kept.expire_date - timezone.now() <= settings.SESSION_IDLE


@pytest.mark.parametrize("key", ["a\x00b" * 8, "é" * 32, "x" * 60_000, "' OR 1=1", ""])
def test_a_cookie_that_names_no_session_is_no_error(client, db, key):
    client.cookies["sessionid"] = key

    assert client.get("/accounts/login/").status_code == 200
    assert client.get("/queue/").status_code == 302


def test_a_new_sign_in_begins_anew(client, alice, settings):
    sign_in_with(client, alice.user.email)
    go_back(client, used=SECOND, begun=settings.SESSION_LONGEST + SECOND)
    client.get("/queue/")
    sign_in_with(client, alice.user.email)

    assert client.get("/queue/").status_code == 200


def test_a_page_knows_how_long_the_session_lasts(alice, settings):
    client = go_back(sign_in(alice), used=timedelta(seconds=20))
    page = client.get("/queue/").content.decode()

    left = int(page.partition('data-left="')[2].partition('"')[0])
    assert left == pytest.approx(settings.SESSION_IDLE.total_seconds() - 20, abs=2)


# ---- what was being written


def begin_to_write(client: Client, text: str, page: str = "/items/x/") -> None:
    assert client.post("/drafts/keep/", {"page": page, "field": "note 3", "text": text}).status_code == 200


def drafts_of(client: Client, page: str = "/items/x/") -> dict[str, str]:
    return client.get("/drafts/", {"page": page}).json()


def test_what_somebody_began_to_write_is_there_after_the_next_sign_in(alice, settings):
    client = sign_in(alice)
    begin_to_write(client, "  half a sentence ")
    go_back(client, used=settings.SESSION_IDLE + SECOND)
    client.get("/queue/")

    assert drafts_of(sign_in(alice)) == {"note 3": "  half a sentence "}


def test_writing_on_replaces_it_and_nothing_takes_it_away(alice):
    client = sign_in(alice)
    for text in ("half", "half a sentence"):
        begin_to_write(client, text)
    before = drafts_of(client)
    begin_to_write(client, " ")

    assert (before, drafts_of(client), Draft.objects.count()) == ({"note 3": "half a sentence"}, {}, 0)


def test_nobody_sees_what_somebody_else_is_writing(alice, bob, lead):
    begin_to_write(sign_in(alice), "half a sentence")

    assert [drafts_of(sign_in(member)) for member in (bob, lead)] == [{}, {}]


def test_what_is_written_in_one_organisation_is_not_shown_in_another(alice):
    elsewhere = make_organisation()
    with tenant.within(elsewhere.pk):
        Draft.objects.create(organisation=elsewhere, user=alice.user, page="/items/x/", field="note", text="half a sentence", saved_at=NOW)

    assert drafts_of(sign_in(alice)) == {}


def test_it_belongs_to_one_page(alice):
    client = sign_in(alice)
    begin_to_write(client, "half a sentence")

    assert drafts_of(client, "/items/y/") == {}


@pytest.mark.parametrize("form", [{}, {"page": "/", "field": "note", "text": "x" * 5001}, {"page": "/" * 201, "field": "note"}])
def test_what_is_no_draft_is_not_kept(alice, form):
    assert sign_in(alice).post("/drafts/keep/", form).status_code == 400
    assert Draft.objects.count() == 0


def test_of_very_many_the_newest_are_kept(alice, bob):
    others = [
        Draft(organisation=alice.organisation, user=alice.user, page=f"/{number}/", text="x", saved_at=NOW) for number in range(MOST_DRAFTS)
    ]
    Draft.objects.bulk_create([*others, Draft(organisation=bob.organisation, user=bob.user, page="/0/", text="x", saved_at=NOW)])

    begin_to_write(sign_in(alice), "half a sentence")

    assert Draft.objects.filter(user=alice.user).count() == MOST_DRAFTS
    assert set(drafts_of(sign_in(alice)).values()) == {"half a sentence"}
    assert Draft.objects.filter(user=bob.user).count() == 1


def test_after_a_week_it_is_forgotten(alice):
    begin_to_write(sign_in(alice), "half a sentence")
    delete_old_drafts(now=timezone.now())
    before = Draft.objects.count()
    delete_old_drafts(now=timezone.now() + KEPT_FOR + SECOND)

    assert (before, Draft.objects.count()) == (1, 0)
