"""Signing in several times at once with one code: one of them is in, and the others are told so."""

from __future__ import annotations

from functools import partial

import pytest
from django.test import Client

from tests.accounts.signing_in import ASKED_FOR_CODE, clock_stands, code_of, give_second_factor, is_signed_in, sign_in_with
from tests.factories import make_member, make_organisation
from tests.threads import at_once

AT_ONCE = 5


@pytest.mark.usefixtures("committed")
def test_of_five_sign_ins_at_once_with_one_code_one_is_in_and_none_fails():
    alice = make_member(make_organisation())
    secret = give_second_factor(alice)
    first = Client(raise_request_exception=False)
    sign_in_with(first, alice.user.email)
    browsers = [Client(raise_request_exception=False) for _ in range(AT_ONCE)]
    for browser in browsers:
        browser.cookies = first.cookies.copy()
    with clock_stands():
        answers = at_once([partial(browser.post, ASKED_FOR_CODE, {"code": code_of(secret)}) for browser in browsers])

    assert [answer.status_code for answer in answers if answer.status_code >= 500] == []
    assert sum(is_signed_in(browser) for browser in browsers) == 1
