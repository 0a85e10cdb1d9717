"""Endpoints of the API for review items. They are called by a program with a service key, or by a member with a token."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router
from ninja.responses import Status

from reviewers.accounts.audit import Actor, user_actor
from reviewers.accounts.members.tokens import ReadingKeyOrToken
from reviewers.accounts.models import Membership, MemberToken, Organisation
from reviewers.accounts.service_keys import key_actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action
from reviewers.review.api.schemas import ItemInFull, ItemPage, ItemQuery
from reviewers.review.api.values import item_values, page_values
from reviewers.review.items import ReviewItem
from reviewers.review.masking.access import is_own
from reviewers.review.queries import load_item, load_item_for_program
from reviewers.review.queue import filters, queries
from reviewers.review.queue.filters import Filter
from reviewers.review.talk.comments import comments_on
from reviewers.review.talk.flags import flags_on
from reviewers.snapshots.access_log import NO_REASON, AccessReason, lacks_reason, record_access
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.lists import list_event
from reviewers.web.http.responses import ascii_json


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who asks. ``member`` is None for a program with a service key, which is nobody."""

    organisation: Organisation
    actor: Actor
    reader: queries.ListReader
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


# Endpoints.


NO_ITEM = {"place": "item_id", "reason": "there is no such item"}
_NO_PAGE = {"place": "after", "reason": "there is no such item: take the cursor from the page before"}

router = Router(tags=["review items"])


@router.get(
    "/items",
    auth=ReadingKeyOrToken(),
    response={200: ItemPage, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_review_api_list_items",
    summary="List review items",
)
def list_items(request: HttpRequest, asked: Annotated[ItemQuery, Query()]) -> HttpResponse | Status[Any]:
    """Up to 25 review items that match the filters of the queue, the oldest answers first. Listing them is an audit event.

    Ask again with `after` for the next page, until it is null. A filter by what the engine found leaves out items under blind review,
    whether they match or not; so do `flagged` and `signed`. While an item is under blind review it is as a blind reviewer sees it.
    """
    caller, now, chosen = caller_of(request), timezone.now(), asked.chosen()
    begin = queries.key_of_item(caller.organisation.pk, asked.after) if asked.after else ""
    if asked.after and not begin:
        return Status(404, _NO_PAGE)
    found = filters.visible_to(filters.matching(caller.organisation, chosen), chosen, caller.reader.viewer)
    with transaction.atomic():
        page = queries.load_page(filters.in_states(found, chosen.states, now), by=caller.reader, now=now, after=begin)
        caller.record_list(chosen, page, now)
    return ascii_json(page_values(page))


@router.get(
    "/items/{item_id}",
    auth=ReadingKeyOrToken(),
    response={200: ItemInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_review_api_get_item",
    summary="Read a review item",
)
def get_item(request: HttpRequest, item_id: UUID, access_reason: AccessReason = "") -> HttpResponse | Status[Any]:
    """The answer as its page shows it: rows, sources with citations, labels, reviews, flags, comments. Reading it is an audit event.

    A member's token reads what its member may know, and tells their own labels. A service key reads as somebody who could review, and notes
    and reasons that people wrote are masked for it. While the item is under blind review it is as a blind reviewer sees it: without what
    the engine says beside its claims, and without comments, and reviews, labels and flags of others.
    If the organisation asks why records are opened, give the reason in `Access-Reason` in a few words; without it the answer is 422. Nobody
    is asked of an item that is theirs to review.
    """
    caller, now = caller_of(request), timezone.now()
    with transaction.atomic():
        try:
            item = caller.load(item_id)
        except Http404:
            return Status(404, NO_ITEM)
        if caller.lacks_reason(item, access_reason):
            return Status(422, NO_REASON)
        caller.record_view(item, access_reason, now)
        row = queries.load_row(item_id, by=caller.reader, now=now)
        flags, comments = list(flags_on([item_id])), list(comments_on([item_id]))
    return ascii_json(item_values(item, row, flags, comments))
