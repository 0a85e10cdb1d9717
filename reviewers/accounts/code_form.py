"""The form that asks for the second factor when somebody signs in."""

from __future__ import annotations

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from django.utils import timezone

from reviewers.accounts import guarding


class CodeForm(AuthenticateForm):
    """The package's form; wrong codes count like wrong passwords, by place and account and not against whom they are guessed."""

    def clean_code(self) -> str:
        """Judge the code; a right one is used up."""
        now, email = timezone.now(), self.user.email
        if guarding.is_stopped(context.request, email, now):
            raise get_account_adapter().validation_error("too_many_login_attempts")
        factors = list(Authenticator.objects.filter(user=self.user).exclude(type=Authenticator.Type.WEBAUTHN).order_by("-type"))
        code: str = self.cleaned_data["code"]
        for factor in factors:
            if factor.wrap().validate_code(code):
                factor.user, self.authenticator = self.user, factor
                return code
        guarding.count_failure(context.request, email, now)
        self._emit_authentication_failed(factors[0] if factors else None)
        raise get_adapter().validation_error("incorrect_code")
