"""Reasons for access: for opening the record of an answer that is not one's own work, and for revealing masked text.

Both are kept in the session and recorded as audit events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.accounts.texts import Surface, Text, masked_for
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.items import ReviewItem
from reviewers.review.models import QueueItem, State
from reviewers.review.queries import load_item
from reviewers.web.http.responses import is_fragment, local_url, page_of, redirect_window

_EXPLAINED = "explained"
_REVEALED = "revealed"
_MOST_KEPT = 200
"""Session keys for the items with a reason and the text revealed of items, and the number of items kept in each."""

KINDS = (
    ("second look", "A second look at a review"),
    ("question", "A question about this answer"),
    ("complaint", "A complaint or an incident"),
    ("audit", "An audit"),
    ("other", "Something else"),
)


class OpeningReasonForm(forms.Form):
    """The reason for opening a record."""

    kind = forms.ChoiceField(choices=KINDS, label="Why do you open it?")
    reason = forms.CharField(max_length=500, label="In a few words")


def require_reason(request: MemberRequest, item_id: UUID, explained_at: str = "explain") -> HttpResponse | None:
    """Return the page that asks for a reason if the organisation requires one of this member for this item, else None.

    It shows nothing of the item. ``explained_at`` names the URL that takes the answer, because members who may read one page may not be
    allowed to read another.
    """
    if not needs_reason(request, item_id):
        return None
    if is_fragment(request):
        return redirect_window(request, page_of(request))
    leads_to = request.get_full_path() if request.method == "GET" else ""
    return _render(request, item_id, OpeningReasonForm(), leads_to, explained_at)


def needs_reason(request: MemberRequest, item_id: UUID) -> bool:
    """True if the organisation requires a reason of this member for this item, and they have given none in this session."""
    if not request.member.organisation.asks_why or str(item_id) in request.session.get(_EXPLAINED, []):
        return False
    return not is_own(request.member, load_item(request.member, item_id))


def opened(request: MemberRequest, item_id: UUID) -> frozenset[Text] | None:
    """Return the kinds of text that the member has revealed of an answer, or None if they must give a reason before they read it."""
    return None if needs_reason(request, item_id) else revealed(request, item_id)


def is_own(member: Membership, item: ReviewItem) -> bool:
    """True if the item is the member's own work: to do and held by nobody else, or submitted by themselves."""
    now = timezone.now()
    if not may(member, Permission.LABEL_ITEMS):
        return False
    if item.is_submitted:
        return item.own_review is not None
    return item.row.state == State.TO_DO and item.review_status.in_the_way(member.user_id, now) is None


@require_POST
@requires(Permission.READ_ITEMS)
def explain(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Record the reason, and open the record. It is not asked for again in this session."""
    return write_down(request, item_id, "explain", "item")


def write_down(request: MemberRequest, item_id: UUID, explained_at: str, opens: str) -> HttpResponse:
    """Record the reason given at the URL ``explained_at``. Redirects to the page that was requested, or to ``opens`` if there was none."""
    found, form, leads_to = load_item(request.member, item_id), OpeningReasonForm(request.POST), request.POST.get("next", "")
    if not form.is_valid():
        return _render(request, item_id, form, leads_to, explained_at, status=422)
    _record(request, Action.ACCESS_EXPLAINED, found.id, {"kind": form.cleaned_data["kind"]}, form.cleaned_data["reason"])
    request.session[_EXPLAINED] = [*request.session.get(_EXPLAINED, []), str(item_id)][-_MOST_KEPT:]
    address = local_url(request, leads_to)
    return redirect(address) if address else redirect(opens, item_id)


@transaction.atomic
def _record(request: MemberRequest, action: Action, item_id: UUID, details: dict[str, Any], reason: str) -> None:
    """Record a reason. The event only commits to its words, which may be protected text."""
    event = Event(
        action=action,
        organisation_id=request.member.organisation_id,
        by=user_actor(request.member.user_id),
        at=timezone.now(),
        object_type="snapshot",
        object_id=item_id,
        details=details,
        parts=[("reason", reason.encode())],
        kept=frozenset({"reason"}),
    )
    record(event)


def _render(
    request: MemberRequest, item_id: UUID, form: OpeningReasonForm, leads_to: str, explained_at: str, *, status: int = 200
) -> HttpResponse:
    context = {"item_id": item_id, "form": form, "leads_to": leads_to, "explained_at": explained_at}
    return render(request, "review/why.html", context, status=status)


# Revealing masked text.

ALL = "all"


class RevealForm(forms.Form):
    """The text of an answer to reveal, and the reason."""

    text = forms.ChoiceField(choices=[(text.name, text.value) for text in Text] + [(ALL, ALL)])
    reason = forms.CharField(max_length=500)

    def texts(self) -> frozenset[Text]:
        """Return the kinds of text that were chosen."""
        chosen = self.cleaned_data["text"]
        return frozenset(Text) if chosen == ALL else frozenset({Text[chosen]})


def choices_for(hidden: frozenset[Text]) -> Sequence[tuple[str, str]]:
    """Return what can be revealed of an answer now, in words."""
    parts = [(text.name, text.value) for text in Text if text in hidden]
    return [*parts, (ALL, "all of it")] if len(parts) > 1 else parts


def revealed(request: MemberRequest, item_id: UUID) -> frozenset[Text]:
    """Return the kinds of text that the member has revealed of an answer in this session."""
    names = request.session.get(_REVEALED, {}).get(str(item_id), ()) if request.member.is_external else ()
    return frozenset(Text[name] for name in names if name in Text.__members__)


def can_reveal(request: MemberRequest, item_id: UUID) -> frozenset[Text]:
    """Return the kinds of text that are masked on the answer's page for the member."""
    return masked_for(request.member, Surface.ITEM) - revealed(request, item_id)


@transaction.atomic
def reveal(request: MemberRequest, item_id: UUID, texts: frozenset[Text], reason: str) -> None:
    """Reveal text for the rest of the session.

    The event names the kinds of text and only commits to the reason, which may be protected text.
    """
    _record(request, Action.TEXT_REVEALED, item_id, {"texts": sorted(text.name.lower() for text in texts)}, reason)
    kept = dict(list(request.session.get(_REVEALED, {}).items())[-_MOST_KEPT + 1 :])
    names = {*kept.pop(str(item_id), ()), *(text.name for text in texts)}
    request.session[_REVEALED] = kept | {str(item_id): sorted(names)}


@require_POST
@requires(Permission.REVEAL)
def reveal_text(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Reveal one kind of an answer's text, or all of it, with a reason."""
    get_object_or_404(QueueItem.objects.only("pk"), organisation=request.member.organisation_id, pk=item_id)
    leads_to = local_url(request, request.POST.get("next", ""))
    answer = redirect(leads_to) if leads_to else redirect("item", item_id)
    form = RevealForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was revealed: choose a text and say why.")
        return answer
    texts = form.texts() & can_reveal(request, item_id)
    if texts:
        reveal(request, item_id, texts, form.cleaned_data["reason"])
    return answer
