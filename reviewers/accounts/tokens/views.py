"""Pages of tokens: a member's own, and ending one as an administrator."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.audit import user_actor
from reviewers.accounts.forms import TokenForm
from reviewers.accounts.models import Membership, MemberToken, TokenScope
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.proofs import has_second_factor
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.accounts.tokens.actions import Because, end_token, make_token
from reviewers.accounts.tokens.policies import may_use
from reviewers.accounts.tokens.queries import list_own_tokens


@require_GET
@requires(Permission.READ_ITEMS)
def show(request: MemberRequest) -> HttpResponse:
    """List the member's tokens in this organisation."""
    return _render(request, _form(request.member))


@require_POST
@requires(Permission.READ_ITEMS)
@requires_proof(Purpose.TOKEN)
def make(request: MemberRequest) -> HttpResponse:
    """Make a token and show its secret, this once."""
    form = _form(request.member, request.POST)
    if not form.is_valid():
        return _render(request, form, status=422)
    now, data = timezone.now(), form.cleaned_data
    until = now + timedelta(days=data["days"])
    try:
        _, secret = make_token(member=request.member, name=data["name"], scope=data["scope"], at=now, expires_at=until)
    except Refused as refusal:
        return _render(request, form, status=refusal.status, notice=str(refusal))
    return _render(request, _form(request.member), secret=secret)


@require_POST
@requires(Permission.READ_ITEMS)
def end(request: MemberRequest, token_id: UUID) -> HttpResponse:
    """End one of the member's own tokens."""
    token = get_object_or_404(MemberToken.objects.select_related("membership"), pk=token_id, membership=request.member)
    return _end(request, token, "tokens")


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def end_of_member(request: MemberRequest, token_id: UUID) -> HttpResponse:
    """End a token of any member of the organisation."""
    found = MemberToken.objects.select_related("membership").filter(organisation=request.member.organisation)
    return _end(request, get_object_or_404(found, pk=token_id), "members")


def _end(request: MemberRequest, token: MemberToken, leads_to: str) -> HttpResponse:
    end_token(token=token, because=Because.ASKED, at=timezone.now(), by=user_actor(request.member.user_id))
    messages.success(request, f"The token “{token.name}” no longer works.")
    return redirect(leads_to)


def _form(member: Membership, *data: Any) -> TokenForm:
    return TokenForm([scope for scope in TokenScope if may_use(member, scope)], *data)


def _render(request: MemberRequest, form: TokenForm, *, status: int = 200, notice: str = "", secret: str = "") -> HttpResponse:
    context = {
        "tokens": list_own_tokens(request.member, timezone.now()),
        "form": form,
        "secret": secret,
        "notice": notice,
        "may_make": may_use(request.member, TokenScope.READ),
        "has_factor": has_second_factor(request.member.user),
    }
    return render(request, "accounts/tokens.html", context, status=status)
