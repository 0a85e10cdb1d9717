"""Tokens of members: programs of a member act with them as that member, in one organisation. Each change has its audit event."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import HttpError
from ninja.security import HttpBearer

from reviewers.accounts.actions import digest_secret
from reviewers.accounts.audit import Actor, Announcement, announce, user_actor
from reviewers.accounts.models import Membership, MemberToken, Organisation, Scope, ServiceKey, TokenScope, TokenUse, User
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Refused
from reviewers.accounts.queries import find_service_key
from reviewers.accounts.service_keys import KeyWithScope, count_failure
from reviewers.accounts.sign_in.proofs import has_second_factor
from reviewers.web.statements import Columns, read_joined
from reviewers.web.tenancy import tenant

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


def check_is_signed_in_still(current: Membership, member: Membership) -> None:
    """Refuse a token to a member whom an administrator has signed out since the request began."""
    if current.signed_out_at != member.signed_out_at:
        raise Refused("You were signed out here meanwhile. Sign in again.")


TOKEN_PREFIX = "fnt_"  # noqa: S105 — how every token begins


class Because(StrEnum):
    """The reasons for which a token ends. The values are part of audit events."""

    ASKED = "asked"
    MEMBERSHIP = "membership"
    ROLE = "role"
    OUTSIDE = "outside"
    SIGNED_OUT = "signed_out"
    PASSWORD = "password"  # noqa: S105 — it was changed
    FACTOR = "factor"


@transaction.atomic
def make_token(*, member: Membership, name: str, scope: TokenScope, at: datetime, expires_at: datetime) -> tuple[MemberToken, str]:
    """Make a token for a member, who proved who they are; return it with its secret, which is not stored and cannot be shown again."""
    current = Membership.objects.select_for_update(of=("self",)).select_related("user").get(pk=member.pk)
    check_is_signed_in_still(current, member)
    check_may_make_token(current, scope, _open_tokens(current).filter(expires_at__gt=at).count())
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = MemberToken.objects.create(
        organisation_id=current.organisation_id,
        membership=current,
        name=name,
        scope=scope,
        hint=secret[:9],
        digest=digest_secret(secret),
        created_at=at,
        expires_at=expires_at,
    )
    details = {"user": str(current.user_id), "scope": token.scope, "expires": expires_at.isoformat()}
    announce(Announcement("token.made", token.organisation_id, user_actor(current.user_id), at, "token", token.pk, details))
    return token, secret


@transaction.atomic
def end_token(*, token: MemberToken, because: Because, at: datetime, by: Actor) -> None:
    """End a token at once. Ending it again changes nothing."""
    if MemberToken.objects.filter(pk=token.pk, ended_at=None).update(ended_at=at):
        details = {"user": str(token.membership.user_id), "because": because.value}
        announce(Announcement("token.ended", token.organisation_id, by, at, "token", token.pk, details))


def end_tokens_of(*, member: Membership, because: Because, at: datetime, by: Actor) -> None:
    """End every token of a membership, in the transaction of what takes the right to them away."""
    for token in _open_tokens(member).select_related("membership").order_by("pk"):
        end_token(token=token, because=because, at=at, by=by)


def _open_tokens(member: Membership) -> QuerySet[MemberToken]:
    return MemberToken.objects.filter(organisation_id=member.organisation_id, membership=member, ended_at=None)


def note_token_use(*, token: MemberToken, at: datetime) -> None:
    """Record the last use of a token, at most once a minute, so that not every request writes."""
    last = getattr(token, "last_use", None)
    if last is None or at - last.used_at >= timedelta(minutes=1):
        TokenUse.objects.update_or_create(token=token, defaults={"used_at": at})


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


class TokenRequest(HttpRequest):
    """A request of a member's program, with its token."""

    auth: MemberToken


class TokenWithScope(HttpBearer):
    """Bearer authentication by a member's token: 401 without a working one, 403 without the scope or the right, and for service keys."""

    openapi_description = "A member's own token. Members make them under their account."

    def __init__(self, scope: TokenScope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> MemberToken | None:
        """Return the token if it works for the scope. The rest of the request runs as the tenant of its organisation."""
        now = timezone.now()
        found = find_token(token, now)
        if found is None:
            if find_service_key(token, now) is not None:
                raise HttpError(403, "A service key is nobody's: this takes a member's own token.")
            count_failure(request)
            return None
        if found.scope not in (self.scope, TokenScope.LABEL):
            raise HttpError(403, f"This token has not the scope “{self.scope.value}”.")
        if not may_use(found.membership, self.scope):
            raise HttpError(403, "The role of this token's member does not allow this.")
        tenant.enter(found.organisation_id)
        note_token_use(token=found, at=now)
        return found


class ReadingKeyOrToken(HttpBearer):
    """Bearer authentication by a service key that may read, or by a member's token."""

    openapi_description = "A service key with the scope `read`, or a member's own token."

    def __init__(self) -> None:
        super().__init__()
        self._key, self._token = KeyWithScope(Scope.READ), TokenWithScope(TokenScope.READ)

    def authenticate(self, request: HttpRequest, token: str) -> ServiceKey | MemberToken | None:
        """Return the key or token if it works and may read."""
        return (self._token if token.startswith(TOKEN_PREFIX) else self._key).authenticate(request, token)
