"""Reads of tokens of members: the one that a request names, and those that pages list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db.models import QuerySet

from reviewers.accounts.actions import digest_secret
from reviewers.accounts.models import Membership, MemberToken, Organisation, TokenScope, TokenUse, User
from reviewers.accounts.tokens.actions import TOKEN_PREFIX
from reviewers.web.statements import Columns, read_joined

_TOKEN, _LAST_USE = Columns(MemberToken, "token"), Columns(TokenUse, "last_use")
_MEMBERSHIP, _ORGANISATION, _PERSON = Columns(Membership, "membership"), Columns(Organisation, "organisation"), Columns(User, "person")

_WORKING = f"""
SELECT {_TOKEN}, {_MEMBERSHIP}, {_ORGANISATION}, {_PERSON}, {_LAST_USE}
FROM accounts_membertoken AS token
JOIN accounts_membership AS membership
    ON membership.id = token.membership_id AND membership.organisation_id = token.organisation_id
JOIN accounts_organisation AS organisation ON organisation.id = token.organisation_id
JOIN accounts_user AS person ON person.id = membership.user_id
LEFT JOIN accounts_tokenuse AS last_use ON last_use.token_id = token.id
WHERE token.digest = %s AND token.ended_at IS NULL AND token.expires_at > %s
AND membership.ended_at IS NULL AND person.is_active AND EXISTS (
    SELECT FROM mfa_authenticator AS factor
    WHERE factor.user_id = person.id AND factor.type <> '{Authenticator.Type.RECOVERY_CODES.value}'
)
"""  # noqa: S608 — names of our own
"""Read for each request with a token. A token works only while its member has a second factor, with which it was made."""


def find_token(secret: str, now: datetime) -> MemberToken | None:
    """Return the working token with this secret, its membership with user and organisation loaded; None if there is none."""
    if not secret.startswith(TOKEN_PREFIX):
        return None
    rows = read_joined(_WORKING, [digest_secret(secret), now], _TOKEN, _MEMBERSHIP, _ORGANISATION, _PERSON, _LAST_USE)
    for token, membership, organisation, person, last_use in rows:
        membership.organisation, membership.user = organisation, person
        token.membership, token.organisation = membership, organisation
        if last_use:
            token.last_use = last_use
        found: MemberToken = token
        return found
    return None


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as pages list it."""

    id: UUID
    name: str
    hint: str
    may: str
    member: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
    ended_at: datetime | None
    is_expired: bool


def list_own_tokens(member: Membership, now: datetime) -> Sequence[TokenRow]:
    """Return all tokens of a membership, the newest first."""
    return _rows(MemberToken.objects.filter(membership=member), now)


def list_working_tokens(organisation: Organisation, now: datetime) -> Sequence[TokenRow]:
    """Return the tokens of all members that have neither ended nor expired, by name of the member."""
    working = MemberToken.objects.filter(organisation=organisation, ended_at=None, expires_at__gt=now)
    return sorted(_rows(working, now), key=lambda each: each.member)


def _rows(tokens: QuerySet[MemberToken], now: datetime) -> list[TokenRow]:
    return [
        TokenRow(
            id=each.pk,
            name=each.name,
            hint=each.hint,
            may=TokenScope(each.scope).label,
            member=each.membership.user.name,
            created_at=each.created_at,
            last_used_at=each.last_use.used_at if hasattr(each, "last_use") else None,
            expires_at=each.expires_at,
            ended_at=each.ended_at,
            is_expired=each.expires_at <= now,
        )
        for each in tokens.select_related("membership__user", "last_use").order_by("-created_at", "-pk")
    ]
