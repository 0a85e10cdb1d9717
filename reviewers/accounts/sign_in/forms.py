"""Forms of sign-in: the second factor's code, the request for a password link, and the change of a password."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.forms import ChangePasswordForm, ResetPasswordForm
from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.accounts.jobs import send_password_link
from reviewers.accounts.sign_in import throttle
from reviewers.accounts.sign_in.proofs import ACCOUNT, CLOSED, announce_here, has_second_factor, subject_of_proofs
from reviewers.accounts.sign_in.receivers import announce_everywhere
from reviewers.accounts.sign_in.second_factors import code_factors, count_left, find_factor, is_recovery


class CodeForm(AuthenticateForm):
    """allauth's form; wrong codes count like wrong passwords."""

    def clean_code(self) -> str:
        """Validate the code; a right one is used up."""
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


class ResetForm(ResetPasswordForm):  # the package has no types
    """Take the address of a forgotten password. The page looks nothing up, so its response is the same for every address.

    The worker looks the address up, and sends a link to it only.
    """

    def clean_email(self) -> str:
        """Return the address in lower case."""
        return str(self.cleaned_data["email"]).strip().lower()

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Queue the job that sends a link."""
        del request, kwargs
        address = str(self.cleaned_data["email"])
        send_password_link.defer(address=address)
        return address


class ChangeForm(ChangePasswordForm):  # the package has no types
    """Count wrong passwords here as in a proof: a thief of a session could try any number otherwise."""

    def clean_oldpassword(self) -> str:
        """Validate the password there is."""
        request, now = context.request, timezone.now()
        subject = subject_of_proofs(request, self.user)
        if throttle.is_blocked(subject, now):
            raise ValidationError(CLOSED)
        try:
            old = str(super().clean_oldpassword())
        except ValidationError:
            throttle.count_failure(subject, now)
            told = {"purpose": ACCOUNT, "second_factor": has_second_factor(self.user)}
            announce_here(getattr(request, "member", None) or None, self.user, "proof.refused", SYSTEM, now, told)
            raise
        throttle.reset_failures(subject)
        return old
