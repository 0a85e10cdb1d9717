"""Views of the queue: the list, its search, and taking the next item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sessions import OF_WORK
from reviewers.ledger.events import Action
from reviewers.review import wording
from reviewers.review.forms import FilterForm, SearchForm, ViewForm
from reviewers.review.masking.masks import mask_key
from reviewers.review.models import QueueItem, SavedView, State
from reviewers.review.plans.queries import PlanChoice, choices_of
from reviewers.review.queue import actions, counts, filters, queries, saved_views
from reviewers.review.queue.filters import NOT_GIVEN, FilterWords, chips_of
from reviewers.review.queue.order import ORDERS, Order
from reviewers.review.visibility import viewer_of
from reviewers.snapshots.field_labels import section_label
from reviewers.snapshots.lists import keep_words, kept_words, record_list
from reviewers.web.models import read_uuid

SEARCHES, CLIENTS = f"{OF_WORK}searches", f"{OF_WORK}clients"
"""The session keys of searches for words, and of those for all answers for one client."""
LIST = f"{OF_WORK}list"
"""The session key of the query of the list that the member works through."""

_LONGEST_QUERY = 8_000
_FILTER_KEYS = ("state", "plan", *filters.FACET_KINDS, "since", "until", "flagged", "unsupported", "signed", "search", "order")
_STATES = (
    (State.TO_DO.value, "To do"),
    (filters.HELD, "Being reviewed"),
    (State.SKIPPED.value, "Skipped"),
    (State.SUBMITTED.value, "Submitted"),
)

_TO_DO = ("", f"state={State.TO_DO.value}")
"""The queries of what is to do, the list that every member begins with."""
_ALL = f"state={filters.ALL}"

_TITLES = {
    "guardrail": "Guardrail",
    "validity": "Validity",
    "issue": "Citations of documents",
    "answer": "Answer",
    "source": "Source of attribution",
    "section": "Section",
    "model": "Model",
    "prompt": "Prompt",
}
"""The kinds of facets in words, in the order of the page."""

_SPOKEN = {
    "guardrail": wording.GUARDRAILS,
    "source": wording.SOURCES,
    "validity": wording.VALIDITIES,
    "issue": wording.ISSUES,
    "answer": wording.ANSWERS,
}


@require_GET
@requires(Permission.READ_ITEMS)
def show(request: MemberRequest) -> HttpResponse:
    """Show the list. This is an audit event, because the list shows the first words of answers."""
    now = timezone.now()
    query = _remember(request, request.GET)
    chosen = read_filter(request, request.GET)
    items = filters.in_states(matching(request, chosen), chosen.states, now)
    with transaction.atomic():
        options, states, today = counts.count_options(request.member, chosen, now)
        place = {name: request.GET.get(name, "") for name in ("after", "before")}
        counted = counts.count_of(chosen, states)
        page = queries.load_page(items, by=queries.reader_of(request.member), now=now, count=counted, order=chosen.order, **place)
        _record_view(request, chosen, page)
    plans = choices_of(request.member.organisation, chosen.plans)
    context = {
        "page": page,
        "chosen": chosen,
        "states": [
            (value, title, None if value == filters.HELD else states.get(value, 0), value in chosen.states and not chosen.is_of_all_states)
            for value, title in _STATES
        ],
        "chips": chips_of(chosen, request.GET.get("search", ""), _words_of(plans)),
        "options": _options(_told(options, request.member)),
        "plans": plans,
        "signed": [(value, title, value in chosen.signed) for value, title in filters.CHOICES],
        "counts": states,
        "today": today,
        "conflicts": sum(plan.conflicted for plan in plans),
        "query": query,
        "is_default": query in _TO_DO,
        "views": _views(request, _savable(query), now),
        "is_all": query == _ALL,
        "orders": [(words, _ordered(query, order), order is chosen.order) for order, words in ORDERS.items()],
        "nothing": "nothing" in request.GET,
    }
    return render(request, "review/queue.html", context)


@require_POST
@requires(Permission.SEARCH_NAMES)
def search(request: MemberRequest) -> HttpResponse:
    """Keep the words of a search in the session and redirect to the list. The address contains only the number of the search."""
    form = SearchForm(request.POST)
    query = QueryDict(request.POST.get("query", ""), mutable=True)
    query.pop("search", None)
    words_sought = form.cleaned_data["words"] if form.is_valid() else ""
    if words_sought:
        query["search"] = keep_words(request, SEARCHES, words_sought)
    return redirect(reverse("queue") + (f"?{query.urlencode()}" if query else ""))


@require_POST
@requires(Permission.LABEL_ITEMS)
def take_next(request: MemberRequest) -> HttpResponse:
    """Take the next item of the list on the page, or, from an item's page, of the list that was last shown."""
    if "query" in request.POST:
        _remember(request, QueryDict(request.POST["query"]))
    return lead_to_next(request)


@require_POST
@requires(Permission.READ_ITEMS)
def save_view(request: MemberRequest) -> HttpResponse:
    """Save the filters of the list under a name."""
    query = _savable(_query(QueryDict(request.POST.get("query", ""))))
    return _attempt(request, "The view is saved.", saved_views.save_view, query=query, **_terms_of(request))


@require_POST
@requires(Permission.READ_ITEMS)
def change_view(request: MemberRequest, view_id: UUID) -> HttpResponse:
    """Give a view another name, or say who has it."""
    return _attempt(request, "The view is changed.", saved_views.change_view, view_id=view_id, **_terms_of(request))


@require_POST
@requires(Permission.READ_ITEMS)
def remove_view(request: MemberRequest, view_id: UUID) -> HttpResponse:
    """Remove a view. The list stays as it is filtered."""
    return _attempt(request, "The view is removed.", saved_views.remove_view, view_id=view_id)


def _attempt(request: MemberRequest, done: str, act: Callable[..., SavedView], **given: Any) -> HttpResponse:
    """Act on a view and lead back to the list, which says what came of it."""
    try:
        act(**given, by=request.member, now=timezone.now())
    except Refused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, done)
    return redirect(list_address(request))


def _terms_of(request: MemberRequest) -> dict[str, Any]:
    """Return the name of a view, which is empty if it is not valid, and whether it is shared."""
    form = ViewForm(request.POST)
    form.is_valid()
    return {"name": form.cleaned_data.get("name", ""), "is_shared": form.cleaned_data.get("shared", False)}


def _savable(query: str) -> str:
    """Return a query without the number of a search, whose words are not part of a view."""
    kept = QueryDict(query, mutable=True)
    kept.pop("search", None)
    return kept.urlencode()


def lead_to_next(request: MemberRequest) -> HttpResponseRedirect:
    """Take the next item of the list that was last shown and redirect to it, or to that list if nothing is left."""
    taken = actions.take_next(chosen=remembered_filter(request), by=request.member, now=timezone.now())
    return redirect("item", taken) if taken else redirect(list_address(request, nothing="1"))


def matching(request: MemberRequest, chosen: filters.Filter) -> QuerySet[QueueItem]:
    """Return the items that match a filter, as far as the member may see them."""
    return filters.visible_to(filters.matching(request.member.organisation, chosen), chosen, viewer_of(request.member))


def list_address(request: HttpRequest, **more: str) -> str:
    """Return the address of the list that was last shown."""
    query = QueryDict(request.session.get(LIST, ""), mutable=True)
    query.update(more)
    return reverse("queue") + (f"?{query.urlencode()}" if query else "")


def remembered_filter(request: MemberRequest) -> filters.Filter:
    """Return the filter of the list that was last shown."""
    return read_filter(request, QueryDict(request.session.get(LIST, "")))


def read_filter(request: MemberRequest, data: QueryDict) -> filters.Filter:
    """Return the filter in an address or a form.

    Without a state the list shows items that are to do, and all of them with ``all`` alone: the form always sends that, so unticking
    every state shows all. A filter by signatures or by what is not in the record includes submitted items.
    """
    form = FilterForm(data)
    signed = frozenset(data.getlist("signed")) & {value for value, _ in filters.CHOICES}
    asked = frozenset(data.getlist("state"))
    otherwise = filters.ALL_STATES if filters.ALL in asked else frozenset({State.TO_DO.value})
    number = data.get("search", "")
    client = kept_words(request, CLIENTS, number)
    states = asked & {value for value, _ in _STATES} or otherwise
    return filters.Filter(
        states=states | {State.SUBMITTED.value} if signed or form.value("unsupported") else states,
        facets={kind: found for kind in filters.FACET_KINDS if (found := _values_of(request, kind, data))},
        since=form.value("since"),
        until=form.value("until"),
        words=client or kept_words(request, SEARCHES, number),
        is_client=bool(client),
        is_flagged=bool(form.value("flagged")),
        is_unsupported=bool(form.value("unsupported")),
        plans=frozenset(plan for value in data.getlist("plan") if (plan := read_uuid(value))),
        signed=signed,
        order=_order_in(data),
    )


def _order_in(data: QueryDict) -> Order:
    """Return the order in an address."""
    order = data.get("order", "")
    return Order(order) if order in ORDERS else Order.OLDEST


def _values_of(request: MemberRequest, kind: str, data: QueryDict) -> frozenset[str]:
    """Return the values of a facet that the member may filter by. Whether a masked name of a section occurs is not told."""
    found = frozenset(data.getlist(kind))
    return frozenset(each for each in found if mask_key(each) == each) if kind == "section" and request.member.is_external else found


@dataclass(frozen=True, slots=True)
class ViewTab:
    """A saved view above the list. ``count`` is the number of answers that it leaves in words, with a plus if there may be more."""

    view: saved_views.ShownView
    is_open: bool
    count: str


def _views(request: MemberRequest, query: str, now: datetime) -> list[ViewTab]:
    """Return the saved views, of which one may be open."""
    views = saved_views.list_views(request.member)
    chosen = [read_filter(request, QueryDict(view.query)) for view in views]
    found = counts.count_each(request.member.organisation, chosen, viewer_of(request.member), now)
    return [ViewTab(view, view.query == query, f"{each.number:,}{'+' * each.is_more}") for view, each in zip(views, found, strict=True)]


def _ordered(query: str, order: Order) -> str:
    """Return the query of the list in another order."""
    data = QueryDict(query, mutable=True)
    data["order"] = order.value
    return _query(data)


def _record_view(request: MemberRequest, chosen: filters.Filter, page: queries.QueuePage) -> None:
    """Record the items whose first words were shown, and the names of the filters."""
    record_list(request, Action.QUEUE_SEARCHED if chosen.words else Action.QUEUE_VIEWED, *queries.shown_of(chosen, page))


def _told(options: dict[str, list[counts.FilterOption]], member: Membership) -> dict[str, list[counts.FilterOption]]:
    """Return the filter options without names of sections that are data, which are masked for external members."""
    if not member.is_external:
        return options
    return options | {"section": [each for each in options["section"] if mask_key(each.value) == each.value]}


def _options(options: dict[str, list[counts.FilterOption]]) -> list[tuple[str, str, list[tuple[counts.FilterOption, str]]]]:
    """Return the filters in the order of the page: name, title, and values with their words."""
    return [
        (kind, title, [(option, _spoken(kind, option.value)) for option in options[kind]])
        for kind, title in _TITLES.items()
        if options[kind]
    ]


def _spoken(kind: str, value: str) -> str:
    words = section_label(value) if kind == "section" else _SPOKEN.get(kind, {}).get(value, value)
    return words or NOT_GIVEN


def _words_of(plans: Sequence[PlanChoice]) -> FilterWords:
    return FilterWords(dict(_STATES), _TITLES, _spoken, {plan.id: plan.name for plan in plans}, dict(filters.CHOICES))


def _remember(request: HttpRequest, data: QueryDict) -> str:
    """Keep the list in the session, so that the next item is that of this list, and return its query.

    The session is saved only if the query has changed.
    """
    query = _query(data)
    if query != request.session.get(LIST, "") and len(query) <= _LONGEST_QUERY:
        request.session[LIST] = query
    return query


def _query(data: QueryDict) -> str:
    """Return the filter of an address, without its page and other parameters."""
    kept = QueryDict(mutable=True)
    for key in data:
        if key in _FILTER_KEYS and (data[key] or key not in ("since", "until")):
            kept.setlist(key, data.getlist(key))
    if _order_in(kept) is Order.OLDEST:
        kept.pop("order", None)
    states = [value for value in kept.getlist("state") if value != filters.ALL]
    if states:
        kept.setlist("state", states)
    return kept.urlencode()
