"""allauth's questions, answered for a house without open registration."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        del request
        return False
