"""Which organisations a session opens: one that an identity provider began opens that provider's organisation and no other.

A provider is its organisation's, and could say that anybody of its domain is there. So nothing it says reaches further: not into another
organisation of the same person, and not to the person's own password, passkeys and invitations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Membership, SignOnProvider

KEY = "single_sign_on"
OPEN_PATHS = ("/accounts/logout/", "/accounts/login/", "/accounts/sign-on/", "/accounts/reauthenticate/", "/accounts/2fa/reauthenticate/")
"""Of the pages about one's account those that such a session may ask for."""


def mark(session: Any, provider: SignOnProvider, *, has_factor: bool) -> None:
    """Keep in a session which provider begins it, and whether that asked for a second factor."""
    session[KEY] = {"provider": str(provider.pk), "organisation": str(provider.organisation_id), "factor": has_factor}


def is_by_provider(session: Mapping[str, Any]) -> bool:
    """Return True if an identity provider began the session."""
    return KEY in session


def organisation_of(session: Mapping[str, Any]) -> UUID | None:
    """Return the organisation whose provider began the session; None for a session begun by password or passkey."""
    return UUID(session[KEY]["organisation"]) if KEY in session else None


def has_factor(session: Mapping[str, Any]) -> bool:
    """Return True if the provider asked for a second factor."""
    return bool(session.get(KEY, {}).get("factor"))


def opened_by(session: Mapping[str, Any], memberships: Iterable[Membership]) -> list[Membership]:
    """Return those of a person's memberships that a session opens: none once the provider is not trusted any more."""
    if KEY not in session:
        return list(memberships)
    trusted = SignOnProvider.objects.filter(pk=session[KEY]["provider"]).values_list("organisation_id", flat=True).first()
    return [each for each in memberships if each.organisation_id == trusted]
