"""Guessing at the sign-in page: slowed down in all processes alike, and never at the cost of whose account it is."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.core import signing
from django.db import connections, transaction
from django.test import Client
from django.utils import timezone

from reviewers.accounts import encryption
from reviewers.accounts.models import Hurdle
from reviewers.accounts.sign_in import throttle as guarding
from reviewers.accounts.sign_in import throttle as hurdles
from tests.accounts.signing_in import (
    ASKED_FOR_CODE,
    clock_stands,
    code_of,
    give_recovery_codes,
    give_second_factor,
    is_signed_in,
    sign_in_with,
)
from tests.events import events
from tests.factories import PASSWORD
from tests.threads import at_once

WRONG = "not the passphrase at all"
HERE, THERE = "198.51.100.7", "203.0.113.9"


def place(address: str = HERE) -> Client:
    return Client(REMOTE_ADDR=address)


def guess(client: Client, email: str, times: int) -> None:
    for _ in range(times):
        sign_in_with(client, email, WRONG)


def known(member, address: str = HERE) -> Client:
    """A browser in which the person has signed in before, and out again."""
    client = place(address)
    sign_in_with(client, member.user.email)
    client.post("/accounts/logout/")
    return client


def test_the_counts_outlive_the_process_that_made_them(alice):
    guess(place(), alice.user.email, 5)

    assert Hurdle.objects.filter(closed_until__gt=timezone.now()).count() == 1
    sign_in_with(again := place(), alice.user.email)
    assert not is_signed_in(again)


def test_tries_that_did_not_fail_leave_no_count_behind_for_ever(alice):
    sign_in_with(place(), alice.user.email)
    guess(place(THERE), alice.user.email, 1)

    assert Hurdle.objects.filter(failed_at=None).exists()
    hurdles.delete_old_failures(timezone.now())

    assert set(Hurdle.objects.values_list("failures", flat=True)) == {1}


def test_the_wait_is_over_when_it_is_over_and_the_next_one_is_longer(alice):
    client = place()
    guess(client, alice.user.email, 5)
    Hurdle.objects.update(closed_until=timezone.now())
    guess(client, alice.user.email, 1)

    (longest,) = Hurdle.objects.exclude(closed_until=None).values_list("closed_until", flat=True)
    assert timedelta(seconds=100) < longest - timezone.now() <= 2 * hurdles.FIRST_WAIT
    Hurdle.objects.update(closed_until=timezone.now())
    sign_in_with(client, alice.user.email)
    assert is_signed_in(client)


def test_tries_while_one_waits_are_not_looked_at_and_do_not_make_it_longer(alice):
    client = place()
    guess(client, alice.user.email, 5)
    before = list(Hurdle.objects.order_by("pk").values())
    refused = len(events("session.refused"))
    guess(client, alice.user.email, 3)

    assert list(Hurdle.objects.order_by("pk").values()) == before
    assert len(events("session.refused")) == refused


def test_whoever_is_in_starts_anew(alice):
    client = place()
    guess(client, alice.user.email, 4)
    sign_in_with(client, alice.user.email)
    client.post("/accounts/logout/")
    client.cookies.clear()
    guess(client, alice.user.email, 4)

    sign_in_with(client, alice.user.email)

    assert is_signed_in(client)


def test_a_known_browser_is_not_stopped_by_what_others_fail_at_in_the_same_place(alice):
    own = known(alice)
    guess(place(), alice.user.email, 8)
    stranger = place()
    sign_in_with(stranger, alice.user.email)

    sign_in_with(own, alice.user.email)

    assert (is_signed_in(stranger), is_signed_in(own)) == (False, True)


def test_nor_by_guessing_from_everywhere(alice):
    own = known(alice)
    for _ in range(guarding.FREE_OF_AN_ACCOUNT + 1):
        hurdles.count_failure(hurdles.subject_of("account", alice.user.email), timezone.now(), free=guarding.FREE_OF_AN_ACCOUNT)
    stranger = place("192.0.2.77")
    sign_in_with(stranger, alice.user.email)

    sign_in_with(own, alice.user.email)

    assert (is_signed_in(stranger), is_signed_in(own)) == (False, True)


def test_a_known_browser_is_stopped_by_its_own_failures(alice):
    own = known(alice)
    guess(own, alice.user.email, 5)
    sign_in_with(own, alice.user.email)

    assert not is_signed_in(own)


def test_it_is_known_for_one_person_only(alice, bob):
    own = known(alice)
    guess(place(), bob.user.email, 5)
    sign_in_with(own, bob.user.email)

    assert not is_signed_in(own)


def test_several_people_share_a_browser(alice, bob):
    client = known(alice)
    sign_in_with(client, bob.user.email)
    client.post("/accounts/logout/")
    for member in (alice, bob):
        guess(place(THERE), member.user.email, 5)

    for member in (alice, bob):
        sign_in_with(client, member.user.email)
        assert is_signed_in(client)
        client.post("/accounts/logout/")


def test_whoever_shares_a_browser_does_not_clear_the_failures_at_another_account_by_signing_in(alice, bob):
    client = known(alice)
    sign_in_with(client, bob.user.email)
    client.post("/accounts/logout/")
    guess(client, alice.user.email, 5)
    sign_in_with(client, bob.user.email)
    client.post("/accounts/logout/")

    sign_in_with(client, alice.user.email)

    assert not is_signed_in(client)


@pytest.mark.parametrize("made_up", ["x", "e30:x:y", signing.dumps({}, salt="another")], ids=["a letter", "three parts", "another salt"])
def test_nobody_makes_such_a_cookie_up(alice, made_up):
    guess(place(), alice.user.email, 5)
    client = place()
    client.cookies[guarding.COOKIE] = made_up
    sign_in_with(client, alice.user.email)

    assert not is_signed_in(client)


def test_the_cookie_names_nobody(alice):
    client = known(alice)

    value = signing.loads(client.cookies[guarding.COOKIE].value, salt="footnote.known")
    assert alice.user.email not in str(value)
    assert str(alice.user_id) not in str(value)


def test_a_password_without_the_second_factor_makes_no_browser_known(alice):
    give_second_factor(alice)
    client = place()
    sign_in_with(client, alice.user.email)

    assert guarding.COOKIE not in client.cookies


def test_wrong_codes_count_by_place_too(alice):
    secret = give_second_factor(alice)
    guessing, own = place(THERE), place()
    for client in (guessing, own):
        sign_in_with(client, alice.user.email)
    for _ in range(5):
        guessing.post(ASKED_FOR_CODE, {"code": "000000"})

    with clock_stands():
        guessing.post(ASKED_FOR_CODE, {"code": code_of(secret)})
        own.post(ASKED_FOR_CODE, {"code": code_of(secret)})

    assert (is_signed_in(guessing), is_signed_in(own)) == (False, True)


@pytest.mark.usefixtures("committed")
def test_of_many_guesses_at_once_each_one_counts():
    @transaction.atomic
    def fail() -> None:
        hurdles.is_blocked("x", timezone.now())
        hurdles.count_failure("x", timezone.now())

    at_once([fail] * 8)

    assert Hurdle.objects.get(pk="x").failures == 8


# ---- what the second factor rests on


def test_the_secret_is_sealed_and_codes_come_from_it_all_the_same(alice):
    secret = give_second_factor(alice)
    codes = give_recovery_codes(alice)
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))

    assert secret not in stored
    assert stored.count(encryption.MARK) == 2
    assert get_adapter().decrypt(Authenticator.objects.get(type="totp").data["secret"]) == secret
    assert len(set(codes)) == 10


def test_without_the_key_it_opens_nothing(alice, settings):
    give_second_factor(alice)
    sealed = Authenticator.objects.get(type="totp").data["secret"]
    settings.FACTOR_KEYS = ["another key"]

    with pytest.raises(InvalidToken):
        encryption.decrypt(sealed)


def test_a_new_key_opens_what_the_one_before_has_sealed(settings):
    sealed = encryption.encrypt("secret")
    settings.FACTOR_KEYS = ["the new one", *settings.FACTOR_KEYS]

    assert encryption.decrypt(sealed) == "secret"


def test_the_key_is_not_that_of_sessions(settings):
    assert settings.SECRET_KEY not in settings.FACTOR_KEYS
    assert all(len(key) > 30 for key in settings.FACTOR_KEYS)


def test_a_code_that_was_used_is_used_for_every_process(alice):
    """The mark is a row: another process sees it."""
    secret = give_second_factor(alice)
    client = place()
    sign_in_with(client, alice.user.email)
    with clock_stands():
        client.post(ASKED_FOR_CODE, {"code": code_of(secret)})

    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM web_cache WHERE cache_key LIKE %s", [f"%totp.used?user={alice.user_id}%"])
        assert cursor.fetchone() == (1,)


def test_passwords_are_as_before(alice):
    sign_in_with(client := place(), alice.user.email, PASSWORD)

    assert is_signed_in(client)


def test_the_deployment_s_own_rates_keep_nobody_out_of_a_known_browser(alice, settings):
    settings.ACCOUNT_RATE_LIMITS = getattr(import_module("reviewers.settings"), "ACCOUNT_RATE_LIMITS", {})
    mine, stranger = known(alice), place()

    for number in range(40):
        sign_in_with(stranger, f"nobody-{number}@example.org", WRONG)

    sign_in_with(mine, alice.user.email)
    assert is_signed_in(mine)


def test_addresses_that_are_tried_at_a_blocked_place_leave_no_rows(alice):
    stranger = place()
    guess(stranger, alice.user.email, 3)
    for number in range(hurdles.FREE_OF_A_PLACE):
        sign_in_with(stranger, f"nobody-{number}@example.org", WRONG)
    rows = Hurdle.objects.count()

    for number in range(20):
        sign_in_with(stranger, f"somebody-{number}@example.org", WRONG)

    assert Hurdle.objects.count() == rows
