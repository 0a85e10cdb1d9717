"""The inbox of a member as its page shows it, and how much waits in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db import connection

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.review.hooks import inbox_sources
from reviewers.review.inbox.sources import GROUPS, OWN_SOURCES, Entry, InboxSource, Waiting, sources_for
from reviewers.review.plans.visibility import viewer_of
from reviewers.web.tenancy import tenant

MOST_LISTED = 50
"""The most lines of one source on the page."""
MOST_COUNTED = 100
"""The most rows of one source that are counted, so that the count costs little."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class InboxGroup:
    """A heading of the inbox, what it holds, and its lines, the newest first. ``is_part`` is true if there are more."""

    title: str
    about: str
    entries: Sequence[Entry]
    is_part: bool


def _sources(by: Membership) -> list[InboxSource]:
    return sources_for(by, [*OWN_SOURCES, *inbox_sources])


def load_inbox(by: Membership) -> list[InboxGroup]:
    """Return the groups of a member's inbox in which something waits."""
    found: dict[str, list[Entry]] = {title: [] for title in GROUPS}
    cut: set[str] = set()
    for source in _sources(by):
        rows = _newest(source, by)
        found[source.group] += source.entries(rows[:MOST_LISTED], by) if rows else ()
        cut |= {source.group} if len(rows) > MOST_LISTED else set()
    return [
        InboxGroup(title, about, sorted(found[title], key=lambda entry: entry.at or _LONG_AGO, reverse=True), title in cut)
        for title, about in GROUPS.items()
        if found[title]
    ]


def count_inbox(by: Membership) -> int:
    """Return how much waits for a member, up to a limit for each kind, in one statement; none if their role has no inbox."""
    if not may(by, Permission.READ_INBOX):
        return 0
    each = [f"(SELECT FROM ({source.waiting}) AS waiting LIMIT {MOST_COUNTED})" for source in _sources(by)]  # our own
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({' UNION ALL '.join(each)}) AS waiting", _values(by))  # noqa: S608  # our own
        return int(cursor.fetchone()[0])


def _newest(source: InboxSource, by: Membership) -> list[Waiting]:
    """Return the newest rows of a source, one more than are listed if there are more."""
    with connection.cursor() as cursor:
        cursor.execute(f"{source.waiting} ORDER BY 2 DESC NULLS LAST, 1 DESC LIMIT {MOST_LISTED + 1}", _values(by))
        return [Waiting(*row) for row in cursor.fetchall()]


def _values(by: Membership) -> dict[str, UUID | bool]:
    return {"organisation": by.organisation_id, "person": by.user_id, "may_label": viewer_of(by).may_label}


def count_elsewhere(member: Membership) -> int:
    """Return how much waits for a person in the organisation of one of their memberships."""
    with tenant.within(member.organisation_id):
        return count_inbox(member)
