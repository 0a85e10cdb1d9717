"""The page that the link of an invitation opens: for the owner of the address, who accepts or declines."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from reviewers.accounts.invitations import actions
from reviewers.accounts.invitations.forms import AccountForm
from reviewers.accounts.invitations.policies import check_is_open, check_may_accept
from reviewers.accounts.invitations.queries import find_by_link
from reviewers.accounts.membership_policies import Refused
from reviewers.accounts.models import Invitation, Role, User
from reviewers.web import walls


@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, invitation_id: UUID, token: str) -> HttpResponse:
    """Show an invitation to whoever has its link, and let the owner of its address decide."""
    found = find_by_link(invitation_id, token)
    with walls.within(found.organisation_id):
        try:
            check_is_open(found, timezone.now())
            return _answer(request, found)
        except Refused as refusal:
            return _render(request, found, status=409, refusal=str(refusal))


def _answer(request: HttpRequest, found: Invitation) -> HttpResponse:
    if isinstance(request.user, User):
        check_may_accept(found, request.user, timezone.now())
        return _decide(request, found, request.user) if request.method == "POST" else _render(request, found, may_decide=True)
    if User.objects.filter(email=found.email).exists():
        here = urlencode({"next": request.path})
        return _render(request, found, sign_in=f"{reverse('account_login')}?{here}", reset=reverse("account_reset_password"))
    form = AccountForm(found.email, *([request.POST] if request.method == "POST" else []))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        actions.accept_as_new(invitation=found, name=data["name"], password=data["password1"], at=timezone.now())
        messages.success(request, f"Your account is ready, and you belong to {found.organisation.name}. Sign in to begin.")
        return redirect("account_login")
    return _render(request, found, status=422 if form.errors else 200, form=form)


def _decide(request: HttpRequest, found: Invitation, user: User) -> HttpResponse:
    acts: dict[str, Callable[[], object]] = {
        "accept": lambda: actions.accept(invitation=found, user=user, at=timezone.now()),
        "decline": lambda: actions.decline(invitation=found, user=user, at=timezone.now()),
    }
    chosen = request.POST.get("do", "")
    if chosen not in acts:
        return _render(request, found, status=422, may_decide=True)
    acts[chosen]()
    if chosen == "decline":
        return _render(request, found, declined=True)
    messages.success(request, f"You belong to {found.organisation.name} now, as {Role(found.role).label.lower()}.")
    return redirect("organisations")


def _render(request: HttpRequest, found: Invitation, *, status: int = 200, **context: object) -> HttpResponse:
    context |= {"invitation": found, "role": Role(found.role).label.lower()}
    return render(request, "accounts/invitation.html", context, status=status)
