"""Forgotten passwords: the answer and the work of a request are the same whether or not somebody has the address.

A request only puts a job into the queue. The worker looks the address up, and sends a link to it and to nobody else.
"""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ResetPasswordForm
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from reviewers.accounts.models import User
from reviewers.accounts.reset_tokens import TokenGenerator


class ResetForm(ResetPasswordForm):  # type: ignore[misc]  # the package has no types
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
