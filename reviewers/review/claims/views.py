"""Views that say that words of an answer are not in the record, and take it back."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Invalid
from reviewers.review.claims.actions import ClaimChoice, save_claim, take_back_claim
from reviewers.review.forms import ClaimForm, TakeBackForm, errors_in_words
from reviewers.review.labels.queries import ClaimKey
from reviewers.review.labels.writer import RowChoice
from reviewers.review.page.views import attempt


@require_POST
@requires(Permission.LABEL_ITEMS)
def claim(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Say that words of the answer are not in the record."""
    form = ClaimForm(request.POST)

    def save() -> HttpResponse:
        if not form.is_valid():
            raise Invalid(f"This form is incomplete. {errors_in_words(form)}")
        data = form.cleaned_data
        choice = ClaimChoice(item_id, data["attribution"], data["words"], data["occurrence"] or 1, data["reason"])
        made = save_claim(choice=choice, note=data["note"], by=request.member, now=timezone.now())
        return redirect(reverse("item", args=[item_id]) + f"#claim-{made.pk}")

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def take_back(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take back that words are not in the record."""
    form = TakeBackForm(request.POST)

    def save() -> HttpResponse:
        if not form.is_valid():
            raise Invalid(f"This form is incomplete. {errors_in_words(form)}")
        data = form.cleaned_data
        choice = RowChoice(item_id, data["attribution"], 0, data["reason"])
        take_back_claim(choice=choice, key=ClaimKey(data["start"], data["end"]), by=request.member, now=timezone.now())
        return redirect(reverse("item", args=[item_id]) + "#claims")

    return attempt(request, item_id, save)
