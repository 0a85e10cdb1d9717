"""Second factors: codes and recovery codes, and passkeys.

Recovery codes replace a lost second factor: each works once, each use is an audit event, and the person is told of it. A passkey verifies
its person with finger, face or PIN, so it is two factors in one; one that did not is refused. Anybody may send what a browser sends:
unreadable input is refused like a wrong passkey, and a challenge is answered at most once.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.core import context
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authentication_failed
from allauth.mfa.webauthn import views
from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm, LoginWebAuthnForm
from allauth.mfa.webauthn.internal import auth
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from django import forms
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.http import urlencode

from reviewers.accounts.models import User
from reviewers.web.http.responses import local_url

FEW = 3
"""Number of recovery codes below which the account page warns."""
_SEEN = "recovery_code_seen"


def code_factors(user: User) -> QuerySet[Authenticator]:
    """Return the sources of a user's codes: the app first, then the recovery codes."""
    factors: QuerySet[Authenticator] = Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.WEBAUTHN).order_by("-type")
    return factors


def find_factor(user: User, code: str) -> Authenticator | None:
    """Return the factor that a code belongs to, or None. The code is used up."""
    return next((factor for factor in code_factors(user) if factor.wrap().validate_code(code)), None)


def is_recovery(factor: Authenticator) -> bool:
    """Return True for recovery codes."""
    return bool(factor.type == Authenticator.Type.RECOVERY_CODES)


def count_left(factor: Authenticator) -> int:
    """Return the number of unused recovery codes."""
    return len(Authenticator.objects.get(pk=factor.pk).wrap().get_unused_codes())


def should_warn(request: HttpRequest) -> bool:
    """Return True if this session began with a recovery code and the person has not opened their account page since."""
    if request.session.get(_SEEN):
        return False
    return any(
        record.get("type") == Authenticator.Type.RECOVERY_CODES and not record.get("reauthenticated")
        for record in get_authentication_records(request, request.user)
    )


def note_seen(request: HttpRequest) -> None:
    """Stop warning in this session."""
    if should_warn(request):
        request.session[_SEEN] = True


REFUSED = "That passkey was not accepted. Please try again, or use another way."
CHALLENGE_LASTS = 24 * 60 * 60
"""Seconds; longer than a session, in which challenges are kept."""

_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    NotImplementedError,
    RecursionError,
    struct.error,
    InvalidSignature,
    UnsupportedAlgorithm,
)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn every failure to read or verify a passkey into the same ``ValidationError``."""
    try:
        yield
    except ValidationError as error:
        raise ValidationError(REFUSED) from error
    except _UNREADABLE as error:
        raise ValidationError(REFUSED) from error


def has_passkey(user: User) -> bool:
    """Return True if the user has added a passkey."""
    return bool(Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).exists())


def begin_passkey(user: User | None) -> dict[str, Any]:
    """Return the browser's options for a passkey of this user, or of anybody; the challenge is kept in the session."""
    options: dict[str, Any] = auth.begin_authentication(user)
    return options


def verify_passkey(user: User, credential: Any) -> Authenticator:
    """Return the passkey that answered the session's challenge, or raise ``ValidationError``."""
    with refusing():
        challenge = (auth.get_state() or {}).get("challenge")
        auth.parse_authentication_response(credential)
        passkey: Authenticator = auth.complete_authentication(user, credential)
        if not cache.add(f"passkey:{challenge}", value=True, timeout=CHALLENGE_LASTS):
            raise ValidationError(REFUSED)
        return passkey


class AddPasskeyForm(AddWebAuthnForm):
    """allauth's form; only the necessary parts of the browser's response are kept."""

    name = forms.CharField(max_length=60, required=False)
    passwordless = None

    def clean(self) -> dict[str, Any]:
        """Validate the response of the browser and reduce it."""
        with refusing():
            cleaned: dict[str, Any] = super().clean()
            if sent := cleaned.get("credential"):
                kept = {name: str(sent["response"][name]) for name in ("clientDataJSON", "attestationObject")}
                key = str(sent["rawId"])
                properties = {"credProps": {"rk": True}}
                cleaned["credential"] = {
                    "id": key,
                    "rawId": key,
                    "type": "public-key",
                    "response": kept,
                    "clientExtensionResults": properties,
                }
        return cleaned


class SecondFactorForm(AuthenticateWebAuthnForm):
    """A passkey after the password."""

    def clean_credential(self) -> Authenticator:
        """Validate the passkey; announce a wrong one."""
        try:
            return verify_passkey(self.user, self.cleaned_data["credential"])
        except ValidationError:
            authentication_failed.send(sender=Authenticator, request=context.request, user=self.user, authenticator=None)
            raise


class PasskeySignInForm(LoginWebAuthnForm):
    """A passkey instead of address and password."""

    def clean_credential(self) -> Authenticator:
        """Validate the passkey; announce a wrong one if it names a user."""
        with refusing():
            user = auth.extract_user_from_response(self.cleaned_data["credential"])
        try:
            return verify_passkey(user, self.cleaned_data["credential"])
        except ValidationError:
            authentication_failed.send(sender=Authenticator, request=context.request, user=user, authenticator=None)
            raise


class AskForFactor(AuthenticateView):
    """Ask for the second factor after the password: a code, or a passkey if the user has one."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the options that the page's script passes to the browser."""
        found: dict[str, Any] = super().get_context_data(**kwargs)
        return found | {"has_passkey": has_passkey(self.stage.login.user), "options": json.dumps(found["js_data"]["request_options"])}


class AddPasskey(views.AddWebAuthnView):
    """Add a passkey, after a fresh proof."""

    template_name = "mfa/webauthn/add_form.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the options for a passkey that can sign in by itself."""
        found: dict[str, Any] = super().get_context_data(**kwargs)
        found["form"] = kwargs.get("form") or found["form"]
        found["options"] = json.dumps(auth.begin_registration(self.request.user, passwordless=True))
        return found


class RemovePasskey(views.RemoveWebAuthnView):
    """Remove one of the user's own passkeys, after a fresh proof."""

    template_name = "mfa/webauthn/authenticator_confirm_delete.html"
    success_url = reverse_lazy("mfa_index")


class SignInByPasskey(views.LoginWebAuthnView):
    """Sign in with a passkey alone."""

    def form_invalid(self, form: Any) -> HttpResponse:
        """Redirect to the sign-in page with a notice."""
        del form
        leads_to = local_url(self.request, self.request.POST.get("next", ""))
        query = {"passkey": "refused"} | ({"next": leads_to} if leads_to else {})
        return HttpResponseRedirect(f"{reverse('account_login')}?{urlencode(query)}")


ask_for_factor = AskForFactor.as_view()
add_passkey = AddPasskey.as_view()
remove_passkey = RemovePasskey.as_view()
sign_in_by_passkey = SignInByPasskey.as_view()
