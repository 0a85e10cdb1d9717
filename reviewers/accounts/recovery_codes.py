"""Recovery codes stand in for a second factor that is lost: each works once, each use is an event, and the person is told of it."""

from __future__ import annotations

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.db.models import QuerySet
from django.http import HttpRequest

from reviewers.accounts.models import User

FEW = 3
"""Of fewer the person's own page warns."""
_SEEN = "recovery_code_seen"


def code_factors(user: User) -> QuerySet[Authenticator]:
    """Return what somebody's codes come from: the app first, then the recovery codes."""
    factors: QuerySet[Authenticator] = Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.WEBAUTHN).order_by("-type")
    return factors


def find_factor(user: User, code: str) -> Authenticator | None:
    """Return the factor that a code is of, or ``None``; the code is used up by this."""
    return next((factor for factor in code_factors(user) if factor.wrap().validate_code(code)), None)


def is_recovery(factor: Authenticator) -> bool:
    """Return True for recovery codes."""
    return bool(factor.type == Authenticator.Type.RECOVERY_CODES)


def count_left(factor: Authenticator) -> int:
    """Return how many recovery codes were not used yet."""
    return len(Authenticator.objects.get(pk=factor.pk).wrap().get_unused_codes())


def should_warn(request: HttpRequest) -> bool:
    """Return True if this session began with a recovery code, until the person has looked at their account."""
    if request.session.get(_SEEN):
        return False
    return any(
        record.get("type") == Authenticator.Type.RECOVERY_CODES and not record.get("reauthenticated")
        for record in get_authentication_records(request, request.user)
    )


def note_seen(request: HttpRequest) -> None:
    """Warn no more in this session."""
    if should_warn(request):
        request.session[_SEEN] = True
