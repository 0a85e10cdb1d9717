"""allauth's questions, answered for a house without open registration."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts import encryption
from reviewers.accounts.models import User
from reviewers.accounts.sign_in import throttle


class ClosedAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators, and guessing at them is counted by our own rules."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        del request
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Before a password is looked at."""
        if throttle.is_sign_in_blocked(request, _email_of(credentials), timezone.now()):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """The password was wrong."""
        throttle.count_sign_in_failure(request, _email_of(credentials), timezone.now())

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Somebody is in, with all that was asked of them: this browser is known from now on."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        throttle.reset_sign_in_failures(request, user.email)
        throttle.remember_browser(request, response, user)
        return response

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """A new password was set by a link: the failures from here are forgotten."""
        throttle.reset_sign_in_failures(request, _email_of(credentials))

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, str]]:
        """One page asks who one is, whatever one proves it by."""
        if not user.is_authenticated:
            return []
        return [{"id": "reauthenticate", "description": "Confirm that it is you", "url": reverse("account_reauthenticate")}]

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: that somebody is signed in stands at the top of every page."""


class SealingAdapter(DefaultMFAAdapter):
    """Second factors whose secrets are of no use to whoever reads the database."""

    def encrypt(self, text: str) -> str:
        """Before a secret is stored."""
        return encryption.encrypt(text)

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 — the package's word
        """A name to begin from."""
        count = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {count + 1}" if count else "Passkey"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The site, as the device names it."""
        found: dict[str, str] = super().get_public_key_credential_rp_entity()
        return found | {"name": "Footnote"}

    def decrypt(self, encrypted_text: str) -> str:
        """When a code is judged."""
        return encryption.decrypt(encrypted_text)


def _email_of(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email") or credentials.get("username") or "").strip().lower()
