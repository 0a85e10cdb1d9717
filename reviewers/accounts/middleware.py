"""Authentication of a request: the user of a session with their memberships, expired sessions, and the organisation that is entered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from reviewers.accounts import sessions
from reviewers.accounts.models import Membership, User
from reviewers.accounts.permissions import sign_in_address
from reviewers.accounts.queries import list_memberships
from reviewers.accounts.sign_in import receivers
from reviewers.web.http.middleware import Respond
from reviewers.web.http.responses import is_unattended, page_of, redirect_window
from reviewers.web.tenancy import tenant


class MemberBackend(AuthenticationBackend):  # type: ignore[misc]  # the package has no types
    """allauth's backend, except that a session's user is loaded together with their memberships in one query."""

    def get_user(self, user_id: Any) -> User | None:
        """Return the user unless they may not sign in any more. The query runs outside all tenants: the organisation is not known yet."""
        with tenant.outside():
            memberships = list_memberships(user_id)
        if not memberships:
            found: User | None = super().get_user(user_id)
            return found
        user = memberships[0].user
        for each in memberships:
            each.user = user
        user.open_memberships = memberships  # type: ignore[attr-defined]  # for this request alone
        return user if self.user_can_authenticate(user) else None


def memberships_of(user: User) -> list[Membership]:
    """Return a person's open memberships, the oldest first; those loaded with the session's user are reused."""
    found: list[Membership] | None = getattr(user, "open_memberships", None)
    return list_memberships(UUID(str(user.pk))) if found is None else found


CHOOSER = "/organisations/"
_ACCOUNT_PAGES = "/accounts/"
_FREE_PATHS = ("/accounts/", "/static/", "/api/", "/v1/", "/health/", "/metrics")


def end_expired_session(respond: Respond) -> Respond:
    """End the session of a request if it has expired; otherwise extend it, unless the page sent the request by itself."""

    def middleware(request: HttpRequest) -> HttpResponse:
        key, is_signed_in = request.COOKIES.get(settings.SESSION_COOKIE_NAME), SESSION_KEY in request.session
        request.ended_because = sessions.end_expired(key, timezone.now()) if key and not is_signed_in else ""  # type: ignore[attr-defined]
        if is_signed_in:
            sessions.use(request.session, timezone.now(), is_unattended=is_unattended(request))
        return respond(request)

    return middleware


def member(respond: Respond) -> Respond:
    """Set ``request.member`` to a membership, or to None for people who have none or are not signed in.

    The rest of the request runs as the tenant of its organisation. Pages for signing in and for choosing an organisation belong to no
    tenant. Members who have to choose an organisation, or lack a required second factor, are redirected first.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        request.member = None  # type: ignore[attr-defined]
        if request.path_info.startswith(_FREE_PATHS):
            _check_account_is_ones_own(request)
            request.member = SimpleLazyObject(lambda: _open(request))  # type: ignore[attr-defined]
            return respond(request)
        memberships = _memberships(request)
        request.member = found = _chosen(request, memberships)  # type: ignore[attr-defined]
        if found and is_signed_out(request, found):
            return lead_to_sign_in_again(request)
        if found is None and memberships and settings.SECOND_FACTOR_REQUIRED and _lacks_factor(memberships[0]):
            return redirect_window(request, reverse("mfa_activate_totp"))
        if found and _lacks_factor(found) and not sessions.has_provider_factor(request.session):
            if sessions.is_by_provider(request.session):
                raise PermissionDenied("A second factor is required here, and your organisation's sign-in did not ask for one.")
            return redirect_window(request, reverse("mfa_activate_totp"))
        if found is None and memberships:
            request.member = memberships[0]  # type: ignore[attr-defined]
            if not request.path_info.startswith(CHOOSER):
                return redirect_window(request, f"{CHOOSER}?{urlencode({'next': page_of(request)})}")
        entered = None if request.path_info.startswith(CHOOSER) else found
        if entered and sessions.work_in(request, entered.organisation_id) and request.method == "POST":
            raise PermissionDenied("You are no member any more of the organisation that this form is from. Nothing was done.")
        with _entered(request, entered) if entered else nullcontext():
            return respond(request)

    return middleware


@contextmanager
def _entered(request: HttpRequest, found: Membership) -> Iterator[None]:
    """Enter a member's organisation for the rest of the request: one transaction, which sets the tenant once."""
    receivers.enter(request, found)  # memberships may begin or end while the member is signed in
    with tenant.within(found.organisation_id), transaction.atomic():
        yield


def is_signed_out(request: HttpRequest, member: Membership) -> bool:
    """Return True if an administrator has signed the member out of this organisation since the session began."""
    return not sessions.has_begun_after(request.session, member.signed_out_at)


def lead_to_sign_in_again(request: HttpRequest) -> HttpResponse:
    """End the session, and redirect to the sign-in page, which leads back here."""
    sessions.end_this(request, sessions.SIGN_IN_AGAIN)
    request.member = None  # type: ignore[attr-defined]
    return redirect_window(request, sign_in_address(request))


def _open(request: HttpRequest) -> Membership | None:
    found = _chosen(request, _memberships(request))
    return None if found is None or is_signed_out(request, found) else found


def _lacks_factor(member: Membership) -> bool:
    """Return True if a second factor is required of the member and they have none."""
    is_required = settings.SECOND_FACTOR_REQUIRED or member.organisation.requires_second_factor
    return is_required and not getattr(member, "has_second_factor", False)


def _memberships(request: HttpRequest) -> list[Membership]:
    if not request.user.is_authenticated:
        return []
    found = sessions.opened_by(request.session, memberships_of(request.user))
    request.has_choice = len(found) > 1  # type: ignore[attr-defined]
    return found


def _check_account_is_ones_own(request: HttpRequest) -> None:
    """Raise ``PermissionDenied`` on account pages in a session that a provider began: the account opens other organisations as well."""
    is_account_page = request.path_info.startswith(_ACCOUNT_PAGES) and not request.path_info.startswith(sessions.OPEN_PATHS)
    if is_account_page and sessions.is_by_provider(request.session) and request.user.is_authenticated:
        raise PermissionDenied("You are signed in through your organisation. Sign in with your own password or passkey for this.")


def _chosen(request: HttpRequest, memberships: list[Membership]) -> Membership | None:
    """Return the only membership, or the one chosen in this session; None if the person has yet to choose."""
    if len(memberships) == 1:
        return memberships[0]
    chosen = request.session.get(sessions.CHOSEN)
    return next((each for each in memberships if str(each.organisation_id) == chosen), None)
