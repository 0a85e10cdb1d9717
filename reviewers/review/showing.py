"""An item's page, and the event of showing it."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.permissions import MemberRequest
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review import queue
from reviewers.review.afterwards import search_line
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.masking.reveals import revealed
from reviewers.review.models import Flag
from reviewers.review.page import build_contents
from reviewers.review.page_rows import unfound_rows
from reviewers.review.page_state import build_state
from reviewers.review.queue_views import list_address
from reviewers.review.reasons import ask_first
from reviewers.review.signing.shown import build_signatures
from reviewers.review.source_rows import Extent


def render_page(request: MemberRequest, item_id: UUID, *, notice: str = "", status: int = 200) -> HttpResponse:
    """The whole page. Opening it is an audit event; ``notice`` says why something was not done."""
    if asked := ask_first(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        record_view(request, Action.SNAPSHOT_VIEWED, found)
        flags = list(Flag.objects.filter(snapshot=found.id).select_related("reviewer").order_by("id"))
    now = timezone.now()
    context = {
        "page": build_state(found, by=request.member, now=now),
        "contents": build_contents(found, flags, _extent(request)),
        "search": None if found.is_blind else search_line(found.search, now),
        "signatures": build_signatures(found, request.member),
        "unfound": unfound_rows(found) if request.GET.get("unfound") else None,
        "today": queue.count_today(request.member, now),
        "notice": notice,
        "list": list_address(request),
    }
    return render(request, "review/item.html", context, status=status)


def _extent(request: MemberRequest) -> Extent:
    """How much of the documents is asked for by the address."""
    return Extent(all_citations=request.GET.get("citations") == "all", everything=request.GET.get("sources") == "all")


def record_view(request: MemberRequest, action: Action, found: Item) -> None:
    """That somebody was shown an item, or a part of it."""
    details = {"attribution": str(found.row.attribution_id)}
    record(Event(action, request.member.organisation_id, user_actor(request.member.user_id), timezone.now(), "snapshot", found.id, details))
