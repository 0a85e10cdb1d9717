"""How strongly somebody signed in, as the sign-in package recorded it in the session."""

from __future__ import annotations

from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest


def signed_in_with_second_factor(request: HttpRequest) -> bool:
    """Return True if a code or a passkey was part of signing in to this session."""
    return any(record.get("method") == "mfa" for record in get_authentication_records(request))
