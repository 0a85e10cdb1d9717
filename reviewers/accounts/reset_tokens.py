"""Tokens of links for a forgotten password. The sign-in package's forms import this module, so it imports none of them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator

from reviewers.accounts.models import Membership
from reviewers.web import walls


class TokenGenerator(PasswordResetTokenGenerator):
    """Tokens that are void after any change of password, address or membership, and after the next sign-in."""

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        with walls.outside():
            memberships = Membership.objects.filter(user=user).order_by("pk").values_list("pk", "role", "ended_at", "external_until")
            state = "|".join(",".join(map(str, each)) for each in memberships)
        return f"{super()._make_hash_value(user, timestamp)}|{user.email}|{user.is_active}|{state}"
