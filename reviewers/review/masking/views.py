"""Lifting masks."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.review.masking.reveals import RevealForm, can_reveal, reveal
from reviewers.review.models import QueueItem
from reviewers.web.redirects import own_address


@require_POST
@requires(Permission.REVEAL)
def lift(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Reveal a text of an answer, or all of it, with a reason; for whom nothing is masked nothing is done."""
    get_object_or_404(QueueItem.objects.only("pk"), organisation=request.member.organisation_id, pk=item_id)
    leads_to = own_address(request, request.POST.get("next", ""))
    answer = redirect(leads_to) if leads_to else redirect("item", item_id)
    form = RevealForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was revealed: choose a text and say why.")
        return answer
    texts = form.texts() & can_reveal(request, item_id)
    if texts:
        reveal(request, item_id, texts, form.cleaned_data["reason"])
    return answer
