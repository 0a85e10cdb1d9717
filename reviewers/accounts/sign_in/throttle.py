"""Throttling of guesses: after a few failures each further one doubles the wait.

Counts are in the database, so they hold in every process. The row is locked while a try is judged, so concurrent tries count one by one.
Call these inside a transaction that ends with the response.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from reviewers.accounts.models import Hurdle, User

FREE_FAILURES = 4
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=30)
FORGOTTEN_AFTER = timedelta(days=1)


def subject_of(*parts: object) -> str:
    """Return the digest of what is guessed at and from where."""
    return salted_hmac("footnote.hurdle", "\0".join(map(str, parts)), algorithm="sha256").hexdigest()


def is_blocked(subject: str, now: datetime) -> bool:
    """Return True if no try counts at the moment. Concurrent tries at the same subject wait until the transaction ends."""
    hurdle = _lock(subject)
    return hurdle.closed_until is not None and now < hurdle.closed_until


@transaction.atomic
def count_failure(subject: str, now: datetime, *, free: int = FREE_FAILURES) -> None:
    """Count a failure. Beyond the ``free`` ones the next try has to wait, each time twice as long."""
    hurdle = _lock(subject)
    is_old = hurdle.failed_at is not None and now - hurdle.failed_at > FORGOTTEN_AFTER
    hurdle.failures = 1 if is_old else hurdle.failures + 1
    hurdle.failed_at = now
    hurdle.closed_until = now + wait_after(hurdle.failures - free) if hurdle.failures > free else None
    hurdle.save()


def _lock(subject: str) -> Hurdle:
    """Return the row, locked; create it if it is missing, or was deleted while waiting for the lock."""
    while True:
        Hurdle.objects.bulk_create([Hurdle(subject=subject)], ignore_conflicts=True)
        hurdle = Hurdle.objects.select_for_update().filter(pk=subject).first()
        if hurdle is not None:
            return hurdle


def wait_after(failures: int) -> timedelta:
    """Return the wait after so many failures beyond the free ones."""
    doubled = 1 << min(failures - 1, 10)
    return min(FIRST_WAIT * doubled, LONGEST_WAIT)


def reset_failures(subject: str) -> None:
    """Delete the failures of a subject after a success."""
    Hurdle.objects.filter(pk=subject).delete()


def delete_old_failures(now: datetime) -> int:
    """Delete the counts that nothing was added to for a day, and those of tries that did not fail; return how many there were."""
    deleted, _ = Hurdle.objects.filter(Q(failed_at__lt=now - FORGOTTEN_AFTER) | Q(failed_at=None)).delete()
    return deleted


# Failures at the sign-in page count for the account together with the place they came from, for the place, and for the account. A browser
# in which the person has signed in completely before carries a cookie that says so: its tries are counted apart, so that the failures of
# others do not block it, and its own do.


COOKIE = f"{'__Host-' if settings.SESSION_COOKIE_SECURE else ''}known"
KNOWN_FOR = 180 * 24 * 60 * 60
FREE_OF_A_PLACE = 9
FREE_OF_AN_ACCOUNT = 49
"""Free failures are many here: a hospital has one address, and an account may be attacked from many places."""

_SALT = "footnote.known"


def subjects_of(request: HttpRequest, email: str) -> Sequence[tuple[str, int]]:
    """Return the subjects that a try counts for, each with its free failures, in the order in which they are locked."""
    own = _own_subject(request, email)
    if _is_known(request, email):
        return [(own, FREE_FAILURES)]
    return [
        (subject_of("place", get_ip(request)), FREE_OF_A_PLACE),
        (own, FREE_FAILURES),
        (subject_of("account", email), FREE_OF_AN_ACCOUNT),
    ]


def is_sign_in_blocked(request: HttpRequest, email: str, now: datetime) -> bool:
    """Return True if a try to sign in is refused unjudged. While a place is blocked, addresses tried there leave no rows."""
    return any(is_blocked(subject, now) for subject, _ in subjects_of(request, email))


def count_sign_in_failure(request: HttpRequest, email: str, now: datetime) -> None:
    """Count a wrong try to sign in."""
    for subject, free in subjects_of(request, email):
        count_failure(subject, now, free=free)


def reset_sign_in_failures(request: HttpRequest, email: str) -> None:
    """Reset a person's own failures after a sign-in. Those of the place stay, or an attacker's own account would clear them."""
    reset_failures(_own_subject(request, email))


def _own_subject(request: HttpRequest, email: str) -> str:
    """Return the subject of tries at an account from one browser, if it is known, or else from one place."""
    if mark := _known_in(request).get(subject_of("browser", email)):
        return subject_of("known", email, mark)
    return subject_of("account and place", email, get_ip(request))


def _is_known(request: HttpRequest, email: str) -> bool:
    return subject_of("browser", email) in _known_in(request)


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Remember this browser as one of the user's, beside up to four others who use it.

    Each of them has a mark of their own in it, which stays: otherwise one would clear the failures at the account of another by signing in.
    """
    known, own = _known_in(request), subject_of("browser", user.email)
    mark = known.pop(own, None) or secrets.token_hex(8)
    value = signing.dumps(dict([*known.items()][-4:]) | {own: mark}, salt=_SALT)
    flags: dict[str, Any] = {"secure": settings.SESSION_COOKIE_SECURE, "httponly": True, "samesite": "Lax"}
    response.set_cookie(COOKIE, value, max_age=KNOWN_FOR, **flags)


def _known_in(request: HttpRequest) -> dict[str, Any]:
    """Return the marks of those who have signed in with this browser before; none if its cookie was not made here."""
    try:
        known: dict[str, Any] = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return {}
    return known
