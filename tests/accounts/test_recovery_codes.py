"""Recovery codes: each use is written down, the person is warned, and new ones take a fresh proof."""

from __future__ import annotations

import pytest
from django.test import Client

from reviewers.accounts.models import Membership
from tests.accounts.signing_in import clock_stands, code_of, give_recovery_codes, give_second_factor, sign_in_with
from tests.events import events
from tests.factories import PASSWORD, without_proofs

ASKED = "/accounts/2fa/authenticate/"
ACCOUNT = "/accounts/2fa/"
NEW_CODES = "/accounts/2fa/recovery-codes/generate/"
PROOF = "/accounts/reauthenticate/"
WARNING = "You signed in with a recovery code"


def come_in(member: Membership, code: str) -> Client:
    client = Client()
    sign_in_with(client, member.user.email)
    assert client.post(ASKED, {"code": code}).status_code == 302
    return client


def test_signing_in_with_one_is_written_down_with_how_many_are_left(alice):
    give_second_factor(alice)
    codes = give_recovery_codes(alice)

    come_in(alice, codes[0])

    (event,) = events("recovery_code.used")
    assert (event["details"], event["actor"]["id"], event["object"]["id"]) == ({"left": 9}, str(alice.user_id), str(alice.user_id))


def test_so_is_a_proof_by_one(alice):
    give_second_factor(alice)
    codes = give_recovery_codes(alice)

    without_proofs(alice).post(PROOF, {"proof": "export", "password": PASSWORD, "code": codes[3]})

    assert [event["details"] for event in events("recovery_code.used")] == [{"left": 9}]
    assert len(events("proof.given")) == 1


def test_a_code_that_was_used_and_a_code_of_the_app_are_no_use_of_one(alice):
    secret = give_second_factor(alice)
    codes = give_recovery_codes(alice)
    come_in(alice, codes[0])

    again = Client()
    sign_in_with(again, alice.user.email)
    again.post(ASKED, {"code": codes[0]})
    with clock_stands():
        come_in(alice, code_of(secret))

    assert len(events("recovery_code.used")) == 1


def test_pages_warn_after_signing_in_with_one_until_the_account_was_looked_at(alice):
    give_second_factor(alice)
    client = come_in(alice, give_recovery_codes(alice)[0])

    before = client.get("/queue/").content.decode()
    account = client.get(ACCOUNT).content.decode()
    after = client.get("/queue/").content.decode()

    assert (WARNING in before, "9 are left." in account, WARNING in after) == (True, True, False)


def test_they_do_not_after_a_code_of_the_app(alice):
    secret = give_second_factor(alice)
    give_recovery_codes(alice)
    with clock_stands():
        client = come_in(alice, code_of(secret))

    assert WARNING not in client.get("/queue/").content.decode()


@pytest.mark.parametrize(("left", "warns"), [(4, False), (3, False), (2, True), (1, True), (0, True)])
def test_the_account_page_warns_of_fewer_than_three(alice, left, warns):
    give_second_factor(alice)
    codes = give_recovery_codes(alice)
    client = without_proofs(alice)
    for code in codes[left:]:
        client.post(PROOF, {"proof": "export", "password": PASSWORD, "code": code})

    page = client.get(ACCOUNT).content.decode()

    assert ("Make new ones now" in page) is warns
    assert f"{left} {'is' if left == 1 else 'are'} left." in page or (left == 0 and "None is left." in page)


def test_new_ones_take_a_fresh_proof(alice):
    secret = give_second_factor(alice)
    codes = give_recovery_codes(alice)
    client = without_proofs(alice)

    asked = client.post(NEW_CODES)

    assert asked["Location"].startswith(PROOF)
    assert events("second_factor.removed") == []
    with clock_stands():
        client.post(asked["Location"], {"password": PASSWORD, "code": code_of(secret)}, follow=True)
    assert codes[0] not in client.get("/accounts/2fa/recovery-codes/").context["unused_codes"]


def test_the_settings_say_that_the_deployment_requires_a_second_factor_of_everybody(settings, administrator, organisation):
    settings.SECOND_FACTOR_REQUIRED = True
    give_second_factor(administrator)
    client = without_proofs(administrator)

    page = client.get("/settings/").content.decode()
    client.post("/settings/second-factor/", {"on": "1"})

    organisation.refresh_from_db()
    assert "On for everybody" in page
    assert "/settings/second-factor/" not in page
    assert not organisation.requires_second_factor
    assert events("switch.changed") == []


def test_signing_in_with_a_factor_is_known_to_the_organisation_and_without_one_is_not(alice, bob):
    secret = give_second_factor(alice)
    with clock_stands():
        come_in(alice, code_of(secret))
    sign_in_with(Client(), bob.user.email)

    alice.refresh_from_db()
    bob.refresh_from_db()
    assert (alice.second_factor_at == alice.signed_in_at, bob.signed_in_at is not None, bob.second_factor_at) == (True, True, None)
