"""Lists of turns and of what was done with them: words that are searched for, the audit event of showing a list, and pages by key."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, may
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.events import Action, Event
from reviewers.web.dates import PageKey

_MOST_KEPT = 20

Row = TypeVar("Row", bound=Model)


def keep_words(request: MemberRequest, kind: str, words: str) -> str:
    """Keep words in the session, and return the number by which an address names them: they may be protected text."""
    number = secrets.token_hex(4)
    kept = dict(list(request.session.get(kind, {}).items())[-_MOST_KEPT + 1 :])
    request.session[kind] = kept | {number: words}
    return number


def kept_words(request: MemberRequest, kind: str, number: str) -> str:
    """Return the words of a search for a member who may search.

    For others the list would reveal whether masked text contains them.
    """
    words: str = request.session.get(kind, {}).get(number, "") if may(request.member, Permission.SEARCH_NAMES) else ""
    return words


def record_list(request: MemberRequest, action: Action, details: Mapping[str, Any], parts: Sequence[Part] = ()) -> None:
    """Record that a member was shown a list. The event only commits to ``parts``, which are kept beside it."""
    record(list_event(action, request.member.organisation_id, user_actor(request.member.user_id), timezone.now(), details, parts))


def list_event(
    action: Action, organisation_id: UUID, by: Actor, at: datetime, details: Mapping[str, Any], parts: Sequence[Part] = ()
) -> Event:
    """Return the event that somebody was shown a list of an organisation, as ``record_list`` records it."""
    kept = frozenset(name for name, _ in parts)
    return Event(action, organisation_id, by, at, "organisation", organisation_id, details, parts, kept)


def write_key(key: PageKey) -> str:
    """Return a key as text."""
    return f"{key[0].isoformat()}~{key[1]}"


def rows_beyond(rows: QuerySet[Row], key: PageKey | None, *, forwards: bool) -> QuerySet[Row]:
    """Return the rows after a key by ``answered_at`` in chronological order, or those before it in reverse; all rows without a key.

    The bound on the moment alone is what an index can use.
    """
    rows = rows.order_by("answered_at", "pk") if forwards else rows.order_by("-answered_at", "-pk")
    if key is None:
        return rows
    moment, pk = key
    if forwards:
        return rows.filter(answered_at__gte=moment).filter(Q(answered_at__gt=moment) | Q(pk__gt=pk))
    return rows.filter(answered_at__lte=moment).filter(Q(answered_at__lt=moment) | Q(pk__lt=pk))
