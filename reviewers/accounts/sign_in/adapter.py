"""allauth's adapters for a site without open registration."""

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
    """Administrators make the accounts, and `throttle` counts failed tries."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: nobody can register."""
        del request
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse the try, before the password is checked, if sign-in is blocked."""
        if throttle.is_sign_in_blocked(request, _email_of(credentials), timezone.now()):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password."""
        throttle.count_sign_in_failure(request, _email_of(credentials), timezone.now())

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """Reset the failures and remember this browser after a complete sign-in."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        throttle.reset_sign_in_failures(request, user.email)
        throttle.remember_browser(request, response, user)
        return response

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Reset the failures after a password was set by a link."""
        throttle.reset_sign_in_failures(request, _email_of(credentials))

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, str]]:
        """Offer the one page that asks for every kind of proof."""
        if not user.is_authenticated:
            return []
        return [{"id": "reauthenticate", "description": "Confirm that it is you", "url": reverse("account_reauthenticate")}]

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Add no message: the top of every page shows who is signed in."""


class SealingAdapter(DefaultMFAAdapter):
    """Second factors whose secrets are encrypted in the database."""

    def encrypt(self, text: str) -> str:
        """Encrypt a secret before it is stored."""
        return encryption.encrypt(text)

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 — the package's word
        """Return a default name for a new passkey."""
        count = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {count + 1}" if count else "Passkey"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Name the site as the device shows it."""
        found: dict[str, str] = super().get_public_key_credential_rp_entity()
        return found | {"name": "Footnote"}

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt a secret to check a code."""
        return encryption.decrypt(encrypted_text)


def _email_of(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email") or credentials.get("username") or "").strip().lower()
