"""The form that asks for the second factor when somebody signs in."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.forms import ResetPasswordForm
from allauth.account.utils import user_pk_to_url_str
from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import User
from reviewers.accounts.sign_in import throttle
from reviewers.accounts.sign_in.passwords import TokenGenerator
from reviewers.accounts.sign_in.receivers import announce_everywhere
from reviewers.accounts.sign_in.second_factors import code_factors, count_left, find_factor, is_recovery


class CodeForm(AuthenticateForm):
    """The package's form; wrong codes count like wrong passwords, by place and account and not against whom they are guessed."""

    def clean_code(self) -> str:
        """Judge the code; a right one is used up."""
        now, email = timezone.now(), self.user.email
        if throttle.is_sign_in_blocked(context.request, email, now):
            raise get_account_adapter().validation_error("too_many_login_attempts")
        code: str = self.cleaned_data["code"]
        factor = find_factor(self.user, code)
        if factor is not None:
            factor.user, self.authenticator = self.user, factor
            if is_recovery(factor):
                announce_everywhere("recovery_code.used", self.user.pk, user_actor(self.user.pk), {"left": count_left(factor)})
            return code
        throttle.count_sign_in_failure(context.request, email, now)
        self._emit_authentication_failed(code_factors(self.user).first())
        raise get_adapter().validation_error("incorrect_code")


# Forgotten passwords: the answer and the work of a request are the same whether or not somebody has the address.
#
# A request only puts a job into the queue. The worker looks the address up, and sends a link to it and to nobody else.


class ResetForm(ResetPasswordForm):  # the package has no types
    """Takes an address. Nothing is looked up before the answer is sent."""

    def clean_email(self) -> str:
        """Return the address as it was typed, in lower case."""
        return str(self.cleaned_data["email"]).strip().lower()

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Have the worker send a link, if there is somebody to send it to."""
        from reviewers.accounts.jobs import send_password_link  # noqa: PLC0415 — jobs need the models, which need the settings

        del request, kwargs
        address = str(self.cleaned_data["email"])
        send_password_link.defer(address=address)
        return address


def link_for(user: User) -> str:
    """Return the address of the page on which a person sets another password."""
    key = {"uidb36": user_pk_to_url_str(user), "key": TokenGenerator().make_token(user)}
    return f"{settings.ADDRESS}{reverse('account_reset_password_from_key', kwargs=key)}"


def text_for(user: User) -> str:
    """Return the message that brings the link."""
    return (
        "Somebody, probably you, asked for a new password in Footnote.\n\n"
        f"Open this link within an hour to choose one. It works once:\n\n{link_for(user)}\n\n"
        "Your second factor stays as it is. If you did not ask for this, do nothing: your password has not changed.\n"
    )
