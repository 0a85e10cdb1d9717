"""What the review page fetches of documents when somebody looks at it: sources that nobody cites, and passages."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from attribution import DocumentAttribution
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.ledger.events import Action
from reviewers.review.cited_passages import passage_at, text_at
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.masking.reveals import revealed
from reviewers.review.page import documents_shown
from reviewers.review.passage import Segment
from reviewers.review.reasons import ask_first
from reviewers.review.showing import record_view
from reviewers.review.source_rows import folded_sources


@require_GET
@requires(Permission.READ_ITEMS)
def sources(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """The sources that are folded on the page, as a fragment of it. Reading them is an audit event."""
    if asked := ask_first(request, item_id):
        return asked
    found, documents = _open(request, item_id)
    context = {"grounding": {"sources": folded_sources(documents) if documents else ()}, "page": {"id": item_id, "plan": found}}
    return render(request, "review/sources.html#rows", context)


@require_GET
@requires(Permission.READ_ITEMS)
def passage(request: MemberRequest, item_id: UUID, ordinal: int, place: int) -> HttpResponse:
    """What a source has for a citation, as a fragment of the page. Reading it is an audit event."""
    if asked := ask_first(request, item_id):
        return asked
    found, documents = _open(request, item_id)
    if documents is None:
        passage: Sequence[Segment] = ()
    else:
        passage = [(text_at(documents, place), "")] if found.is_blind else passage_at(documents, ordinal, place)
    return render(request, "review/sources.html#passage", {"passage": passage})


def _open(request: MemberRequest, item_id: UUID) -> tuple[Item, DocumentAttribution | None]:
    with transaction.atomic():
        found = load_item(request.member, item_id, shown=revealed(request, item_id))
        record_view(request, Action.SNAPSHOT_VIEWED, found)
    return found, documents_shown(found)
