"""Does what a form asks for, and shows what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from reviewers.accounts.permissions import MemberRequest
from reviewers.review.authoring import RowChoice
from reviewers.review.forms import CitationForm, RowForm
from reviewers.review.policies import Invalid, Refused
from reviewers.review.showing import render_page
from reviewers.web.htmx import is_fragment, led_away, retargeted


def attempt(request: MemberRequest, item_id: UUID, write: Callable[[], Any]) -> HttpResponse:
    """Do something and show it; where it may not be done, say why: 409 if the state of things forbids it, 422 if something lacks."""
    try:
        answer = write()
    except Refused as refusal:
        status = 422 if isinstance(refusal, Invalid) else 409
        if is_fragment(request):
            return retargeted(render(request, "review/item.html#notice", {"notice": str(refusal)}, status=status), "#notice")
        return render_page(request, item_id, notice=str(refusal), status=status)
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
