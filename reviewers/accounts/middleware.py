"""Finds the membership of whoever is signed in, and holds back those who lack a second factor their organisation asks for."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from reviewers.accounts.models import Membership
from reviewers.accounts.queries import find_membership
from reviewers.web.htmx import led_away
from reviewers.web.middleware import Respond

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
        if found and found.organisation.requires_second_factor and not getattr(found, "has_second_factor", False):
            return led_away(request, reverse("mfa_activate_totp"))
        return respond(request)

    return middleware


def _membership(request: HttpRequest) -> Membership | None:
    if not request.user.is_authenticated:
        return None
    return find_membership(request.user.pk)
