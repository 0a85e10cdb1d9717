"""What pages ask by themselves: how long the session lasts, that it go on, and to keep what is being written."""

from __future__ import annotations

from django.core.exceptions import BadRequest
from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts import drafts, sessions
from reviewers.accounts.forms import DraftForm, PageForm
from reviewers.accounts.permissions import MemberRequest, Permission, requires


@require_GET
@requires(Permission.READ_HOME)
def time_left(request: MemberRequest) -> HttpResponse:
    """How long the session goes on, and whether using it makes that longer."""
    return _tell(request)


@require_POST
@requires(Permission.READ_HOME)
def stay(request: MemberRequest) -> HttpResponse:
    """Go on: the request itself is a use of the session."""
    return _tell(request)


@require_GET
@requires(Permission.READ_HOME)
def read_drafts(request: MemberRequest) -> HttpResponse:
    """What one had begun to write on a page."""
    form = PageForm(request.GET)
    return JsonResponse(drafts.read_drafts(page=form.cleaned_data["page"], by=request.member) if form.is_valid() else {})


@require_POST
@requires(Permission.READ_HOME)
def keep_draft(request: MemberRequest) -> HttpResponse:
    """Keep what is being written."""
    form = DraftForm(request.POST)
    if not form.is_valid():
        raise BadRequest("a draft has a page, a field and at most 5,000 characters")
    drafts.keep_draft(**form.cleaned_data, by=request.member, now=timezone.now())
    return JsonResponse({})


def _tell(request: MemberRequest) -> HttpResponse:
    left = {"left": sessions.seconds_left(request.session), "extends": sessions.can_be_extended(request.session)}
    return JsonResponse(left)
