"""Passkeys: added behind a proof, two factors in one, and of no use to anybody else."""

from __future__ import annotations

import json

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from reviewers.accounts.actions import switch_second_factor
from reviewers.accounts.audit import SYSTEM
from tests.accounts.device import Device, with_broken_signature
from tests.accounts.signing_in import ASKED_FOR_CODE, LOGIN, factors_of, give_recovery_codes, is_signed_in, sign_in_with
from tests.events import actions_of, events
from tests.factories import NOW, PASSWORD, sign_in

ADD = "/accounts/2fa/passkeys/add/"
BY_PASSKEY = "/accounts/2fa/passkeys/login/"
ACCOUNT = "/accounts/2fa/"
PROVE = "/accounts/reauthenticate/"


def prove(client: Client, path: str = ADD):
    """Open a page for which the password is asked once more."""
    asked = client.get(path)
    return client.post(asked["Location"], {"password": PASSWORD}, follow=True)


def add(client: Client, device: Device | None = None, name: str = "Phone") -> Device:
    device = device or Device()
    page = prove(client)
    made = device.make(json.loads(page.context["options"]))
    response = client.post(ADD, {"name": name, "credential": json.dumps(made)})
    assert response.status_code == 302, response.content.decode()
    return device


def challenge(client: Client):
    return client.get(BY_PASSKEY, headers={"Accept": "application/json"}).json()["request_options"]


def send(client: Client, answer, **more):
    return client.post(BY_PASSKEY, {"credential": json.dumps(answer)} | more)


@pytest.fixture
def device(alice) -> Device:
    return add(sign_in(alice))


def test_it_is_added_and_written_down(client, alice):
    sign_in_with(client, alice.user.email)

    add(client)

    assert factors_of(alice.user) == ["recovery_codes", "webauthn"]
    assert [event["details"] for event in events("second_factor.added")] == [{"factor": "webauthn"}, {"factor": "recovery_codes"}]
    assert "Phone" in client.get(ACCOUNT).content.decode()


def test_adding_and_removing_ask_for_a_fresh_proof(alice, device):
    passkey = Authenticator.objects.get(type="webauthn").pk
    client = sign_in(alice)

    for path in (ADD, f"/accounts/2fa/passkeys/{passkey}/remove/"):
        assert client.get(path)["Location"].startswith(PROVE)
        assert client.post(path, {"credential": "{}"})["Location"].startswith(PROVE)
    assert factors_of(alice.user) == ["recovery_codes", "webauthn"]


def test_one_that_did_not_verify_its_person_is_not_added(alice):
    client, device = sign_in(alice), Device(verifies=False)
    made = device.make(json.loads(prove(client).context["options"]))

    assert client.post(ADD, {"name": "x", "credential": json.dumps(made)}).status_code == 200
    assert factors_of(alice.user) == []


def test_it_signs_in_alone_and_leads_on(client, alice, device):
    response = send(client, device.answer(challenge(client)), next="/queue/?state=skipped")

    assert (response["Location"], is_signed_in(client)) == ("/queue/?state=skipped", True)
    assert len(events("session.started")) == 2, "where it was added, and here"


def test_it_is_the_second_factor_that_an_organisation_asks_for(client, organisation, alice, device):
    switch_second_factor(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    send(client, device.answer(challenge(client)))

    assert client.get("/queue/").status_code == 200


def test_the_password_alone_lets_nobody_in_any_more(client, alice, device):
    response = sign_in_with(client, alice.user.email)

    assert (response["Location"], is_signed_in(client)) == (ASKED_FOR_CODE, False)


def test_password_and_passkey_let_one_in(client, alice, device):
    sign_in_with(client, alice.user.email)
    page = client.get(ASKED_FOR_CODE)

    client.post(ASKED_FOR_CODE, {"credential": json.dumps(device.answer(json.loads(page.context["options"])))})

    assert is_signed_in(client)


def test_password_and_recovery_code_let_one_in_whose_device_is_lost(client, alice, device):
    Authenticator.objects.filter(type="recovery_codes").delete()
    code, *_ = give_recovery_codes(alice)
    sign_in_with(client, alice.user.email)

    wrong = client.post(ASKED_FOR_CODE, {"code": "123456"})
    client.post(ASKED_FOR_CODE, {"code": code})

    assert (wrong.status_code, is_signed_in(client)) == (200, True)


def test_a_code_where_only_passkeys_are_is_wrong_and_no_error(client, alice, device):
    Authenticator.objects.filter(type="recovery_codes").delete()
    sign_in_with(client, alice.user.email)

    assert client.post(ASKED_FOR_CODE, {"code": "123456"}).status_code == 200
    assert not is_signed_in(client)


def forged(device: Device, options):
    """Answers that must not let anybody in."""
    stranger = Device(identifier=device.identifier, owner=device.owner)
    right = device.answer(options)
    yield "signature", with_broken_signature(right)
    yield "key", stranger.answer(options)
    yield "challenge", device.answer({"publicKey": {"challenge": "AAAA"}})
    yield "site", Device(site="elsewhere.example", key=device.key, identifier=device.identifier, owner=device.owner).answer(options)
    yield "unverified", Device(verifies=False, key=device.key, identifier=device.identifier, owner=device.owner).answer(options)
    yield "unknown", Device(owner=device.owner).answer(options)
    yield "nobody", right | {"response": right["response"] | {"userHandle": None}}
    yield "cut", right | {"response": {}}
    yield "list", [right]
    yield "deep", json.loads("[" * 500 + "]" * 500)
    yield "cbor", right | {"response": right["response"] | {"authenticatorData": "AAAA"}}


def test_nothing_else_lets_anybody_in(alice, device):
    for number, what in enumerate(name for name, _ in forged(device, {"publicKey": {"challenge": "AAAA"}})):
        client = Client(REMOTE_ADDR=f"192.0.2.{number}")  # one place may not try as often
        answer = dict(forged(device, challenge(client)))[what]
        response = send(client, answer)
        assert (response.status_code, is_signed_in(client)) == (302, False), what
        assert response["Location"] == f"{LOGIN}?passkey=refused", what
    assert "That passkey was not accepted" in Client().get(f"{LOGIN}?passkey=refused").content.decode()
    assert "session.refused" in actions_of(events())


def test_an_answer_works_once_even_where_its_session_is_written_back(client, alice, device):
    options = challenge(client)
    kept, answer = dict(client.session), device.answer(options)
    send(client, answer)
    other = Client()
    other.get(LOGIN)
    challenge(other)
    session = other.session
    session["mfa.webauthn.state"] = kept["mfa.webauthn.state"]
    session.save()

    send(other, answer)

    assert (is_signed_in(client), is_signed_in(other)) == (True, False)


def test_an_answer_for_somebody_else_is_none(alice, bob, device):
    """Bob's key, with Alice's name on it."""
    mine = add(sign_in(bob))
    client = Client()
    mine.owner = device.owner

    send(client, mine.answer(challenge(client)))

    assert not is_signed_in(client)


def test_whose_account_is_closed_is_not_let_in(client, alice, device):
    alice.user.is_active = False
    alice.user.save()

    send(client, device.answer(challenge(client)))

    assert not is_signed_in(client)


def test_it_proves_who_one_is(client, alice, device):
    send(client, device.answer(challenge(client)))
    asked = client.get(ADD)["Location"]
    client.get(asked)

    response = client.post(asked, {"credential": json.dumps(device.answer(challenge_of(client)))})

    assert response["Location"] == ADD
    assert events("proof.given")[-1]["details"] == {"purpose": "account", "second_factor": True}


def challenge_of(client: Client):
    """The challenge as the session has it."""
    state = client.session.get("mfa.webauthn.state")
    return {"publicKey": state}


def test_a_wrong_one_proves_nothing_and_is_counted(client, alice, device):
    send(client, device.answer(challenge(client)))
    asked = client.get(ADD)["Location"]
    client.get(asked)

    response = client.post(asked, {"credential": json.dumps(with_broken_signature(device.answer(challenge_of(client))))})

    assert response.status_code == 422
    assert actions_of(events())[-1] == "proof.refused"


def test_a_passkey_of_nobody_is_no_way_round_the_password(alice):
    """Who has no passkey is asked for the password, whatever is sent."""
    response = sign_in(alice).post(f"{PROVE}?next={ADD}", {"credential": json.dumps(Device().answer({"publicKey": {"challenge": "AA"}}))})

    assert response.status_code == 422


def test_removing_it_is_written_down_and_ends_it(client, alice, device):
    options = challenge(client)
    passkey, member = Authenticator.objects.get(type="webauthn").pk, sign_in(alice)
    asked = member.get(f"/accounts/2fa/passkeys/{passkey}/remove/")["Location"]
    member.get(asked)
    member.post(asked, {"credential": json.dumps(device.answer(challenge_of(member)))})

    member.post(f"/accounts/2fa/passkeys/{passkey}/remove/")
    send(client, device.answer(options))

    assert (factors_of(alice.user), is_signed_in(client)) == ([], False)
    assert {event["details"]["factor"] for event in events("second_factor.removed")} == {"webauthn", "recovery_codes"}


def test_nobody_removes_another_ones(alice, bob, device):
    passkey, client = Authenticator.objects.get(type="webauthn").pk, sign_in(bob)
    path = f"/accounts/2fa/passkeys/{passkey}/remove/"
    prove(client, path)

    assert (client.get(path).status_code, client.post(path).status_code) == (404, 404)
    assert factors_of(alice.user) == ["recovery_codes", "webauthn"]
