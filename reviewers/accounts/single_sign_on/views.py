"""Pages of single sign-on: the request for an address, the way to the provider, and the way back."""

from __future__ import annotations

import hmac
import secrets
from typing import Any
from uuid import UUID

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_login
from allauth.account.models import Login
from allauth.core.internal.ratelimit import get_ip
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.core import signing
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods
from urllib3.exceptions import HTTPError

from reviewers.accounts.audit import SYSTEM, Announcement, announce, user_actor
from reviewers.accounts.models import Membership, SignOnDomain, SignOnIdentity, SignOnProvider
from reviewers.accounts.queries import open_memberships
from reviewers.accounts.sessions import mark_provider_session
from reviewers.accounts.sign_in import throttle
from reviewers.accounts.single_sign_on.actions import link_identity
from reviewers.accounts.single_sign_on.openid import (
    NotAccepted,
    PendingSignIn,
    ProviderDown,
    ProviderIdentity,
    authorization_url,
    exchange_code,
)
from reviewers.web.http.responses import local_url
from reviewers.web.tenancy import tenant

PENDING = f"{'__Host-' if settings.SESSION_COOKIE_SECURE else ''}sign_on"
"""A cookie that keeps a sign-in while its person is at the provider. A session for everybody who follows the link would fill a table."""
_SALT = "footnote.sign_on"
KNOWN = f"{'__Host-' if settings.SESSION_COOKIE_SECURE else ''}sign_on_known"
"""A cookie of a browser in which a provider has signed somebody in. Passwords are not counted by it: a provider can make any number."""
_SALT_OF_KNOWN = "footnote.sign_on_known"
_LONGEST_NEXT = 1_000
"""A longer address is not kept: browsers drop large cookies."""
LASTS = 600
FREE_FAILURES = 30
MESSAGES = {
    "down": "Your organisation’s sign-in could not be reached. Please try again in a few minutes, or use your password.",
    "refused": "Your organisation’s sign-in did not let you in here. Ask your administrator, or use your password.",
    "expired": "That took too long, or was begun in another browser. Please begin again.",
    "factor": "A second factor is required here, and your organisation’s sign-in did not ask for one. "
    "Sign in with your password, and set one up.",
    "many": "There were too many failed tries. Please wait a few minutes.",
}


@require_http_methods(["GET", "POST"])
def choose_provider(request: HttpRequest) -> HttpResponse:
    """Ask for the address, and link to its domain's provider. A link, because forms may only lead to pages of this site."""
    email = request.POST.get("email", "").strip()
    leads_to = local_url(request, request.POST.get("next") or request.GET.get("next", ""))
    found = _provider_of(email) if email else None
    context = {"email": email, "found": found, "leads_to": leads_to, "says": MESSAGES.get(request.GET.get("says", ""), "")}
    return render(request, "accounts/sign_on.html", context)


@require_GET
def begin(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    """Redirect to the provider. State, nonce and verifier belong to this browser and are used once."""
    provider = SignOnProvider.objects.filter(pk=provider_id).first()
    if request.headers.get("Sec-Fetch-Site") == "cross-site":  # another site must not sign anybody in as somebody else
        return redirect("sign_on")
    if provider is None or request.user.is_authenticated:
        return redirect("home" if request.user.is_authenticated else "sign_on")
    asked = PendingSignIn(*(secrets.token_urlsafe(32) for _ in range(3)))
    try:
        there = authorization_url(provider, asked, _back_to(provider_id))
    except (ProviderDown, NotAccepted, HTTPError):
        return _says("down")
    kept = {"provider": str(provider_id), "state": asked.state, "nonce": asked.nonce, "verifier": asked.verifier}
    leads_to = local_url(request, request.GET.get("next", ""))
    value = signing.dumps(
        kept | {"until": timezone.now().timestamp() + LASTS, "next": leads_to if len(leads_to) < _LONGEST_NEXT else ""}, salt=_SALT
    )
    response = redirect(there)
    response.set_cookie(PENDING, value, max_age=LASTS, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax")
    return response


@require_GET
def come_back(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    """Verify the provider's response, and sign the member in."""
    response = _come_back(request, provider_id)
    response.delete_cookie(PENDING, samesite="Lax")
    return response


def _pending_in(request: HttpRequest) -> dict[str, Any] | None:
    """Return the sign-in that this browser began here, or None."""
    try:
        pending: dict[str, Any] = signing.loads(request.COOKIES.get(PENDING, ""), salt=_SALT)
    except signing.BadSignature:
        return None
    return pending


def _is_in_time(pending: dict[str, Any], state: bytes) -> bool:
    return hmac.compare_digest(pending["state"].encode(), state) and pending["until"] >= timezone.now().timestamp()


def _come_back(request: HttpRequest, provider_id: UUID) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("home")
    pending = _pending_in(request)
    provider = SignOnProvider.objects.filter(pk=provider_id).first()
    state = request.GET.get("state", "").encode()
    if provider is None or pending is None or pending["provider"] != str(provider_id) or not _is_in_time(pending, state):
        return _says("expired")
    subject, now = _counted_as(request, provider), timezone.now()
    with transaction.atomic():
        if throttle.is_blocked(subject, now):
            return _says("many")
    try:
        person = _person(request, provider, PendingSignIn(pending["state"], pending["nonce"], pending["verifier"]))
        response = _let_in(request, provider, person, pending["next"])
    except (ProviderDown, HTTPError):
        return _says("down")
    except NotAccepted as refusal:
        throttle.count_failure(subject, now, free=FREE_FAILURES)
        _tell(provider, str(refusal))
        return _says("factor" if str(refusal) == "factor" else "refused")
    _remember(request, response, provider)
    return response


def _counted_as(request: HttpRequest, provider: SignOnProvider) -> str:
    """Return the subject of tries from a browser in which this provider has signed somebody in, or else from one address.

    Otherwise anybody at the address of a hospital could keep its members out.
    """
    mark = _mark_in(request, provider)
    return throttle.subject_of("sign on", provider.pk, *(("known", mark) if mark else (get_ip(request),)))


def _remember(request: HttpRequest, response: HttpResponse, provider: SignOnProvider) -> None:
    """Remember this browser as one in which the provider has signed somebody in. Its mark stays, and with it its failures."""
    value = signing.dumps({"provider": str(provider.pk), "mark": _mark_in(request, provider) or secrets.token_hex(8)}, salt=_SALT_OF_KNOWN)
    flags: dict[str, Any] = {"secure": settings.SESSION_COOKIE_SECURE, "httponly": True, "samesite": "Lax"}
    response.set_cookie(KNOWN, value, max_age=throttle.KNOWN_FOR, **flags)


def _mark_in(request: HttpRequest, provider: SignOnProvider) -> str:
    """Return the mark of this browser with a provider; an empty string if it has none that was made here."""
    try:
        known: dict[str, str] = signing.loads(request.COOKIES.get(KNOWN, ""), salt=_SALT_OF_KNOWN, max_age=throttle.KNOWN_FOR)
    except signing.BadSignature:
        return ""
    return known["mark"] if known["provider"] == str(provider.pk) else ""


def _person(request: HttpRequest, provider: SignOnProvider, asked: PendingSignIn) -> ProviderIdentity:
    """Return the identity in the provider's response; raise ``NotAccepted`` if it has no code, or another issuer."""
    if request.GET.get("iss", provider.issuer) != provider.issuer:
        raise NotAccepted("issuer")
    if "code" not in request.GET:
        raise NotAccepted("provider")
    return exchange_code(provider, asked, request.GET["code"], _back_to(provider.pk))


@transaction.atomic
def _let_in(request: HttpRequest, provider: SignOnProvider, person: ProviderIdentity, leads_to: str) -> HttpResponse:
    """Begin the member's session. Ask for their own second factor if the provider asked for none."""
    with tenant.within(provider.organisation_id):
        member = _member(provider, person)
    has_own = is_mfa_enabled(member.user)
    is_required = settings.SECOND_FACTOR_REQUIRED or member.organisation.requires_second_factor
    if is_required and not person.has_factor and not has_own:
        raise NotAccepted("factor")
    request.session.flush()
    mark_provider_session(request.session, provider, has_factor=person.has_factor)
    leads_to = leads_to or reverse("home")
    if has_own and not person.has_factor:
        answer: HttpResponse = perform_login(request, Login(user=member.user, redirect_url=leads_to))
        return answer
    get_adapter().login(request, member.user)
    return redirect(leads_to)


def _member(provider: SignOnProvider, person: ProviderIdentity) -> Membership:
    """Return the open membership of an identity, matched by subject, or the first time by verified address."""
    if not person.is_verified:
        raise NotAccepted("address_not_verified")
    domain = person.email.rpartition("@")[2]
    if not SignOnDomain.objects.filter(domain=domain, organisation_id=provider.organisation_id).exists():
        raise NotAccepted("domain")
    known = SignOnIdentity.objects.filter(provider=provider, subject=person.subject).first()
    members = (
        open_memberships().select_related("user", "organisation").filter(organisation_id=provider.organisation_id, user__is_active=True)
    )
    member = members.filter(user_id=known.user_id).first() if known else members.filter(user__email=person.email).first()
    if member is None:
        raise NotAccepted("no_member")
    if known is None:
        try:
            with transaction.atomic():
                link_identity(provider=provider, user=member.user, subject=person.subject, at=timezone.now(), by=user_actor(member.user_id))
        except IntegrityError as error:
            raise NotAccepted("known_as_another") from error
    return member


def _provider_of(email: str) -> SignOnProvider | None:
    domain = email.rpartition("@")[2].lower()
    return SignOnProvider.objects.filter(organisation__sign_on_domains__domain=domain).first()


def _back_to(provider_id: UUID) -> str:
    """Return the fixed return address. It is never taken from a request, whose Host header anybody can write."""
    return f"{settings.ADDRESS}{reverse('sign_on_return', args=[provider_id])}"


def _says(word: str) -> HttpResponse:
    return redirect(f"{reverse('sign_on')}?{urlencode({'says': word})}")


@transaction.atomic
def _tell(provider: SignOnProvider, reason: str) -> None:
    """Announce a refused sign-in to the organisation, with a reason code only."""
    here = provider.organisation_id
    with tenant.within(here):
        details = {"by": "single sign-on", "reason": reason}
        announce(Announcement("session.refused", here, SYSTEM, timezone.now(), "organisation", here, details))
