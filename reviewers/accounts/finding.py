"""Finds who is signed in: the person of a session comes with the memberships they have, in one statement."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from allauth.account.auth_backends import AuthenticationBackend

from reviewers.accounts.models import Membership, User
from reviewers.accounts.queries import list_memberships
from reviewers.web import walls


class MemberBackend(AuthenticationBackend):  # type: ignore[misc]  # the package has no types
    """The sign-in package's own; only how the person of a session is found is another."""

    def get_user(self, user_id: Any) -> User | None:
        """The person, unless they may not sign in any more; asked from outside of all organisations, as it is not known which is meant."""
        with walls.outside():
            memberships = list_memberships(user_id)
        if not memberships:
            found: User | None = super().get_user(user_id)
            return found
        user = memberships[0].user
        for each in memberships:
            each.user = user
        user.open_memberships = memberships  # type: ignore[attr-defined]  # for this request alone
        return user if self.user_can_authenticate(user) else None


def memberships_of(user: User) -> list[Membership]:
    """The memberships of a person that have not ended, the oldest first: as they were found with them, where they were."""
    found: list[Membership] | None = getattr(user, "open_memberships", None)
    return list_memberships(UUID(str(user.pk))) if found is None else found
