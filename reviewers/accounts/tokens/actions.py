"""Changes to tokens of members. Each is one transaction with its audit event."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import QuerySet

from reviewers.accounts.actions import digest_secret
from reviewers.accounts.audit import Actor, Announcement, announce, user_actor
from reviewers.accounts.models import Membership, MemberToken, TokenScope, TokenUse
from reviewers.accounts.tokens.policies import check_may_make_token

TOKEN_PREFIX = "fnt_"  # noqa: S105 — how every token begins


class Because(StrEnum):
    """The reasons for which a token ends. The values are part of audit events."""

    ASKED = "asked"
    MEMBERSHIP = "membership"
    ROLE = "role"
    OUTSIDE = "outside"
    SIGNED_OUT = "signed_out"
    PASSWORD = "password"  # noqa: S105 — it was changed


@transaction.atomic
def make_token(*, member: Membership, name: str, scope: TokenScope, at: datetime, expires_at: datetime) -> tuple[MemberToken, str]:
    """Make a token for a member, who proved who they are; return it with its secret, which is not stored and cannot be shown again."""
    current = Membership.objects.select_for_update(of=("self",)).select_related("user").get(pk=member.pk)
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
