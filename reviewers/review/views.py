"""What is read of an item: its page and parts of it, its frozen record, the items beside it."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.ledger.events import Action
from reviewers.review import filtering, queue
from reviewers.review.afterwards import search_line
from reviewers.review.item_loading import load_item
from reviewers.review.masking.reveals import can_reveal, revealed
from reviewers.review.models import QueueItem, State
from reviewers.review.page_rows import unfound_rows
from reviewers.review.page_state import build_state
from reviewers.review.plans.visibility import hides_engine_from, viewer_of
from reviewers.review.queue_views import list_address, matching, remembered_filter
from reviewers.review.reasons import ask_first
from reviewers.review.searching_again import find_search
from reviewers.review.showing import record_view, render_page
from reviewers.web.htmx import is_fragment

BLIND_RECORD = (
    "This answer is under blind review. Its frozen record holds the markers by which the model says what it used: "
    "it is shown once you have submitted your review."
)


@require_GET
@requires(Permission.READ_ITEMS)
def item(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """The review page. Opening it is an audit event."""
    return render_page(request, item_id)


@require_GET
@requires(Permission.READ_ITEMS)
def unfound(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """The rows that were not found, as a fragment of the page. Reading them is an audit event."""
    if asked := ask_first(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        record_view(request, Action.SNAPSHOT_VIEWED, found)
    context = {"page": build_state(found, by=request.member, now=timezone.now()), "unfound": unfound_rows(found)}
    return render(request, "review/item.html#unfound_rows", context)


@require_GET
@requires(Permission.READ_ITEMS)
def frozen_record(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """The frozen input, byte for byte. Reading it is an audit event."""
    if asked := ask_first(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id)
        if found.is_blind:
            raise PermissionDenied(BLIND_RECORD)
        if can_reveal(request, item_id):
            raise PermissionDenied("The frozen record has every text of this answer. Reveal all of it on its page first.")
        record_view(request, Action.RECORD_VIEWED, found)
    response = HttpResponse(bytes(found.row.snapshot.record), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{found.id}.json"'
    return response


@require_GET
@requires(Permission.READ_ITEMS)
def citation_search(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """How the search for citations stands, as a fragment of the page: no word of the item is in it."""
    search = search_line(find_search(request.member, item_id), timezone.now())
    is_hidden = QueueItem.objects.filter(hides_engine_from(viewer_of(request.member)), pk=item_id).exists()
    if search is None or is_hidden or not is_fragment(request):
        return redirect("item", item_id)
    return render(request, "review/search.html", {"search": search, "page": {"id": item_id}, "is_swap": True})


@require_GET
@requires(Permission.READ_ITEMS)
def neighbour(request: MemberRequest, item_id: UUID, direction: str) -> HttpResponse:
    """The item before or behind this one in the list that was shown last; back to the list where there is none.

    In a list of what is to do, what was just finished is still the one before: one may want to look at it again.
    """
    found = load_item(request.member, item_id)
    chosen = remembered_filter(request)
    states = chosen.states if chosen.states.isdisjoint({State.TO_DO.value, filtering.HELD}) else frozenset()
    items = filtering.in_states(matching(request, chosen), states, timezone.now())
    other = queue.neighbour(items, found.row, forwards=direction == "next")
    return redirect("item", other) if other else redirect(list_address(request))
