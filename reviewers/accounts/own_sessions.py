"""Where somebody is signed in, as they see it themselves, and ending it there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.crypto import constant_time_compare, salted_hmac

from reviewers.accounts import sessions
from reviewers.accounts.models import User
from reviewers.accounts.places import UNKNOWN


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session as its owner sees it. ``name`` stands for its key, which nobody is shown: whoever has that is signed in."""

    name: str
    browser: str
    network: str
    begun_at: datetime
    used_at: datetime
    is_this: bool


def list_own_sessions(user: User, key: str | None) -> list[OwnSession]:
    """Return a person's sessions that run: the one with this key first, then the last used."""
    found = [
        OwnSession(
            name=_name_of(row.pk),
            browser=held.get(sessions.BROWSER) or UNKNOWN,
            network=held.get(sessions.NETWORK, ""),
            begun_at=datetime.fromisoformat(held[sessions.BEGUN]),
            used_at=datetime.fromisoformat(held[sessions.USED]),
            is_this=row.pk == key,
        )
        for row, held in sessions.sessions_of(user)
        if sessions.BEGUN in held
    ]
    return sorted(found, key=lambda each: (each.is_this, each.used_at), reverse=True)


@transaction.atomic
def end_own_session(user: User, name: str) -> bool:
    """End one of a person's sessions, at once; returns False if there is none of that name, or no longer."""
    for row, _ in sessions.sessions_of(user):
        if constant_time_compare(_name_of(row.pk), name):
            sessions.end(row, user, sessions.ENDED_ELSEWHERE)
            return True
    return False


def _name_of(key: str) -> str:
    return salted_hmac("footnote.session", key, algorithm="sha256").hexdigest()[:32]
