"""Tokens of members, and the programs that use them."""

from __future__ import annotations

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from reviewers.accounts.members.tokens import make_token
from reviewers.accounts.models import Membership, MemberToken, TokenScope
from reviewers.accounts.sign_in.proofs import has_second_factor
from tests.accounts.signing_in import give_second_factor


def token_of(member: Membership, scope: TokenScope = TokenScope.LABEL, name: str = "desk") -> tuple[MemberToken, str]:
    """A token of a member, who has a second factor, and its secret."""
    if not has_second_factor(member.user):
        give_second_factor(member)
    now = timezone.now()
    return make_token(member=member, name=name, scope=scope, at=now, expires_at=now + timedelta(days=90))


def bearing(secret: str) -> Client:
    """A program with this secret."""
    return Client(headers={"Authorization": f"Bearer {secret}"})


def program_of_member(member: Membership, scope: TokenScope = TokenScope.LABEL) -> Client:
    """A program with a token of a member."""
    return bearing(token_of(member, scope)[1])
