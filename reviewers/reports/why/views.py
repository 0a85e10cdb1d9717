"""Views of suggestions: the list, the page of one, and several side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from attribution import canonical_bytes
from reviewers.accounts.audit import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.sessions import OF_WORK
from reviewers.accounts.texts import Surface, hidden_from
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.reports.why import queries
from reviewers.reports.why.compare import compare_suggestions
from reviewers.reports.why.search import DaysForm, NamesForm, SuggestionPage, SuggestionSearch, find_page, mask_page
from reviewers.reports.why.sheet import build_sheet
from reviewers.review.items import ReviewItem
from reviewers.review.masking.access import can_reveal, require_reason, revealed, write_down
from reviewers.snapshots.lists import keep_words, kept_words, record_list

SEARCHES = f"{OF_WORK}searches for suggestions"
_EXPLAINED_AT = "explain_why"
_KEPT = ("since", "until", "search")


@require_GET
@requires(Permission.READ_REASONS)
def suggestions(request: MemberRequest) -> HttpResponse:
    """Show the suggestions that match a search, or the latest ones. Showing them is an audit event, because they name clients."""
    form = DaysForm(request.GET)
    words = kept_words(request, SEARCHES, request.GET.get("search", ""))
    sought = SuggestionSearch(words, form.day("since"), form.day("until"))
    with transaction.atomic():
        page = find_page(request.member, sought, after=request.GET.get("after", ""), before=request.GET.get("before", ""))
        page = mask_page(page, hidden_from(request.member, Surface.SUGGESTIONS))
        _record_search(request, sought, page)
    query = _query(request.GET).urlencode()
    return render(request, "reports/suggestions.html", {"page": page, "sought": sought, "query": query})


@require_POST
@requires(Permission.SEARCH_NAMES)
def search(request: MemberRequest) -> HttpResponse:
    """Keep the words of a search in the session and redirect to its results. The URL has only its number, and the days."""
    form = NamesForm(request.POST)
    query = _query(request.POST)
    query.pop("search", None)
    words = form.cleaned_data["words"] if form.is_valid() else ""
    if words:
        query["search"] = keep_words(request, SEARCHES, words)
    return redirect(reverse("suggestions") + (f"?{query.urlencode()}" if query else ""))


@require_GET
@requires(Permission.READ_REASONS)
def why(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the page of one suggestion. Reading it is an audit event."""
    with transaction.atomic():
        item = queries.load_suggestion(request.member, item_id, Surface.WHY, revealed(request, item_id))
        if asked := require_reason(request, item_id, _EXPLAINED_AT):
            return asked
        reviews = queries.load_reviews([item]).get(item.id, ())
        hidden = hidden_from(request.member, Surface.WHY)
        beside = [replace(each, hidden=hidden - revealed(request, each.id)) for each in queries.list_beside(item.row.snapshot)]
        _record_views(request, [item])
    sheet = build_sheet(item, reviews, beside)
    if can_reveal(request, item_id) or item.repeats_hidden:
        sheet = replace(sheet, digest="")  # a question that is masked could be guessed by it, and so could markers of a turn that is blind
    context = {"sheet": sheet, "now": timezone.now(), "address": settings.ADDRESS + request.path}
    return render(request, "reports/why.html", context)


@require_GET
@requires(Permission.READ_REASONS)
def compare(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the providers that a conversation suggested side by side. Reading it is an audit event for each answer shown."""
    with transaction.atomic():
        item = queries.load_suggestion(request.member, item_id, Surface.COMPARE)
        if asked := require_reason(request, item_id, _EXPLAINED_AT):
            return asked
        chosen = queries.first_of_each(queries.list_beside(item.row.snapshot), item.row.snapshot.provider)
        items = queries.load_suggestions(request.member, chosen, Surface.COMPARE, {pk: revealed(request, pk) for pk in chosen})
        if asked := next(filter(None, (require_reason(request, each.id, _EXPLAINED_AT) for each in items)), None):
            return asked
        reviews = queries.load_reviews(items)
        _record_views(request, items)
    context = {"comparison": compare_suggestions(items, reviews), "names": item.names, "now": timezone.now()}
    return render(request, "reports/compare.html", context)


@require_POST
@requires(Permission.READ_REASONS)
def explain(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Record why the page of a suggestion is opened, if the organisation asks for a reason."""
    queries.load_suggestion(request.member, item_id, Surface.WHY)
    return write_down(request, item_id, _EXPLAINED_AT, "why")


def _query(data: QueryDict) -> QueryDict:
    """Return the search of a URL or a form, without its page."""
    kept = QueryDict(mutable=True)
    for name in _KEPT:
        if data.get(name):
            kept.setlist(name, data.getlist(name)[-1:])
    return kept


def _record_search(request: MemberRequest, sought: SuggestionSearch, page: SuggestionPage) -> None:
    """Record which suggestions were shown. The event commits to what was searched for without disclosing it."""
    parts = [("filter", canonical_bytes(sought.as_data()))] + ([("words", sought.words.encode())] if sought.words else [])
    record_list(request, Action.WHY_SEARCHED, {"shown": [str(row.id) for row in page.rows]}, parts)


def _record_views(request: MemberRequest, items: Iterable[ReviewItem]) -> None:
    by, at = user_actor(request.member.user_id), timezone.now()
    details = [(item.id, {"attribution": str(item.row.attribution_id)}) for item in items]
    record_all([Event(Action.WHY_VIEWED, request.member.organisation_id, by, at, "snapshot", pk, told) for pk, told in details])
