"""Guessing is slowed down: after a few failures each further one makes the next try wait longer.

The counts are in the database, so they hold in every process. A row is locked while a try is judged: many tries at once count as many,
one after the other. Call these inside a transaction that ends with the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from allauth.core.internal.ratelimit import get_ip
from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from reviewers.accounts.models import Hurdle, User

FREE_FAILURES = 4
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=30)
FORGOTTEN_AFTER = timedelta(days=1)


def subject_of(*parts: object) -> str:
    """What is guessed at and from where, as a digest."""
    return salted_hmac("footnote.hurdle", "\0".join(map(str, parts)), algorithm="sha256").hexdigest()


def is_blocked(subject: str, now: datetime) -> bool:
    """Whether no try counts for now; another try at the same waits until this one is over."""
    hurdle = _lock(subject)
    return hurdle.closed_until is not None and now < hurdle.closed_until


@transaction.atomic
def count_failure(subject: str, now: datetime, *, free: int = FREE_FAILURES) -> None:
    """One more failure; beyond the ``free`` ones the next try waits, each time twice as long."""
    hurdle = _lock(subject)
    is_old = hurdle.failed_at is not None and now - hurdle.failed_at > FORGOTTEN_AFTER
    hurdle.failures = 1 if is_old else hurdle.failures + 1
    hurdle.failed_at = now
    hurdle.closed_until = now + wait_after(hurdle.failures - free) if hurdle.failures > free else None
    hurdle.save()


def _lock(subject: str) -> Hurdle:
    """Return the row, locked, and make it where there is none. Whoever held it may have deleted it while we waited: then there is none."""
    while True:
        Hurdle.objects.bulk_create([Hurdle(subject=subject)], ignore_conflicts=True)
        hurdle = Hurdle.objects.select_for_update().filter(pk=subject).first()
        if hurdle is not None:
            return hurdle


def wait_after(failures: int) -> timedelta:
    """How long the next try waits after so many failures beyond the free ones."""
    doubled = 1 << min(failures - 1, 10)
    return min(FIRST_WAIT * doubled, LONGEST_WAIT)


def reset_failures(subject: str) -> None:
    """Somebody has succeeded: the failures before do not count any more."""
    Hurdle.objects.filter(pk=subject).delete()


def delete_old_failures(now: datetime) -> int:
    """Delete the counts nobody added to for a day."""
    deleted, _ = Hurdle.objects.filter(failed_at__lt=now - FORGOTTEN_AFTER).delete()
    return deleted


# Guessing at the sign-in page: counted in the database by place and by account, and never at the cost of whose account it is.
#
# Failures count for the account together with the place they came from, for the place alone, and for the account alone. Whoever signed in
# here before, with all they had to give, carries a cookie that says so: their tries are counted apart, so that what others fail at does
# not stop them, and what they fail at themselves does.


COOKIE = f"{'__Host-' if settings.SESSION_COOKIE_SECURE else ''}known"
KNOWN_FOR = 180 * 24 * 60 * 60
FREE_OF_A_PLACE = 9
FREE_OF_AN_ACCOUNT = 49
"""Far more, and from many places: a hospital has one address, and a person many enemies."""

_SALT = "footnote.known"


def subjects_of(request: HttpRequest, email: str) -> Sequence[tuple[str, int]]:
    """What a try to sign in counts for, each with the failures that are free, in an order in which all lock them."""
    if email and is_known_browser(request, email):
        return [(subject_of("known", email, request.COOKIES[COOKIE]), FREE_FAILURES)]
    place = get_ip(request)
    return [
        (subject_of("account and place", email, place), FREE_FAILURES),
        (subject_of("account", email), FREE_OF_AN_ACCOUNT),
        (subject_of("place", place), FREE_OF_A_PLACE),
    ]


def is_sign_in_blocked(request: HttpRequest, email: str, now: datetime) -> bool:
    """Whether a try does not even count."""
    return any([is_blocked(subject, now) for subject, _ in subjects_of(request, email)])  # noqa: C419 — each is locked


def count_sign_in_failure(request: HttpRequest, email: str, now: datetime) -> None:
    """One more wrong try."""
    for subject, free in subjects_of(request, email):
        count_failure(subject, now, free=free)


def reset_sign_in_failures(request: HttpRequest, email: str) -> None:
    """Somebody is in: their own failures from here are forgotten. Those of the place are not, or one's own account would clear the way."""
    (subject, _), *_ = subjects_of(request, email)
    reset_failures(subject)


def is_known_browser(request: HttpRequest, email: str) -> bool:
    """Whether this browser is one in which the person with this address has signed in before."""
    known = signing.loads(request.COOKIES[COOKIE], salt=_SALT, max_age=KNOWN_FOR) if _is_signed(request) else {}
    return subject_of("browser", email) in known


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Know this browser from now on as one of this person's, beside those of others who use it too."""
    known = signing.loads(request.COOKIES[COOKIE], salt=_SALT, max_age=KNOWN_FOR) if _is_signed(request) else {}
    known = dict(list(known.items())[-4:]) | {subject_of("browser", user.email): int(timezone.now().timestamp())}
    value = signing.dumps(known, salt=_SALT)
    flags: dict[str, Any] = {"secure": settings.SESSION_COOKIE_SECURE, "httponly": True, "samesite": "Lax"}
    response.set_cookie(COOKIE, value, max_age=KNOWN_FOR, **flags)


def _is_signed(request: HttpRequest) -> bool:
    try:
        signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return False
    return True
