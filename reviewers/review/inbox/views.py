"""The page of the inbox, and its count for the navigation."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.review.inbox.queries import count_inbox, load_inbox


@require_GET
@requires(Permission.READ_INBOX)
def show(request: MemberRequest) -> HttpResponse:
    """Show what waits for the member."""
    return render(request, "review/inbox.html", {"groups": load_inbox(request.member)})


def waiting(request: HttpRequest) -> dict[str, Any]:
    """Return a template context with a function that counts what waits for the member. Only pages with the navigation call it."""
    member = getattr(request, "member", None)
    return {"count_inbox": lambda: count_inbox(member) if member else 0}
