"""Pages of one's own account: running sessions, sign-in methods, and the request for a proof of identity."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.reauthentication import reauthenticate_by_password, resume_request
from allauth.mfa.base.views import IndexView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare, salted_hmac
from django.views.decorators.http import require_http_methods

from reviewers.accounts import sessions
from reviewers.accounts.models import User
from reviewers.accounts.sign_in.proofs import ProofForm
from reviewers.accounts.sign_in.reauthentication import Purpose, render_proof
from reviewers.accounts.sign_in.second_factors import FEW, note_seen
from reviewers.web.http.responses import local_url


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A session as its owner sees it. ``name`` replaces its key, which would let anybody sign in."""

    name: str
    browser: str
    network: str
    begun_at: datetime
    used_at: datetime
    is_this: bool


def list_own_sessions(user: User, key: str | None) -> list[OwnSession]:
    """Return a person's running sessions: the one with this key first, then the last used."""
    found = [
        OwnSession(
            name=_name_of(row.pk),
            browser=held.get(sessions.BROWSER) or sessions.UNKNOWN,
            network=held.get(sessions.NETWORK, ""),
            begun_at=datetime.fromisoformat(held[sessions.BEGUN]),
            used_at=datetime.fromisoformat(held[sessions.USED]),
            is_this=row.pk == key,
        )
        for row, held in sessions.sessions_of(user)
        if sessions.BEGUN in held
    ]
    return sorted(found, key=lambda each: (each.is_this, each.used_at), reverse=True)


@transaction.atomic
def end_own_session(user: User, name: str) -> bool:
    """End one of a person's sessions at once; return False if none has that name."""
    for row, _ in sessions.sessions_of(user):
        if constant_time_compare(_name_of(row.pk), name):
            sessions.end(row, user, sessions.ENDED_ELSEWHERE)
            return True
    return False


def _name_of(key: str) -> str:
    return salted_hmac("footnote.session", key, algorithm="sha256").hexdigest()[:32]


OTHERS = "others"


@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # the package has no types
def own_sessions(request: HttpRequest) -> HttpResponse:
    """List the person's sessions; a posted form ends one of them, or all but this one, after a fresh proof."""
    user, key = cast("User", request.user), request.session.session_key
    if request.method == "POST":
        messages.success(request, _end(user, key, request.POST.get("session", "")))
        return redirect("own_sessions")
    return render(request, "accounts/own_sessions.html", {"sessions": list_own_sessions(user, key)})


def _end(user: User, key: str | None, name: str) -> str:
    """End the sessions that the form names, and return the notice. A session that has ended meanwhile is no error."""
    if name == OTHERS:
        ended = sessions.end_others(user, key, sessions.ENDED_ELSEWHERE)
        return "You are signed out everywhere but here." if ended else "You were signed in nowhere else."
    return "You are signed out there." if end_own_session(user, name) else "That session had ended already."


class AccountPage(IndexView):  # type: ignore[misc]  # the package has no types
    """allauth's account page. Opening it ends the warning about a recovery code."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Show the page."""
        note_seen(request)
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the number of recovery codes below which the page warns."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"few": FEW}


account_page = AccountPage.as_view()


@require_http_methods(["GET", "POST"])
@login_required
def prove(request: HttpRequest) -> HttpResponse:
    """Ask for a proof for any purpose, and lead on. allauth's own pages lead here too."""
    purpose = _purpose(request)
    form = ProofForm(request, purpose, request.POST) if request.method == "POST" else ProofForm(request, purpose)
    if not form.is_valid():
        return render_proof(request, purpose, form, leads_to=_next(request))
    if purpose is Purpose.ACCOUNT:
        reauthenticate_by_password(request)
        resumed: HttpResponse | None = resume_request(request)
        return resumed or redirect("home")
    return redirect(_next(request) or "home")


def _purpose(request: HttpRequest) -> Purpose:
    named = request.POST.get("proof") or request.GET.get("for")
    return Purpose(named) if named in list(Purpose) else Purpose.ACCOUNT


def _next(request: HttpRequest) -> str:
    """Return the page of this site to lead to, or an empty string."""
    return local_url(request, request.POST.get("next") or request.GET.get("next", ""))
