"""Callers of the API for review items: a program with a service key, or a member by their token, and what either may know."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest

from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.models import Membership, MemberToken, Organisation
from reviewers.accounts.service_keys import key_actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action
from reviewers.review.items import ReviewItem
from reviewers.review.masking.access import is_own
from reviewers.review.queries import load_item, load_item_for_program
from reviewers.review.queue import queries
from reviewers.review.queue.filters import Filter
from reviewers.snapshots.api.access import lacks_reason, record_access
from reviewers.snapshots.lists import list_event


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who asks. ``member`` is None for a program with a service key, which is nobody."""

    organisation: Organisation
    actor: Actor
    reader: queries.Reader
    member: Membership | None

    def load(self, item_id: UUID) -> ReviewItem:
        """Return an item as the caller may know it, or raise 404."""
        return load_item(self.member, item_id) if self.member else load_item_for_program(self.organisation.pk, item_id)

    def lacks_reason(self, item: ReviewItem, reason: str) -> bool:
        """Return True if the organisation asks why this item is opened, and the caller does not say it. One's own work needs no reason."""
        return lacks_reason(self.organisation, reason) and not (self.member and is_own(self.member, item))

    def record_view(self, item: ReviewItem, reason: str, now: datetime) -> None:
        """Record that the caller was shown an item and, before it, why, if they said so."""
        details = {"attribution": str(item.row.attribution_id)}
        record_access(Action.SNAPSHOT_VIEWED, self.organisation.pk, item.id, self.actor, now, reason, details)

    def record_list(self, chosen: Filter, page: queries.QueuePage, now: datetime) -> None:
        """Record that the caller was shown a list."""
        record(list_event(Action.QUEUE_VIEWED, self.organisation.pk, self.actor, now, *queries.shown_of(chosen, page)))


def caller_of(request: HttpRequest) -> Caller:
    """Return the caller of an authenticated request."""
    given = request.auth  # type: ignore[attr-defined]  # set by the framework
    if isinstance(given, MemberToken):
        member = given.membership
        return Caller(given.organisation, user_actor(member.user_id), queries.reader_of(member), member)
    return Caller(given.organisation, key_actor(given), queries.reader_of_program(given.organisation_id), None)
