"""allauth's questions, answered for a house without open registration."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.ratelimit import get_ip
from django.http import HttpRequest


class ClosedAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        del request
        return False

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Failures are counted by account and place: whoever guesses somebody's password locks out themselves, not them."""
        counted: str = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{counted}:{get_ip(request)}"

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: that somebody is signed in stands at the top of every page."""
