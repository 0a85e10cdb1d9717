"""Views that put and resolve flags, and write comments."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Invalid
from reviewers.review.forms import CommentForm, FlagForm, ResolveForm
from reviewers.review.inbox import FLAGS, FROM, INBOX, next_address
from reviewers.review.models import FlagKind
from reviewers.review.page.views import attempt
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import FlagChoice, put_flag, resolve_flag


@require_POST
@requires(Permission.LABEL_ITEMS)
def flag(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Flag a finding, a field, a citation, or words of the answer. The page then has its focus where the flag is."""
    form = FlagForm(request.POST)

    def put() -> HttpResponse:
        if not form.is_valid():
            raise Invalid("A flag needs a finding, a field, a citation or words of the answer, and a note of at most 2,000 characters.")
        data = form.cleaned_data
        put_flag(choice=_choice(item_id, data), note=data["note"], by=request.member, now=timezone.now())
        place = data["place"] if data["place"].startswith(("row-", "citation-")) else "flags"
        return redirect(reverse("item", args=[item_id]) + (f"#{place}" if data["place"] else ""))

    return attempt(request, item_id, put)


def _choice(item_id: UUID, data: dict[str, Any]) -> FlagChoice:
    if data["finding"] is not None:
        return FlagChoice(item_id, data["attribution"], FlagKind.FINDING, data["finding"])
    kind, _, number = data["place"].partition("-")
    return FlagChoice(item_id, data["attribution"], FlagKind(kind), int(number or 0), data["words"], data["blind"])


@require_POST
@requires(Permission.APPROVE_REVIEWS)
def resolve(request: MemberRequest, item_id: UUID, flag_id: UUID) -> HttpResponse:
    """Resolve a flag. From the inbox this leads on to the flag that waits next there."""

    def end() -> HttpResponse:
        note = ResolveForm(request.POST).answer()
        resolve_flag(item_id=item_id, flag_id=flag_id, note=note, by=request.member, now=timezone.now())
        if request.POST.get(FROM) != INBOX:
            return redirect("item", item_id)
        messages.success(request, "The flag is resolved.")
        return redirect(next_address(FLAGS, request.member))

    return attempt(request, item_id, end)


@require_POST
@requires(Permission.COMMENT)
def comment(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Write a comment."""

    def say() -> HttpResponse:
        made = write_comment(item_id=item_id, text=CommentForm(request.POST).answer(), by=request.member, now=timezone.now())
        return redirect(reverse("item", args=[item_id]) + f"#comment-{made.pk}")

    return attempt(request, item_id, say)
