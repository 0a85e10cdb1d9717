"""How strongly somebody signed in, as the sign-in package recorded it in the session."""

from __future__ import annotations

from allauth.account.authentication import get_authentication_records
from django.http import HttpRequest

from reviewers.accounts.models import User
from reviewers.accounts.single_sign_on.sessions import has_factor


def signed_in_with_second_factor(request: HttpRequest, user: User) -> bool:
    """Return True if a code or a passkey was part of signing in to this session, or the organisation's provider asked for one.

    The package tells nothing where nobody is named.
    """
    return has_factor(request.session) or any(record.get("method") == "mfa" for record in get_authentication_records(request, user))
