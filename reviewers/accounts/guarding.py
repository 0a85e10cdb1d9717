"""Guessing at the sign-in page: counted in the database by place and by account, and never at the cost of whose account it is.

Failures count for the account together with the place they came from, for the place alone, and for the account alone. Whoever signed in
here before, with all they had to give, carries a cookie that says so: their tries are counted apart, so that what others fail at does
not stop them, and what they fail at themselves does.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from reviewers.accounts import hurdles
from reviewers.accounts.models import User

COOKIE = f"{'__Host-' if settings.SESSION_COOKIE_SECURE else ''}known"
KNOWN_FOR = 180 * 24 * 60 * 60
FREE_OF_A_PLACE = 9
FREE_OF_AN_ACCOUNT = 49
"""Far more, and from many places: a hospital has one address, and a person many enemies."""

_SALT = "footnote.known"


def subjects_of(request: HttpRequest, email: str) -> Sequence[tuple[str, int]]:
    """What a try to sign in counts for, each with the failures that are free, in an order in which all lock them."""
    if email and is_known(request, email):
        return [(hurdles.subject_of("known", email, request.COOKIES[COOKIE]), hurdles.FREE_FAILURES)]
    place = get_ip(request)
    return [
        (hurdles.subject_of("account and place", email, place), hurdles.FREE_FAILURES),
        (hurdles.subject_of("account", email), FREE_OF_AN_ACCOUNT),
        (hurdles.subject_of("place", place), FREE_OF_A_PLACE),
    ]


def is_stopped(request: HttpRequest, email: str, now: datetime) -> bool:
    """Whether a try does not even count."""
    return any([hurdles.is_closed(subject, now) for subject, _ in subjects_of(request, email)])  # noqa: C419 — each is locked


def count_failure(request: HttpRequest, email: str, now: datetime) -> None:
    """One more wrong try."""
    for subject, free in subjects_of(request, email):
        hurdles.count_failure(subject, now, free=free)


def forgive(request: HttpRequest, email: str) -> None:
    """Somebody is in: their own failures from here are forgotten. Those of the place are not, or one's own account would clear the way."""
    (subject, _), *_ = subjects_of(request, email)
    hurdles.forget(subject)


def is_known(request: HttpRequest, email: str) -> bool:
    """Whether this browser is one in which the person with this address has signed in before."""
    known = signing.loads(request.COOKIES[COOKIE], salt=_SALT, max_age=KNOWN_FOR) if _is_signed(request) else {}
    return hurdles.subject_of("browser", email) in known


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Know this browser from now on as one of this person's, beside those of others who use it too."""
    known = signing.loads(request.COOKIES[COOKIE], salt=_SALT, max_age=KNOWN_FOR) if _is_signed(request) else {}
    known = dict(list(known.items())[-4:]) | {hurdles.subject_of("browser", user.email): int(timezone.now().timestamp())}
    value = signing.dumps(known, salt=_SALT)
    flags: dict[str, Any] = {"secure": settings.SESSION_COOKIE_SECURE, "httponly": True, "samesite": "Lax"}
    response.set_cookie(COOKIE, value, max_age=KNOWN_FOR, **flags)


def _is_signed(request: HttpRequest) -> bool:
    try:
        signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return False
    return True
