"""Single sign-on, against a real provider: who is let in, who is not, and what such a session opens."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.models import Membership, SignOnDomain, SignOnIdentity, SignOnProvider, User
from reviewers.accounts.sign_in import throttle
from reviewers.accounts.single_sign_on import openid
from reviewers.accounts.single_sign_on.actions import ProviderSettings, remove_provider, set_provider
from reviewers.accounts.single_sign_on.views import FREE_FAILURES, KNOWN, PENDING
from reviewers.web.tenancy import tenant
from tests.accounts.signing_in import code_of, give_second_factor, is_signed_in
from tests.events import events, events_of
from tests.factories import make_member, make_organisation

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def provider_address(tmp_path_factory) -> Iterator[str]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    database = tmp_path_factory.mktemp("provider") / "provider.sqlite3"
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    env |= {"PROVIDER_DATABASE": str(database), "PROVIDER_KEY": pem}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.accounts.provider"], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@dataclass
class House:
    """An organisation with its provider, and somebody of it."""

    member: Membership
    provider: SignOnProvider
    client_id: str
    secret: str

    def person(self, **claims: object) -> dict[str, object]:
        """Return the claims of the provider about the member."""
        email = self.member.user.email
        return {"sub": f"subject of {email}", "email": email, "email_verified": True} | claims

    def leave(self, client: Client, **query: str) -> str:
        """Where the browser is sent."""
        response = client.get(reverse("sign_on_begin", args=[self.provider.pk]), query)
        assert response.status_code == 302
        return response["Location"]

    def sign_in_there(self, there: str, **claims: object) -> str:
        """Sign in at the provider; return the address that it redirects to."""
        header = {"X-Person": json.dumps(self.person(**claims))}
        answer = requests.get(there, headers=header, allow_redirects=False, timeout=10)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"].removeprefix(settings.ADDRESS)

    def sign_in(self, client: Client, **claims: object):
        """All of it."""
        return client.get(self.sign_in_there(self.leave(client), **claims))


def make_client(address: str, back_to: str) -> tuple[str, str]:
    made = requests.post(f"{address}/clients/", json={"name": "Footnote", "redirect_uris": back_to}, timeout=10).json()
    return made["id"], made["secret"]


def make_house(address: str, domain: str, member: Membership) -> House:
    organisation = member.organisation
    with tenant.within(organisation.pk):
        terms = ProviderSettings("North", address, "to be known", "to be known", (domain,))
        provider = set_provider(organisation=organisation, terms=terms, at=timezone.now())
        client_id, secret = make_client(address, settings.ADDRESS + reverse("sign_on_return", args=[provider.pk]))
        SignOnProvider.objects.filter(pk=provider.pk).update(client_id=client_id)
        provider = set_provider(organisation=organisation, terms=replace(terms, client_id=client_id, secret=secret), at=timezone.now())
    return House(member, provider, client_id, secret)


@pytest.fixture
def house(db, provider_address) -> House:
    member = make_member(make_organisation(), "reviewer")
    User.objects.filter(pk=member.user_id).update(email=f"nurse@north{member.user_id.hex[-6:]}.example")
    member.user.refresh_from_db()
    return make_house(provider_address, member.user.email.partition("@")[2], member)


def actions() -> set[str]:
    return {event["action"] for event in events()}


def refused_for(response) -> str:
    """Why, as the organisation is told; the page says it in words."""
    assert response["Location"].startswith("/accounts/sign-on/?says=")
    (event,) = events("session.refused")
    assert event["actor"]["kind"] == "system"
    assert event["details"]["by"] == "single sign-on"
    return event["details"]["reason"]


def test_a_member_comes_in_by_their_address_once_and_by_the_subject_ever_after(house):
    client = Client()
    offered = client.post("/accounts/sign-on/", {"email": house.member.user.email})
    assert reverse("sign_on_begin", args=[house.provider.pk]) in offered.text

    response = house.sign_in(client)

    assert response["Location"] == "/"
    assert is_signed_in(client)
    assert client.get("/", follow=True).status_code == 200
    assert events("session.started")[-1]["details"] == {"by": "single sign-on"}
    assert len(events("sign_on.tied")) == 1
    assert house.member.user.email not in json.dumps(events("sign_on.tied") + events("session.started"))

    User.objects.filter(pk=house.member.user_id).update(email="married@elsewhere.example")
    again = Client()
    house.sign_in(again)
    assert is_signed_in(again)
    assert len(events("sign_on.tied")) == 1


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email_verified": False}, "address_not_verified"),
        ({"email_verified": "true"}, "address_not_verified"),
        ({"email": "a\0@north.example"}, "address_not_verified"),
        ({"email": "\ud800@north.example"}, "address_not_verified"),
        ({"email": "nurse@elsewhere.example"}, "domain"),
        ({"nonce": "another"}, "nonce"),
        ({"aud": "another"}, "audience"),
        ({"azp": "another"}, "audience"),
        ({"sub": ""}, "subject"),
        ({"sub": "a\0"}, "subject"),
    ],
)
def test_whom_the_provider_does_not_vouch_for_stays_outside(house, claims, reason):
    client = Client()

    assert refused_for(house.sign_in(client, **claims)) == reason
    assert not is_signed_in(client)
    assert not SignOnIdentity.objects.exists()


def test_nobody_becomes_a_member_by_signing_in(house):
    client, people = Client(), User.objects.count()
    unknown = f"unknown@{house.member.user.email.partition('@')[2]}"

    assert refused_for(house.sign_in(client, sub="unknown", email=unknown)) == "no_member"
    assert User.objects.count() == people


def test_a_sign_that_becomes_a_letter_makes_no_address_of_somebody_else(house):
    User.objects.filter(pk=house.member.user_id).update(email=f"mike@{house.member.user.email.partition('@')[2]}")
    house.member.user.refresh_from_db()
    client = Client()

    alike = house.member.user.email.replace("mike", "mi\N{KELVIN SIGN}e")
    assert refused_for(house.sign_in(client, sub="somebody else", email=alike)) == "no_member"
    assert not is_signed_in(client)
    house.sign_in(client, email=house.member.user.email.upper())
    assert is_signed_in(client)


def test_another_subject_with_the_same_address_is_not_the_member(house):
    house.sign_in(Client())
    client = Client()

    assert refused_for(house.sign_in(client, sub="somebody else")) == "known_as_another"
    assert not is_signed_in(client)


def test_whose_membership_has_ended_stays_outside(house):
    house.sign_in(Client())
    Membership.objects.filter(pk=house.member.pk).update(ended_at=timezone.now())
    client = Client()

    assert refused_for(house.sign_in(client)) == "no_member"
    assert not is_signed_in(client)


def test_a_state_that_was_tampered_with_or_used_before_is_not_taken(house):
    client = Client()
    back = house.sign_in_there(house.leave(client))
    path, _, query = back.partition("?")
    terms = {name: values[0] for name, values in parse_qs(query).items()}

    for wrong in (terms | {"state": "another"}, terms):  # the first try has used the state up
        assert client.get(path, wrong)["Location"] == "/accounts/sign-on/?says=expired"
    assert Client().get(back)["Location"] == "/accounts/sign-on/?says=expired"
    assert not is_signed_in(client)
    assert "session.refused" not in actions()


def test_a_code_works_once_and_for_whom_it_was_made_alone(house):
    client, other = Client(), Client()
    back = house.sign_in_there(house.leave(client))
    client.get(back)
    assert is_signed_in(client)
    code = parse_qs(urlsplit(back).query)["code"][0]
    state = parse_qs(urlsplit(house.leave(other)).query)["state"][0]

    response = other.get(f"{urlsplit(back).path}?{urlencode({'code': code, 'state': state})}")

    assert refused_for(response) == "code"
    assert not is_signed_in(other)


def test_a_fresh_code_of_another_browser_is_of_no_use(house):
    mine, theirs = Client(), Client()
    code = parse_qs(urlsplit(house.sign_in_there(house.leave(theirs))).query)["code"][0]
    there = house.leave(mine)
    state = parse_qs(urlsplit(there).query)["state"][0]

    response = mine.get(reverse("sign_on_return", args=[house.provider.pk]), {"code": code, "state": state})

    assert refused_for(response) == "code"


def test_a_provider_that_does_not_answer_is_said_in_words(house):
    SignOnProvider.objects.filter(pk=house.provider.pk).update(issuer="http://127.0.0.1:9")
    client = Client()

    response = client.get(reverse("sign_on_begin", args=[house.provider.pk]), follow=True)

    assert response.status_code == 200
    assert "could not be reached" in response.text


def test_a_provider_that_responds_byte_by_byte_is_not_waited_for(house, monkeypatch):
    monkeypatch.setattr(openid, "LONGEST", 0.2)
    response = b'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"issuer": "x"      }'

    def drip(listener: socket.socket) -> None:
        client, _ = listener.accept()
        with client, suppress(OSError):
            for each in response:
                client.sendall(bytes([each]))
                time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        dripping = Thread(target=drip, args=[listener])
        dripping.start()
        with pytest.raises(openid.ProviderDown):
            openid._ask("GET", f"http://127.0.0.1:{listener.getsockname()[1]}/")
        dripping.join()


def test_a_provider_that_does_not_respond_takes_few_threads(house):
    with openid._in_turn(house.provider), openid._in_turn(house.provider):
        response = Client().get(reverse("sign_on_begin", args=[house.provider.pk]))
        assert response["Location"] == "/accounts/sign-on/?says=down"

    assert Client().get(reverse("sign_on_begin", args=[house.provider.pk]))["Location"].startswith(house.provider.issuer)


def test_a_provider_that_goes_down_meanwhile_is_said_in_words(house):
    client = Client()
    back = house.sign_in_there(house.leave(client))
    SignOnProvider.objects.filter(pk=house.provider.pk).update(issuer="http://127.0.0.1:9")

    response = client.get(back, follow=True)

    assert "could not be reached" in response.text


def test_the_session_opens_the_providers_organisation_alone(house):
    elsewhere = make_organisation("Elsewhere")
    with tenant.within(elsewhere.pk):
        Membership.objects.create(organisation=elsewhere, user=house.member.user, role="lead")
    client = Client()
    house.sign_in(client)

    assert client.get("/organisations/").text.count("/enter/") <= 1
    assert client.post(f"/organisations/{elsewhere.pk}/enter/").status_code == 404
    assert client.get("/", follow=True).wsgi_request.member.organisation_id == house.member.organisation_id
    assert "session.started" not in {event["action"] for event in events_of(elsewhere.pk)}


@pytest.mark.parametrize(
    "name",
    ["account_change_password", "mfa_index", "mfa_activate_totp", "mfa_add_webauthn", "mfa_generate_recovery_codes"],
)
def test_the_session_cannot_change_how_the_person_signs_in(house, name):
    client = Client()
    house.sign_in(client)

    assert client.get(reverse(name)).status_code == 403
    assert client.post(reverse(name)).status_code == 403
    assert client.get(reverse(name), SCRIPT_NAME="/elsewhere").status_code == 403, "also where the site seems to lie below a prefix"


def test_it_ends_by_signing_out_and_with_the_provider(house):
    first, second = Client(), Client()
    house.sign_in(first)
    house.sign_in(second)
    first.post("/accounts/logout/")
    assert not is_signed_in(first)
    assert "session.ended" in actions()

    with tenant.within(house.member.organisation_id):
        remove_provider(organisation=house.member.organisation, at=timezone.now())

    assert second.get("/queue/").status_code in (403, 404)
    assert second.get("/settings/").status_code == 403


def test_the_providers_second_factor_counts(house):
    type(house.member.organisation).objects.filter(pk=house.member.organisation_id).update(requires_second_factor=True)
    client = Client()

    house.sign_in(client, amr=["pwd", "mfa"])

    assert is_signed_in(client)
    assert client.get("/", follow=True).status_code == 200
    assert Membership.objects.get(pk=house.member.pk).second_factor_at is not None


def test_without_any_second_factor_nobody_comes_in_where_one_is_required(house):
    type(house.member.organisation).objects.filter(pk=house.member.organisation_id).update(requires_second_factor=True)
    client = Client()

    assert refused_for(house.sign_in(client, amr=["pwd"])) == "factor"
    assert not is_signed_in(client)


def test_ones_own_second_factor_is_asked_for_where_the_provider_asked_for_none(house):
    secret = give_second_factor(house.member)
    client = Client()

    assert house.sign_in(client)["Location"] == "/accounts/2fa/authenticate/"
    assert not is_signed_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert is_signed_in(client)
    assert client.get("/accounts/2fa/").status_code == 403


def test_an_unsigned_or_foreign_token_is_not_believed(house, monkeypatch):
    """The token is swapped on its way: by one without a signature, and by one that is signed with what everybody knows."""
    asked = openid.PendingSignIn("state", "nonce", "verifier")
    now = int(timezone.now().timestamp())
    claims = house.person(iss=house.provider.issuer, aud=house.client_id, iat=now, exp=now + 60, nonce="nonce")
    foreign = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    kid = requests.get(f"{house.provider.issuer}/.well-known/jwks.json", timeout=10).json()["keys"][0]["kid"]
    tokens = [
        jwt.encode(claims, None, algorithm="none", headers={"kid": kid}),
        jwt.encode(claims, house.secret.ljust(32), algorithm="HS256", headers={"kid": kid}),
        jwt.encode(claims, foreign, algorithm="RS256", headers={"kid": kid}),
        "not.a.token",
        None,
    ]
    ask = openid._ask
    for token in tokens:
        monkeypatch.setattr(openid, "_ask", lambda method, *a, t=token, **k: {"id_token": t} if method == "POST" else ask(method, *a, **k))
        with pytest.raises(openid.NotAccepted):
            openid.exchange_code(house.provider, asked, "code", "back")


def test_a_description_of_another_issuer_is_not_taken(house, monkeypatch):
    monkeypatch.setattr(openid, "_ask", lambda *_, **__: {"issuer": "https://another.example"})

    response = Client().get(reverse("sign_on_begin", args=[house.provider.pk]))

    assert response["Location"] == "/accounts/sign-on/?says=down"


def test_the_operator_sets_it_and_a_domain_belongs_to_one(db, tmp_path, capsys):
    first, second = make_organisation("North"), make_organisation("South")
    secret = tmp_path / "secret"
    secret.write_text("a secret of the client\n")
    terms = {"name": "North", "issuer": "https://login.example.org", "client_id": "footnote", "secret_file": secret}

    call_command("set_single_sign_on", first.slug, **terms, domain=["North.example"])

    provider = SignOnProvider.objects.get(organisation=first)
    assert str(provider.pk) in capsys.readouterr().out
    assert "a secret" not in provider.sealed_secret
    assert list(SignOnDomain.objects.values_list("domain", flat=True)) == ["north.example"]
    with tenant.outside(), pytest.raises(CommandError, match="another organisation's"):
        call_command("set_single_sign_on", second.slug, **terms, domain=["north.example"])
    with pytest.raises(CommandError, match="https"):
        call_command("set_single_sign_on", first.slug, **terms | {"issuer": "http://login.example.org"}, domain=["north.example"])
    call_command("set_single_sign_on", first.slug, remove=True)
    assert not SignOnProvider.objects.filter(organisation=first).exists()


def test_the_way_back_is_the_sites_own_and_pkce_is_used(house):
    there = parse_qs(urlsplit(house.leave(Client(), next="//evil.example/")).query)

    assert there["code_challenge_method"] == ["S256"]
    assert re.fullmatch(r"[\w-]{43}", there["code_challenge"][0])
    assert there["redirect_uri"][0].startswith(settings.ADDRESS)


def test_whoever_follows_the_link_again_takes_no_turn_of_the_provider(house, monkeypatch):
    asked, ask = [], openid._ask
    monkeypatch.setattr(openid, "_ask", lambda *told, **more: asked.append(told) or ask(*told, **more))
    house.leave(Client())
    monkeypatch.setattr(openid, "_MOST_AT_ONCE", 0)
    openid._asked.clear()

    assert "says=down" not in house.leave(Client())
    assert len(asked) == 1


def test_whoever_only_follows_the_link_leaves_no_session(house):
    client = Client()
    house.leave(client)

    assert not Session.objects.exists()
    assert settings.SESSION_COOKIE_NAME not in client.cookies


def test_a_sign_in_is_taken_from_this_sites_own_cookie_and_once(house):
    client, other = Client(), Client()
    back = house.sign_in_there(house.leave(client))
    other.cookies[PENDING] = client.cookies[PENDING].value.replace(":", "", 1)
    assert "says=expired" in other.get(back)["Location"]

    assert client.get(back)["Location"] == "/"
    assert client.cookies[PENDING].value == ""


def fail_at(house: House, client: Client, times: int) -> str:
    """Come back from the provider without a code; return where the last try leads."""
    leads_to = ""
    for _ in range(times):
        state = parse_qs(urlsplit(house.leave(client)).query)["state"][0]
        answer = {"state": state, "error": "access_denied"}
        leads_to = client.get(reverse("sign_on_return", args=[house.provider.pk]), answer)["Location"]
    return leads_to


def test_strangers_at_the_same_address_keep_nobody_out_who_came_in_before(house):
    mine = Client()
    house.sign_in(mine)
    mine.post("/accounts/logout/")

    assert fail_at(house, Client(), FREE_FAILURES + 2).endswith("says=many")

    house.sign_in(mine)
    assert is_signed_in(mine)


def test_a_browser_that_came_in_before_has_its_own_failures_counted(house):
    mine = Client()
    house.sign_in(mine)
    mine.post("/accounts/logout/")

    assert fail_at(house, mine, FREE_FAILURES + 2).endswith("says=many")
    mine.cookies[KNOWN] = mine.cookies[KNOWN].value + "x"
    assert not fail_at(house, mine, 1).endswith("says=many"), "a mark that was not made here is none"


def test_no_provider_makes_a_browser_known_for_passwords(house):
    client = Client()
    house.sign_in(client)

    assert KNOWN in client.cookies
    assert throttle.COOKIE not in client.cookies
