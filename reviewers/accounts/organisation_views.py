"""Where a person who belongs to several organisations says in which one they work."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts import queries, signins
from reviewers.accounts.middleware import CHOSEN, is_signed_out, lead_to_sign_in_again
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.single_sign_on.sessions import opened_by
from reviewers.web.redirects import own_address


@require_GET
@requires(Permission.READ_HOME)
def choose(request: MemberRequest) -> HttpResponse:
    """The organisations to choose from."""
    memberships = opened_by(request.session, queries.list_memberships(request.member.user_id))
    context = {"memberships": memberships, "leads_to": request.GET.get("next", "")}
    return render(request, "accounts/organisations.html", context)


@require_POST
@requires(Permission.READ_HOME)
def enter(request: MemberRequest, organisation_id: UUID) -> HttpResponse:
    """Work in one of them from now on, in this session."""
    memberships = opened_by(request.session, queries.list_memberships(request.member.user_id))
    chosen = next((each for each in memberships if each.organisation_id == organisation_id), None)
    if chosen is None:
        raise Http404
    if is_signed_out(request, chosen):
        return lead_to_sign_in_again(request)
    request.session[CHOSEN] = str(organisation_id)
    signins.enter(request, chosen)
    return redirect(own_address(request, request.POST.get("next", "")) or "home")
