"""Guessing is slowed down: after a few failures each further one makes the next try wait longer.

The counts are in the database, so they hold in every process. A row is locked while a try is judged: many tries at once count as many,
one after the other. Call these inside a transaction that ends with the answer.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.crypto import salted_hmac

from reviewers.accounts.models import Hurdle

FREE_FAILURES = 4
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=30)
FORGOTTEN_AFTER = timedelta(days=1)


def subject_of(*parts: object) -> str:
    """What is guessed at and from where, as a digest."""
    return salted_hmac("footnote.hurdle", "\0".join(map(str, parts)), algorithm="sha256").hexdigest()


def is_closed(subject: str, now: datetime) -> bool:
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


def forget(subject: str) -> None:
    """Somebody has succeeded: the failures before do not count any more."""
    Hurdle.objects.filter(pk=subject).delete()


def forget_old(now: datetime) -> int:
    """Delete the counts nobody added to for a day."""
    deleted, _ = Hurdle.objects.filter(failed_at__lt=now - FORGOTTEN_AFTER).delete()
    return deleted
