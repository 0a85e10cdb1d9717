"""Where an organisation wants it, whoever opens a record that is not theirs to work on says why first."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.models import State
from reviewers.web.htmx import is_fragment, led_away, page_of
from reviewers.web.redirects import own_address

_KEPT_IN = "explained"
_MOST_KEPT = 200

KINDS = (
    ("second look", "A second look at a review"),
    ("question", "A question about this answer"),
    ("complaint", "A complaint or an incident"),
    ("audit", "An audit"),
    ("other", "Something else"),
)


class ReasonForm(forms.Form):
    """Why a record is opened."""

    kind = forms.ChoiceField(choices=KINDS, label="Why do you open it?")
    reason = forms.CharField(max_length=500, label="In a few words")


def ask_first(request: MemberRequest, item_id: UUID, explained_at: str = "explain") -> HttpResponse | None:
    """The page that asks why, where that is wanted of this person for this item; nothing of the item is on it.

    ``explained_at`` names the address that takes the answer: those who may read one page may not all read another.
    """
    if not request.member.organisation.asks_why or str(item_id) in request.session.get(_KEPT_IN, []):
        return None
    if is_own(request, load_item(request.member, item_id)):
        return None
    if is_fragment(request):
        return led_away(request, page_of(request))
    leads_to = request.get_full_path() if request.method == "GET" else ""
    return _render(request, item_id, ReasonForm(), leads_to, explained_at)


def is_own(request: MemberRequest, item: Item) -> bool:
    """Whether an item is somebody's to work on: to do and held by nobody else, or finished by themselves."""
    member, now = request.member, timezone.now()
    if not may(member, Permission.LABEL_ITEMS):
        return False
    if item.is_submitted:
        return item.own_review is not None
    return item.row.state == State.TO_DO and item.standing.in_the_way(member.user_id, now) is None


@require_POST
@requires(Permission.READ_ITEMS)
def explain(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Write down why, and open the record, in this session without asking again."""
    return write_down(request, item_id, "explain", "item")


def write_down(request: MemberRequest, item_id: UUID, explained_at: str, opens: str) -> HttpResponse:
    """The same at any such address; ``opens`` names the page that is led to where no other was asked for."""
    found, form, leads_to = load_item(request.member, item_id), ReasonForm(request.POST), request.POST.get("next", "")
    if not form.is_valid():
        return _render(request, item_id, form, leads_to, explained_at, status=422)
    _record(request, found, form.cleaned_data["kind"], form.cleaned_data["reason"])
    request.session[_KEPT_IN] = [*request.session.get(_KEPT_IN, []), str(item_id)][-_MOST_KEPT:]
    address = own_address(request, leads_to)
    return redirect(address) if address else redirect(opens, item_id)


@transaction.atomic
def _record(request: MemberRequest, found: Item, kind: str, reason: str) -> None:
    """The kind is told; the words may be protected text, so they are committed to and kept beside."""
    event = Event(
        action=Action.ACCESS_EXPLAINED,
        organisation_id=request.member.organisation_id,
        by=user_actor(request.member.user_id),
        at=timezone.now(),
        object_type="snapshot",
        object_id=found.id,
        details={"kind": kind},
        parts=[("reason", reason.encode())],
        kept=frozenset({"reason"}),
    )
    record(event)


def _render(
    request: MemberRequest, item_id: UUID, form: ReasonForm, leads_to: str, explained_at: str, *, status: int = 200
) -> HttpResponse:
    context = {"item_id": item_id, "form": form, "leads_to": leads_to, "explained_at": explained_at}
    return render(request, "review/why.html", context, status=status)
