"""allauth's questions, answered for a house without open registration."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        del request
        return False

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: that somebody is signed in stands at the top of every page."""
