"""The review page and what is done on it.

Each write answers an htmx request with the fragment that changed, and a plain form with a redirect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review import actions, filtering, queue
from reviewers.review.afterwards import search_line
from reviewers.review.authoring import RowChoice
from reviewers.review.forms import CitationForm, FlagForm, LabelForm, NoteForm, RowForm, SkipForm
from reviewers.review.fragments import render_row, render_undone
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.masking.reveals import can_reveal, revealed
from reviewers.review.models import Flag, State
from reviewers.review.page import build_contents
from reviewers.review.page_rows import unfound_rows
from reviewers.review.page_state import build_state
from reviewers.review.policies import Invalid, Refused
from reviewers.review.queue_views import lead_to_next, list_address, matching, remembered_filter
from reviewers.review.reasons import ask_first
from reviewers.review.searching_again import find_search, search_again
from reviewers.review.signing.shown import build_signatures
from reviewers.review.source_rows import Extent
from reviewers.web.htmx import is_fragment, led_away, retargeted


@require_GET
@requires(Permission.READ_ITEMS)
def item(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """The review page. Opening it is an audit event."""
    return _render_page(request, item_id)


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
    if search is None or not is_fragment(request):
        return redirect("item", item_id)
    return render(request, "review/search.html", {"search": search, "page": {"id": item_id}, "is_swap": True})


@require_POST
@requires(Permission.SEARCH_AGAIN)
def look_again(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Look for citations once more."""
    return attempt(request, item_id, lambda: search_again(item_id=item_id, by=request.member, now=timezone.now()))


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


@require_POST
@requires(Permission.LABEL_ITEMS)
def take(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take this item."""
    return attempt(request, item_id, lambda: actions.take(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def let_go(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Let this item go."""
    actions.let_go(item_id=item_id, by=request.member, now=timezone.now())
    return redirect(list_address(request))


@require_POST
@requires(Permission.LABEL_ITEMS)
def renew(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Keep hold of an item whose page is open; says how it stands."""

    def renewed() -> HttpResponse:
        now = timezone.now()
        found = actions.take(item_id=item_id, by=request.member, now=now)
        return render(request, "review/item.html#lease", {"page": build_state(found, by=request.member, now=now)})

    return attempt(request, item_id, renewed)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Give a row a verdict."""
    form = LabelForm(request.POST)

    def save() -> HttpResponse:
        choice = choice_of(item_id, form, "row")
        saved = actions.save_label(choice=choice, verdict=form.cleaned_data["verdict"], by=request.member, now=timezone.now())
        return render_row(request, saved, choice.number)

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def note(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a note to a row."""
    form = NoteForm(request.POST)

    def save() -> HttpResponse:
        choice = choice_of(item_id, form, "row")
        saved = actions.save_note(choice=choice, note=form.cleaned_data["note"], by=request.member, now=timezone.now())
        return render_row(request, saved, choice.number)

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label_remaining(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Call all found rows without a verdict correct."""
    return attempt(request, item_id, lambda: actions.label_remaining(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def undo(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take the last action back."""

    def take_back() -> HttpResponse | None:
        undone = actions.undo(item_id=item_id, by=request.member, now=timezone.now())
        if not undone.is_anything:
            raise Refused("There is nothing to undo.")
        return render_undone(request, undone)

    return attempt(request, item_id, take_back)


@require_POST
@requires(Permission.LABEL_ITEMS)
def submit(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Finish this review and take the next item."""

    def finish() -> HttpResponse:
        actions.submit(item_id=item_id, by=request.member, now=timezone.now())
        return lead_to_next(request)

    return attempt(request, item_id, finish)


@require_POST
@requires(Permission.LABEL_ITEMS)
def skip(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put this item aside and take the next one."""
    form = SkipForm(request.POST)

    def put_aside() -> HttpResponse:
        if not form.is_valid():
            raise Invalid("A reason has at most 500 characters.")
        actions.skip(item_id=item_id, reason=form.cleaned_data["reason"], by=request.member, now=timezone.now())
        return lead_to_next(request)

    return attempt(request, item_id, put_aside)


@require_POST
@requires(Permission.LABEL_ITEMS)
def flag(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a remark to a finding."""
    form = FlagForm(request.POST)

    def put() -> None:
        if not form.is_valid():
            raise Invalid("A flag needs a finding and a note of at most 2,000 characters.")
        data = form.cleaned_data
        choice = RowChoice(item_id, data["attribution"], data["finding"])
        actions.flag_finding(choice=choice, note=data["note"], by=request.member, now=timezone.now())

    return attempt(request, item_id, put)


def attempt(request: MemberRequest, item_id: UUID, write: Callable[[], Any]) -> HttpResponse:
    """Do something and show it; where it may not be done, say why: 409 if the state of things forbids it, 422 if something lacks."""
    try:
        answer = write()
    except Refused as refusal:
        status = 422 if isinstance(refusal, Invalid) else 409
        if is_fragment(request):
            return retargeted(render(request, "review/item.html#notice", {"notice": str(refusal)}, status=status), "#notice")
        return _render_page(request, item_id, notice=str(refusal), status=status)
    if isinstance(answer, HttpResponse) and not isinstance(answer, HttpResponseRedirect):
        return answer
    return led_away(request, answer.url if isinstance(answer, HttpResponseRedirect) else reverse("item", args=[item_id]))


def choice_of(item_id: UUID, form: RowForm | CitationForm, name: str) -> RowChoice:
    """The row, or the citation, that a form is about; ``name`` is that of the field with its number."""
    if not form.is_valid():
        raise Invalid(
            "This form is incomplete. " + " ".join(f"{field}: {' '.join(map(str, errors))}" for field, errors in form.errors.items())
        )
    return RowChoice(item_id, form.cleaned_data["attribution"], form.cleaned_data[name], form.cleaned_data["reason"])


def _render_page(request: MemberRequest, item_id: UUID, *, notice: str = "", status: int = 200) -> HttpResponse:
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
        "search": search_line(found.search, now),
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
