"""Signing in as a browser does, form by form."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.http import HttpResponse
from django.test import Client

from reviewers.accounts.models import Membership, User
from tests.factories import PASSWORD

LOGIN = "/accounts/login/"
ASKED_FOR_CODE = "/accounts/2fa/authenticate/"
PERIOD = 30


def sign_in_with(client: Client, email: str, password: str = PASSWORD, **more: str) -> HttpResponse:
    """Send the sign-in form; what is beside e-mail and password goes with it."""
    return client.post(LOGIN, {"login": email, "password": password} | more)


def is_signed_in(client: Client) -> bool:
    """Return True if the session is signed in."""
    return "_auth_user_id" in client.session


def give_second_factor(member: Membership) -> str:
    """A second factor, set up earlier; returns its secret."""
    secret = generate_totp_secret()
    TOTP.activate(member.user, secret)
    return secret


def give_recovery_codes(member: Membership) -> list[str]:
    """The codes for when the factor is lost."""
    return RecoveryCodes.activate(member.user).get_unused_codes()


def code_of(secret: str, periods: int = 0) -> str:
    """The code that an authenticator app shows now, or so many periods later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // PERIOD + periods))


@contextmanager
def clock_stands() -> Iterator[None]:
    """Time does not go on: a code must not run out between being shown and being sent."""
    with patch("time.time", return_value=time.time()):
        yield


def factors_of(user: User) -> list[str]:
    """The kinds of factor somebody has."""
    return sorted(Authenticator.objects.filter(user=user).values_list("type", flat=True))
