"""Endpoints of the API for review items."""

from __future__ import annotations

import json
from typing import Annotated, Any, cast
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router
from ninja.responses import Status

from reviewers.accounts.models import Scope
from reviewers.accounts.service_keys import KeyRequest, KeyWithScope, key_actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action
from reviewers.review.api.schemas import ItemInFull, ItemPage, ItemQuery
from reviewers.review.api.values import item_values, page_values
from reviewers.review.queries import load_item_for_program
from reviewers.review.queue import filters, queries
from reviewers.review.talk.flags import flags_on
from reviewers.snapshots.api.access import NO_REASON, AccessReason, lacks_reason, record_access
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem
from reviewers.snapshots.lists import list_event

_NO_ITEM = {"place": "item_id", "reason": "there is no such item"}
_NO_PAGE = {"place": "after", "reason": "there is no such item: take the cursor from the page before"}

router = Router(tags=["review items"])


@router.get(
    "/items",
    auth=KeyWithScope(Scope.READ),
    response={200: ItemPage, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_review_api_list_items",
    summary="List review items",
)
def list_items(request: HttpRequest, asked: Annotated[ItemQuery, Query()]) -> HttpResponse | Status[Any]:
    """Up to 25 review items that match the filters of the queue, the oldest answers first. Listing them is an audit event.

    Ask again with `after` for the next page, until it is null. A filter by what the engine found leaves out items under blind review,
    whether they match or not; so do `flagged` and `signed`. While an item is under blind review it is as a blind reviewer sees it.
    """
    key, now, chosen = cast("KeyRequest", request).auth, timezone.now(), asked.chosen()
    begin = queries.key_of_item(key.organisation_id, asked.after) if asked.after else ""
    if asked.after and not begin:
        return Status(404, _NO_PAGE)
    reader = queries.reader_of_program(key.organisation_id)
    found = filters.visible_to(filters.matching(key.organisation, chosen), chosen, reader.viewer)
    with transaction.atomic():
        page = queries.load_page(filters.in_states(found, chosen.states, now), by=reader, now=now, after=begin)
        record(list_event(Action.QUEUE_VIEWED, key.organisation_id, key_actor(key), now, *queries.shown_of(chosen, page)))
    return _as_json(page_values(page))


@router.get(
    "/items/{item_id}",
    auth=KeyWithScope(Scope.READ),
    response={200: ItemInFull, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_review_api_get_item",
    summary="Read a review item",
)
def get_item(request: HttpRequest, item_id: UUID, access_reason: AccessReason = "") -> HttpResponse | Status[Any]:
    """The answer as its page shows it: rows, sources with their citations, labels, reviews and flags. Reading it is an audit event.

    Notes and reasons that people wrote are masked for programs. While the item is under blind review it is as a blind reviewer sees it:
    without what the engine says beside its claims, and without reviews, labels and flags.
    If the organisation asks why records are opened, give the reason in `Access-Reason` in a few words; without it the answer is 422.
    """
    key, now = cast("KeyRequest", request).auth, timezone.now()
    reader = queries.reader_of_program(key.organisation_id)
    with transaction.atomic():
        try:
            item = load_item_for_program(key.organisation_id, item_id)
        except Http404:
            return Status(404, _NO_ITEM)
        if lacks_reason(key.organisation, access_reason):
            return Status(422, NO_REASON)
        details = {"attribution": str(item.row.attribution_id)}
        record_access(Action.SNAPSHOT_VIEWED, key.organisation_id, item_id, key_actor(key), now, access_reason, details)
        row = queries.load_row(item_id, by=reader, now=now)
        flags = list(flags_on([item_id]))
    return _as_json(item_values(item, row, flags))


def _as_json(value: dict[str, Any]) -> HttpResponse:
    """Return a response in ASCII: half a character may be in a text, as an escape."""
    return HttpResponse(json.dumps(value), content_type="application/json")
