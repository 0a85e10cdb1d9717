"""The sign-in page: who is let in, what it tells those who are not, and where it leads."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import add_member
from reviewers.accounts.models import Membership, Role, User
from reviewers.accounts.sessions import end_all_expired
from reviewers.review.labels import actions
from reviewers.review.models import Lease
from reviewers.settings import PASSWORD_HASHERS  # noqa: TID251 - what the site uses, where tests use something quicker
from reviewers.web.tenancy import tenant
from tests.accounts.signing_in import LOGIN, is_signed_in, sign_in_with
from tests.events import actions_of, events, events_of
from tests.factories import NOW, PASSWORD, make_organisation
from tests.markup import read_markup

WRONG = "not the passphrase at all"


def told(response) -> str:
    """The page without what differs between any two: the address that was typed in and the token."""
    text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", response.content.decode())
    return text.replace(f'value="{response.context["form"]["login"].value()}"', "")


def test_with_the_right_password_one_is_let_in_and_led_to_the_work(client, alice):
    response = sign_in_with(client, alice.user.email)

    assert (response.status_code, response["Location"]) == (302, "/")
    assert is_signed_in(client)
    assert client.get("/", follow=True).redirect_chain == [("/queue/", 302)]


@pytest.mark.parametrize(
    ("role", "first_page"),
    [
        (Role.REVIEWER, "/queue/"),
        (Role.LEAD, "/queue/"),
        (Role.AUDITOR, "/queue/"),
        (Role.COORDINATOR, "/why/"),
        (Role.ADMINISTRATOR, "/settings/"),
    ],
)
def test_work_begins_where_the_role_has_its_own(client, alice, role, first_page):
    Membership.objects.filter(pk=alice.pk).update(role=role)
    sign_in_with(client, alice.user.email)

    assert client.get("/")["Location"] == first_page
    assert client.get(first_page).status_code == 200


@pytest.mark.parametrize(("email", "words"), [("alice@clinic", "valid email address"), ("", "required")])
def test_an_address_that_cannot_be_one_is_said_to_be_none(client, alice, email, words):
    page = read_markup(sign_in_with(client, email))

    assert words in page.one("form", action="/accounts/login/").one("ul", class_="errorlist").text


def test_after_a_wrong_password_one_goes_on_at_the_password(client, alice):
    page = read_markup(sign_in_with(client, alice.user.email, WRONG))

    assert [each["name"] for each in page.find("input", autofocus=True)] == ["password"]


def test_the_address_may_be_typed_in_any_case_and_with_spaces_around_it(client, alice):
    sign_in_with(client, f"  {alice.user.email.upper()} ")

    assert is_signed_in(client)


def test_signing_in_gives_the_session_a_new_name(client, alice):
    client.get(LOGIN)
    client.session["before"] = "x"
    client.session.save()
    name = client.session.session_key
    sign_in_with(client, alice.user.email)

    assert client.session.session_key != name


def test_a_wrong_password_lets_nobody_in_and_is_written_down(client, alice):
    response = sign_in_with(client, alice.user.email, WRONG)

    assert response.status_code == 200
    assert "The email address and/or password you specified are not correct." in told(response)
    assert not is_signed_in(client)
    (event,) = events("session.refused")
    assert event["actor"] == {"kind": "system", "id": None}
    assert event["object"] == {"type": "user", "id": str(alice.user_id)}
    assert event["organisation"] == str(alice.organisation_id)


def test_an_unknown_address_is_told_the_same_as_a_wrong_password(client, alice):
    wrong, unknown = sign_in_with(client, alice.user.email, WRONG), sign_in_with(Client(), "nobody@example.org", WRONG)

    assert told(unknown) == told(wrong)
    assert (unknown.status_code, dict(unknown.headers).keys()) == (wrong.status_code, dict(wrong.headers).keys())


def test_for_an_unknown_address_a_password_is_hashed_all_the_same(client, db, monkeypatch):
    """Otherwise the time of the answer tells who has an account."""
    hashed = []
    monkeypatch.setattr(User, "set_password", lambda _, password: hashed.append(password))
    sign_in_with(client, "nobody@example.org", WRONG)

    assert hashed == [WRONG]


def test_an_unknown_address_is_written_down_nowhere(client, alice):
    before = len(events())
    sign_in_with(client, "nobody@example.org", WRONG)

    assert len(events()) == before


@pytest.mark.parametrize("password", [PASSWORD, WRONG], ids=["right", "wrong"])
def test_a_closed_account_stays_outside(client, alice, password):
    User.objects.filter(pk=alice.user_id).update(is_active=False)

    response = sign_in_with(client, alice.user.email, password)

    assert not is_signed_in(client)
    assert client.get("/queue/").status_code == 302
    assert actions_of(events("session.started")) == []
    if password == PASSWORD:
        assert response["Location"] == "/accounts/inactive/"
        assert client.get("/accounts/inactive/").status_code == 200
    else:
        assert response.status_code == 200


def test_whoever_is_signed_in_already_is_led_to_the_first_page(client, alice):
    sign_in_with(client, alice.user.email)

    assert client.get(LOGIN)["Location"] == "/"


@pytest.mark.parametrize("path", ["/settings/", "/queue/?state=submitted&model=a%20b"])
def test_signing_in_leads_back_to_where_one_wanted_to_go(client, alice, path):
    sent_away = client.get(path)
    page = client.get(sent_away["Location"]).content.decode()

    response = sign_in_with(client, alice.user.email, next=path)

    assert sent_away["Location"] == f"{LOGIN}?next={quote(path)}"
    assert 'name="next"' in page
    assert response["Location"] == path


def test_a_part_of_a_page_leads_the_whole_window_to_sign_in_and_back_to_that_page(client, item):
    """Otherwise the sign-in page would stand where the row was."""
    page = f"http://testserver/items/{item.pk}/?unfound=1"

    response = client.post(f"/items/{item.pk}/label/", headers={"HX-Request": "true", "HX-Current-URL": page})

    assert (response.status_code, response.content) == (200, b"")
    assert response["HX-Redirect"] == f"{LOGIN}?next=/items/{item.pk}/%3Funfound%3D1"


def test_a_page_of_another_site_is_not_led_back_to(client, item):
    response = client.post(f"/items/{item.pk}/label/", headers={"HX-Request": "true", "HX-Current-URL": "https://elsewhere.example/x"})

    assert response["HX-Redirect"] == f"{LOGIN}?next=/items/{item.pk}/label/"


ELSEWHERE = [
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "///elsewhere.example/",
    "/\\elsewhere.example/",
    "\\\\elsewhere.example/",
    "http:///elsewhere.example/",
    "https:elsewhere.example",
    " https://elsewhere.example/",
    "\thttps://elsewhere.example/",
    "/\t/elsewhere.example/",
    "https://testserver@elsewhere.example/",
    "https://testserver.elsewhere.example/",
    "javascript:alert(1)",
    "data:text/html,x",
]


@pytest.mark.parametrize("target", ELSEWHERE)
def test_signing_in_never_leads_to_another_site(client, alice, target):
    in_form = sign_in_with(client, alice.user.email, next=target)
    other = Client()
    in_address = other.post(f"{LOGIN}?next={quote(target)}", {"login": alice.user.email, "password": PASSWORD})

    assert (in_form["Location"], in_address["Location"]) == ("/", "/")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_signing_out_never_leads_to_another_site(client, alice, target):
    sign_in_with(client, alice.user.email)

    assert client.post("/accounts/logout/", {"next": target})["Location"] == LOGIN


def test_a_form_from_before_the_sign_in_is_refused_and_says_why(alice):
    client = Client(enforce_csrf_checks=True)

    response = sign_in_with(client, alice.user.email)

    assert response.status_code == 403
    assert "This form is from an earlier session." in response.content.decode()
    assert not is_signed_in(client)


def test_asking_to_sign_out_asks_first_and_signs_nobody_out(client, alice):
    """A link or a picture on another page must not end a session."""
    sign_in_with(client, alice.user.email)

    assert "Sign out?" in client.get("/accounts/logout/").content.decode()
    assert is_signed_in(client)


def test_signing_out_ends_the_session_lets_go_of_everything_and_is_written_down(client, alice, item):
    sign_in_with(client, alice.user.email)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    cookie = client.cookies["sessionid"].value

    response = client.post("/accounts/logout/")

    assert (response.status_code, response["Location"]) == (302, LOGIN)
    assert Lease.objects.count() == 0
    assert actions_of(events())[-3:] == ["lease.taken", "session.ended", "lease.released"]
    client.cookies["sessionid"] = cookie
    assert client.get("/queue/").status_code == 302, "the old session is gone, not only its cookie"


@pytest.fixture
def elsewhere(alice, charlie):
    """Alice works at Charlie's as well."""
    with tenant.within(charlie.organisation_id):
        add_member(organisation=charlie.organisation, user=alice.user, role=Role.REVIEWER, at=NOW)
        return charlie.organisation


def of_sessions(organisation_id) -> list[str]:
    return [action for action in actions_of(events_of(organisation_id)) if action.startswith(("session.", "organisation.ent", "lease."))]


def test_signing_in_and_out_are_written_down_where_somebody_entered_and_nowhere_else(client, alice, elsewhere, item):
    sign_in_with(client, alice.user.email)
    assert of_sessions(alice.organisation_id) == of_sessions(elsewhere.pk) == []

    for _ in range(2):
        client.post(f"/organisations/{elsewhere.pk}/enter/")
    client.get("/queue/")
    actions.take(item_id=item.pk, by=alice, now=NOW)
    client.post("/accounts/logout/")

    assert of_sessions(elsewhere.pk) == ["session.started", "session.ended"]
    assert of_sessions(alice.organisation_id) == ["lease.taken"]
    (started,) = events("session.started")
    assert started["actor"]["id"] == started["object"]["id"] == str(alice.user_id)


def test_of_a_session_that_is_over_they_alone_are_told_as_well(client, alice, elsewhere):
    sign_in_with(client, alice.user.email)
    client.post(f"/organisations/{elsewhere.pk}/enter/")

    end_all_expired(timezone.now() + timedelta(days=1))

    assert (of_sessions(elsewhere.pk), of_sessions(alice.organisation_id)) == (["session.started", "session.ended"], [])


def test_whoever_is_left_with_one_organisation_while_signed_in_is_written_down_there(client, alice, elsewhere):
    sign_in_with(client, alice.user.email)
    with tenant.within(elsewhere.pk):
        Membership.objects.filter(user=alice.user, organisation=elsewhere).update(ended_at=NOW)

    assert client.get("/queue/").status_code == 200

    assert (of_sessions(elsewhere.pk), of_sessions(alice.organisation_id)) == ([], ["session.started"])


def test_whose_membership_has_ended_can_sign_in_and_is_told_to_ask_for_one(client, alice):
    Membership.objects.filter(pk=alice.pk).update(ended_at=NOW)
    sign_in_with(client, alice.user.email)

    response = client.get("/", follow=True)

    assert response.status_code == 403
    assert "You are not a member of an organisation. An administrator can add you." in response.content.decode()
    assert actions_of(events("session.started")) == []


def test_a_membership_that_ends_holds_at_once(client, alice, item):
    sign_in_with(client, alice.user.email)
    before = client.get(f"/items/{item.pk}/").status_code
    Membership.objects.filter(pk=alice.pk).update(ended_at=NOW)

    assert (before, client.get(f"/items/{item.pk}/").status_code) == (200, 403)


def test_a_role_that_changes_holds_at_once(client, alice, item):
    sign_in_with(client, alice.user.email)
    Membership.objects.filter(pk=alice.pk).update(role=Role.COORDINATOR)

    assert client.get(f"/items/{item.pk}/").status_code == 403


def test_of_several_memberships_the_last_that_is_left_needs_no_choice(client, alice):
    second = make_organisation("Second House")
    with tenant.within(second.pk):
        newer = add_member(organisation=second, user=alice.user, role=Role.ADMINISTRATOR, at=NOW)
    sign_in_with(client, alice.user.email)
    Membership.objects.filter(pk=alice.pk).update(ended_at=NOW)

    assert client.get("/settings/").context["member"] == newer


def test_after_five_wrong_passwords_not_even_the_right_one_helps_for_a_while(client, alice):
    for _ in range(5):
        sign_in_with(client, alice.user.email, WRONG)

    response = sign_in_with(client, alice.user.email)

    assert "Too many failed login attempts. Try again later." in response.content.decode()
    assert not is_signed_in(client)


def test_whoever_guesses_somebodys_password_does_not_lock_them_out(alice):
    guessing, own = Client(REMOTE_ADDR="203.0.113.9"), Client(REMOTE_ADDR="198.51.100.7")
    for _ in range(8):
        sign_in_with(guessing, alice.user.email, WRONG)

    sign_in_with(own, alice.user.email)

    assert is_signed_in(own)


def test_guessing_at_many_accounts_from_one_place_is_stopped_too(client, alice):
    for number in range(10):
        sign_in_with(client, f"person-x{number}@example.org", WRONG)

    sign_in_with(client, alice.user.email)

    assert not is_signed_in(client)


def test_the_place_is_the_one_the_proxy_names_only_where_there_is_one(alice, settings):
    client = Client(REMOTE_ADDR="192.0.2.1")
    for number in range(5):
        client.post(LOGIN, {"login": alice.user.email, "password": WRONG}, headers={"X-Forwarded-For": f"203.0.113.{number}"})
    made_up = client.post(LOGIN, {"login": alice.user.email, "password": PASSWORD}, headers={"X-Forwarded-For": "198.51.100.7"})
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    client.post(LOGIN, {"login": alice.user.email, "password": PASSWORD}, headers={"X-Forwarded-For": "198.51.100.7"})

    assert "Too many failed login attempts" in made_up.content.decode()
    assert is_signed_in(client)


def test_passwords_are_kept_by_argon2():
    assert PASSWORD_HASHERS == ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    assert make_password(PASSWORD, hasher=Argon2PasswordHasher()).startswith("argon2$argon2id$")


def test_a_password_stands_nowhere_in_the_clear(alice):
    stored = User.objects.values_list("password", flat=True).get(pk=alice.user_id)

    assert PASSWORD not in stored
