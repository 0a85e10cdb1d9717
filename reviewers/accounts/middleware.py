"""Finds the membership of whoever is signed in, and holds back those who lack a second factor their organisation asks for."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import SimpleLazyObject

from reviewers.accounts.models import Membership
from reviewers.accounts.queries import find_membership
from reviewers.web.middleware import Respond

CHOSEN_MEMBERSHIP = "membership"
HAS_SECOND_FACTOR = "has_second_factor"
_FREE_PATHS = ("/accounts/", "/static/", "/api/", "/health/")


def member(respond: Respond) -> Respond:
    """Set ``request.member``: a membership, or ``None`` for those who have none or are not signed in."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.member = None  # type: ignore[attr-defined]
        if request.path.startswith(_FREE_PATHS):
            request.member = SimpleLazyObject(lambda: _membership(request))  # type: ignore[attr-defined]
            return respond(request)
        found = _membership(request)
        request.member = found  # type: ignore[attr-defined]
        if found and found.organisation.requires_second_factor and not _has_second_factor(request):
            return redirect("mfa_activate_totp")
        return respond(request)

    return middleware


def _membership(request: HttpRequest) -> Membership | None:
    if not request.user.is_authenticated:
        return None
    return find_membership(request.user.pk, request.session.get(CHOSEN_MEMBERSHIP))


def _has_second_factor(request: HttpRequest) -> bool:
    """Asked of the database until it is so, then remembered in the session."""
    from allauth.mfa.utils import is_mfa_enabled  # noqa: PLC0415 — allauth needs its apps loaded

    if not request.session.get(HAS_SECOND_FACTOR) and is_mfa_enabled(request.user):
        request.session[HAS_SECOND_FACTOR] = True
    return bool(request.session.get(HAS_SECOND_FACTOR))
