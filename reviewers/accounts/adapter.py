"""allauth's questions, answered for a house without open registration."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from reviewers.accounts import guarding, sealing
from reviewers.accounts.models import User


class ClosedAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators, and guessing at them is counted by our own rules."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        del request
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Before a password is looked at."""
        if guarding.is_stopped(request, _email_of(credentials), timezone.now()):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """The password was wrong."""
        guarding.count_failure(request, _email_of(credentials), timezone.now())

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Somebody is in, with all that was asked of them: this browser is known from now on."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        guarding.forgive(request, user.email)
        guarding.remember(request, response, user)
        return response

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """A new password was set by a link: the failures from here are forgotten."""
        guarding.forgive(request, _email_of(credentials))

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: that somebody is signed in stands at the top of every page."""


class SealingAdapter(DefaultMFAAdapter):
    """Second factors whose secrets are of no use to whoever reads the database."""

    def encrypt(self, text: str) -> str:
        """Before a secret is stored."""
        return sealing.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """When a code is judged."""
        return sealing.unseal(encrypted_text)


def _email_of(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email") or credentials.get("username") or "").strip().lower()
