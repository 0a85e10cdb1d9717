"""One's own page of where one is signed in, and signing out there: of the person, and of no organisation."""

from __future__ import annotations

from typing import cast

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviewers.accounts import sessions
from reviewers.accounts.models import User
from reviewers.accounts.own_sessions import end_own_session, list_own_sessions

OTHERS = "others"


@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # the package has no types
def own_sessions(request: HttpRequest) -> HttpResponse:
    """Where one is signed in; one of the places, or all but this one, is ended by the form, after a fresh proof of who one is."""
    user, key = cast("User", request.user), request.session.session_key
    if request.method == "POST":
        messages.success(request, _end(user, key, request.POST.get("session", "")))
        return redirect("own_sessions")
    return render(request, "accounts/own_sessions.html", {"sessions": list_own_sessions(user, key)})


def _end(user: User, key: str | None, name: str) -> str:
    """End what the form names, and return what to say. To end what has ended meanwhile is no mistake of anybody's."""
    if name == OTHERS:
        ended = sessions.end_others(user, key, sessions.ENDED_ELSEWHERE)
        return "You are signed out everywhere but here." if ended else "You were signed in nowhere else."
    return "You are signed out there." if end_own_session(user, name) else "That session had ended already."
