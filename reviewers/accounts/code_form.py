"""The form that asks for the second factor when somebody signs in."""

from __future__ import annotations

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from django.utils import timezone

from reviewers.accounts import guarding
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.recovery_codes import code_factors, count_left, find_factor, is_recovery
from reviewers.accounts.signins import announce_everywhere


class CodeForm(AuthenticateForm):
    """The package's form; wrong codes count like wrong passwords, by place and account and not against whom they are guessed."""

    def clean_code(self) -> str:
        """Judge the code; a right one is used up."""
        now, email = timezone.now(), self.user.email
        if guarding.is_stopped(context.request, email, now):
            raise get_account_adapter().validation_error("too_many_login_attempts")
        code: str = self.cleaned_data["code"]
        factor = find_factor(self.user, code)
        if factor is not None:
            factor.user, self.authenticator = self.user, factor
            if is_recovery(factor):
                announce_everywhere("recovery_code.used", self.user.pk, user_actor(self.user.pk), {"left": count_left(factor)})
            return code
        guarding.count_failure(context.request, email, now)
        self._emit_authentication_failed(code_factors(self.user).first())
        raise get_adapter().validation_error("incorrect_code")
