"""What is done to a citation on the review page."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.review.attempting import attempt, choice_of
from reviewers.review.citation_actions import save_citation_label, save_citation_note
from reviewers.review.forms import CitationLabelForm, CitationNoteForm
from reviewers.review.fragments import render_citation


@require_POST
@requires(Permission.LABEL_ITEMS)
def label(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Give a citation a verdict."""
    form = CitationLabelForm(request.POST)

    def save() -> HttpResponse:
        choice = choice_of(item_id, form, "citation")
        saved = save_citation_label(choice=choice, verdict=form.cleaned_data["verdict"], by=request.member, now=timezone.now())
        return render_citation(request, saved, choice.number)

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def note(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a note to a citation."""
    form = CitationNoteForm(request.POST)

    def save() -> HttpResponse:
        choice = choice_of(item_id, form, "citation")
        saved = save_citation_note(choice=choice, note=form.cleaned_data["note"], by=request.member, now=timezone.now())
        return render_citation(request, saved, choice.number)

    return attempt(request, item_id, save)
