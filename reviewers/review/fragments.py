"""What comes back of the page when something on it was labelled: with htmx the part that changed, else the way back to it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from reviewers.accounts.permissions import MemberRequest
from reviewers.review.actions import Undone
from reviewers.review.citation_page import build_judged
from reviewers.review.items import Item
from reviewers.review.page_rows import build_row
from reviewers.review.page_state import build_state
from reviewers.review.signing.shown import build_signatures
from reviewers.web.htmx import is_fragment, retargeted


def render_row(request: MemberRequest, saved: Item, number: int) -> HttpResponse:
    """A row that was labelled."""
    if not is_fragment(request):
        return _back(request, saved, f"#row-{number}")
    return _render(request, saved, "saved_row", {"row": build_row(saved, number)})


def render_citation(request: MemberRequest, saved: Item, number: int) -> HttpResponse:
    """The labels of a citation: its checks and its passage stay as they are on the page."""
    if not is_fragment(request):
        return _back(request, saved, f"#citation-{number}")
    return _render(request, saved, "saved_citation", {"judged": build_judged(saved, number)})


def render_undone(request: MemberRequest, undone: Undone) -> HttpResponse | None:
    """The one row or citation that was taken back; nothing where it was not one."""
    if len(undone.rows) + len(undone.citations) != 1:
        return None
    if undone.rows:
        return retargeted(render_row(request, undone.item, undone.rows[0]), f"#row-{undone.rows[0]}")
    return retargeted(render_citation(request, undone.item, undone.citations[0]), f"#judged-{undone.citations[0]}")


def _back(request: MemberRequest, saved: Item, place: str) -> HttpResponse:
    """To the page, with open what was open on it."""
    opened = [f"{name}={value}" for name, value in (("unfound", "1"), ("citations", "all")) if request.POST.get(name)]
    return redirect(reverse("item", args=[saved.id]) + ("?" + "&".join(opened) if opened else "") + place)


def _render(request: MemberRequest, saved: Item, partial: str, values: dict[str, Any]) -> HttpResponse:
    """A label of a submitted review makes its signatures void: the page shows that at once."""
    state = build_state(saved, by=request.member, now=timezone.now())
    signatures = build_signatures(saved, request.member) if saved.is_submitted else None
    return render(request, f"review/item.html#{partial}", {"page": state, "signatures": signatures, "is_swap": True} | values)
