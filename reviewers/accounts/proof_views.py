"""The page that asks who one is once more, for all purposes; the sign-in package's own pages lead here too."""

from __future__ import annotations

from allauth.account.internal.flows.reauthentication import reauthenticate_by_password, resume_request
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from reviewers.accounts.proofs import ProofForm
from reviewers.accounts.stepping_up import Purpose, render_proof
from reviewers.web.redirects import own_address


@require_http_methods(["GET", "POST"])
@login_required
def prove(request: HttpRequest) -> HttpResponse:
    """Ask for a proof, and lead on to where one was."""
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
    """Where to lead: to a page of this site or nowhere."""
    return own_address(request, request.POST.get("next") or request.GET.get("next", ""))
