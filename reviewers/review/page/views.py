"""Views of an item's page, its parts, its frozen record and its receipt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from attribution import DocumentAttribution
from reviewers.accounts.audit import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.texts import Text
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.events import Action, Event
from reviewers.ledger.receipts import find_milestone
from reviewers.ledger.views import as_file
from reviewers.review.citation_search import find_search, search_status
from reviewers.review.items import ReviewItem
from reviewers.review.judged_support import support_status
from reviewers.review.masking.access import can_reveal, opened, require_reason, revealed
from reviewers.review.models import QueueItem, State
from reviewers.review.page.conversation import ConversationTurn, load_conversation, load_turns_before
from reviewers.review.page.loader import build_contents, build_state, documents_shown
from reviewers.review.page.rows import unfound_rows
from reviewers.review.page.source_rows import Extent, folded_sources
from reviewers.review.page.sources import Segment, passage_at, text_at
from reviewers.review.queries import load_item
from reviewers.review.queue import counts, filters, queries
from reviewers.review.queue.views import CLIENTS, list_address, matching, remembered_filter
from reviewers.review.signing.queries import build_signatures
from reviewers.review.talk.comments import comments_on, visible_comments
from reviewers.review.talk.flags import flags_on
from reviewers.review.visibility import hides_engine_from, hides_work_from, sees_talk, viewer_of
from reviewers.snapshots.lists import keep_words
from reviewers.web.http.responses import is_fragment, local_url, redirect_window, retargeted

BLIND_RECORD = (
    "This answer is under blind review. Its original record holds the markers by which the model says what it used: "
    "it is shown once you have submitted your review."
)
REPEATED_RECORD = (
    "You review another turn blind that may be of this conversation, and this original record may repeat it with the markers by which the "
    "model says what it used: it is shown once you have submitted that review."
)


AFTER_LABEL, STAY = "after_label", "stay"
"""The cookie of a reviewer who does not want a label to move on to the next row, and its value."""


@require_POST
@requires(Permission.LABEL_ITEMS)
def move_on(request: MemberRequest) -> HttpResponse:
    """Keep in the browser whether a label moves on to the next row without one."""
    response = HttpResponse(status=204) if is_fragment(request) else redirect(local_url(request, request.POST.get("next", "")) or "queue")
    if request.POST.get("moves_on"):
        response.delete_cookie(AFTER_LABEL, samesite="Lax")
    else:
        year = timedelta(days=365)
        response.set_cookie(AFTER_LABEL, STAY, max_age=year, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response


@require_GET
@requires(Permission.READ_ITEMS)
def item(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the review page. Opening it is an audit event."""
    return render_page(request, item_id)


@require_GET
@requires(Permission.READ_ITEMS)
def unfound(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the rows that were not found, as a fragment of the page. Reading them is an audit event."""
    if asked := require_reason(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        record_view(request, Action.SNAPSHOT_VIEWED, found)
    context = {"page": build_state(found, by=request.member, now=timezone.now()), "unfound": unfound_rows(found)}
    return render(request, "review/fragments/unfound.html", context)


@require_GET
@requires(Permission.READ_ITEMS)
def frozen_record(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Return the frozen input byte for byte. Reading it is an audit event."""
    if asked := require_reason(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id)
        if found.is_blind:
            raise PermissionDenied(BLIND_RECORD)
        if found.repeats_hidden:
            raise PermissionDenied(REPEATED_RECORD)
        if can_reveal(request, item_id):
            raise PermissionDenied("The original record has every text of this answer. Reveal all of it on its page first.")
        record_view(request, Action.RECORD_VIEWED, found)
    response = HttpResponse(bytes(found.row.snapshot.record), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{found.id}.json"'
    return response


@require_GET
@requires(Permission.READ_ITEMS)
def citation_search(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the status of the citation search, as a fragment without any word of the item."""
    search = search_status(find_search(request.member, item_id), timezone.now())
    is_hidden = QueueItem.objects.filter(hides_engine_from(viewer_of(request.member)), pk=item_id).exists()
    if search is None or is_hidden or not is_fragment(request):
        return redirect("item", item_id)
    return render(request, "review/fragments/search.html", {"search": search, "item_id": item_id})


@require_GET
@requires(Permission.READ_ITEMS)
def conversation(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the turns of the item's conversation. Reading each of them is an audit event."""
    if asked := require_reason(request, item_id):
        return asked
    place = {name: request.GET.get(name, "") for name in ("before", "after")}
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        page = load_conversation(found, by=request.member, opened=partial(opened, request), **place)
        record_all(_read(request, page.turns))
    context = {"page": page, "item": found, "is_blind": found.is_blind}
    return render(request, "review/conversation.html", context)


@require_GET
@requires(Permission.READ_ITEMS)
def client(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show all answers for the item's client in the queue. The address of the list holds a number instead of their reference."""
    if asked := require_reason(request, item_id):
        return asked
    found = load_item(request.member, item_id, shown=revealed(request, item_id))
    reference = found.row.snapshot.client_reference
    if not may(request.member, Permission.SEARCH_NAMES) or Text.REFERENCES in found.hidden:
        raise PermissionDenied
    if not reference:
        return redirect("item", item_id)
    return redirect(f"{reverse('queue')}?state={filters.ALL}&search={keep_words(request, CLIENTS, reference)}")


@require_GET
@requires(Permission.READ_ITEMS)
def neighbour(request: MemberRequest, item_id: UUID, direction: str) -> HttpResponse:
    """Redirect to the previous or next item of the list that was last shown, or to that list if there is none.

    The previous item of a to-do list includes what was just submitted, because one may want to read it again.
    """
    found = load_item(request.member, item_id)
    chosen = remembered_filter(request)
    states = chosen.states if chosen.states.isdisjoint({State.TO_DO.value, filters.HELD}) else frozenset()
    items = filters.in_states(matching(request, chosen), states, timezone.now())
    other = queries.neighbour(items, found.row, chosen.order, is_blind=found.is_blind, forwards=direction == "next")
    return redirect("item", other) if other else redirect(list_address(request))


@require_GET
@requires(Permission.READ_ITEMS)
def sources(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the sources that are folded on the page, as a fragment of it. Reading them is an audit event."""
    if asked := require_reason(request, item_id):
        return asked
    found, documents = _open(request, item_id)
    context = {"sources": folded_sources(documents) if documents else (), "page": {"id": item_id, "plan": found}}
    return render(request, "review/fragments/sources.html", context)


@require_GET
@requires(Permission.READ_ITEMS)
def passage(request: MemberRequest, item_id: UUID, ordinal: int, place: int) -> HttpResponse:
    """Show the passage of a source for a citation, as a fragment of the page. Reading it is an audit event."""
    if asked := require_reason(request, item_id):
        return asked
    found, documents = _open(request, item_id)
    if documents is None:
        passage: Sequence[Segment] = ()
    else:
        passage = [(text_at(documents, place), "")] if found.is_blind else passage_at(documents, ordinal, place)
    return render(request, "review/fragments/passage.html", {"passage": passage})


@require_GET
@requires(Permission.READ_ITEMS)
def receipt(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Return the receipt for the submission of the review, or for the freezing if it is not submitted.

    In a blind review the receipt does not reveal that others have submitted or signed.
    """
    is_hidden = QueueItem.objects.filter(hides_work_from(viewer_of(request.member)), pk=item_id).exists()
    found = find_milestone(request.member.organisation_id, item_id, [request.member.user_id] if is_hidden else None)
    if found is None:
        raise Http404
    return as_file(request, found)


def render_page(request: MemberRequest, item_id: UUID, *, notice: str = "", status: int = 200) -> HttpResponse:
    """Return the whole page. Opening it is an audit event; ``notice`` says why an action was refused."""
    if asked := require_reason(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        earlier = load_turns_before(found, by=request.member, opened=partial(opened, request))
        record_all([_viewed(request, Action.SNAPSHOT_VIEWED, found.id, found.row.attribution_id), *_read(request, earlier.turns)])
        flags = list(flags_on([found.id]))
        comments = list(comments_on([found.id]))
    now = timezone.now()
    context = {
        "page": build_state(found, by=request.member, now=now),
        "contents": build_contents(found, flags, _extent(request)),
        "comments": visible_comments(found, comments),
        "hides_comments": not sees_talk(found.viewer, found.review_status),
        "earlier": earlier,
        "search": None if found.is_blind else search_status(found.search, now),
        "support": None if found.is_blind else support_status(found, request.member.organisation),
        "signatures": build_signatures(found, request.member),
        "unfound": unfound_rows(found) if request.GET.get("unfound") else None,
        "today": counts.count_today(request.member, now),
        "notice": notice,
        "list": list_address(request),
        "moves_on": request.COOKIES.get(AFTER_LABEL) != STAY,
    }
    return render(request, "review/item.html", context, status=status)


def _extent(request: MemberRequest) -> Extent:
    """Return how much of the documents and of the rows the address asks for."""
    asked = request.GET.get
    return Extent(asked("citations") == "all", asked("sources") == "all", asked("rows") == "all")


def record_view(request: MemberRequest, action: Action, found: ReviewItem) -> None:
    """Record that the member was shown an item or a part of it."""
    record(_viewed(request, action, found.id, found.row.attribution_id))


def _viewed(request: MemberRequest, action: Action, item_id: UUID, attribution_id: UUID) -> Event:
    """Return the event that the member was shown an answer."""
    details = {"attribution": str(attribution_id)}
    return Event(action, request.member.organisation_id, user_actor(request.member.user_id), timezone.now(), "snapshot", item_id, details)


def _read(request: MemberRequest, turns: Iterable[ConversationTurn]) -> list[Event]:
    """Return the events that the member read turns of a conversation, apart from those whose texts were not shown."""
    return [_viewed(request, Action.TURN_VIEWED, each.id, each.attribution_id) for each in turns if not each.is_closed]


def attempt(request: MemberRequest, item_id: UUID, write: Callable[[], Any]) -> HttpResponse:
    """Call ``write`` and show its result.

    A refusal is shown with its reason: status 409 if the state does not allow the action, 422 if something is missing.
    """
    try:
        answer = write()
    except Refused as refusal:
        if is_fragment(request):
            return retargeted(render(request, "review/fragments/notice.html", {"notice": str(refusal)}, status=refusal.status), "#notice")
        return render_page(request, item_id, notice=str(refusal), status=refusal.status)
    if isinstance(answer, HttpResponse) and not isinstance(answer, HttpResponseRedirect):
        return answer
    return redirect_window(request, answer.url if isinstance(answer, HttpResponseRedirect) else reverse("item", args=[item_id]))


def _open(request: MemberRequest, item_id: UUID) -> tuple[ReviewItem, DocumentAttribution | None]:
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        record_view(request, Action.SNAPSHOT_VIEWED, found)
    return found, documents_shown(found)
