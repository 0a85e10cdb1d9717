"""Rules on tokens of members: who may make one, and what one may be used for."""

from __future__ import annotations

from collections.abc import Mapping

from reviewers.accounts.models import Membership, TokenScope
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.proofs import has_second_factor

MOST_TOKENS = 20
"""The most tokens of a member that work at a time."""

NEEDED: Mapping[TokenScope, Permission] = {TokenScope.READ: Permission.READ_ITEMS, TokenScope.LABEL: Permission.LABEL_ITEMS}
"""The permission that its member needs for each scope, when a token is made and at each use."""


def may_use(member: Membership, scope: TokenScope) -> bool:
    """Return True if a member may have tokens of a scope. Nobody from outside may: text is masked for them, and revealed on pages only."""
    return not member.is_external and may(member, NEEDED[scope])


def check_may_make_token(member: Membership, scope: TokenScope, count: int) -> None:
    """Refuse a token that its member may not use, beside ``count`` that work, or without a second factor, which it does not ask for."""
    if member.ended_at is not None or not may_use(member, scope):
        raise Refused("Your role here does not allow this token.")
    if not has_second_factor(member.user):
        raise Refused("Set up a second factor first. A token works without one, so making it takes both.")
    if count >= MOST_TOKENS:
        raise Refused(f"You have {MOST_TOKENS} tokens here that work. End one that you no longer use.")
