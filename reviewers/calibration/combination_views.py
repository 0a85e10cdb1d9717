"""All combinations, and one of them: what is known of it, and what can be proposed for it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.calibration import actions, queries
from reviewers.calibration.combination_page import build_combination
from reviewers.calibration.forms import MarginForm, ProposeForm, TransferForm
from reviewers.calibration.planner_page import build_planner
from reviewers.calibration.proposing import propose_or_ask
from reviewers.calibration.sweep_page import build_sweep
from reviewers.calibration.transferring import propose_transfer
from reviewers.review.policies import Invalid, Refused


@require_GET
@requires(Permission.READ_CALIBRATION)
def overview(request: MemberRequest) -> HttpResponse:
    """Each combination in a line."""
    return render(request, "calibration/overview.html", {"rows": queries.list_scopes(request.member.organisation, timezone.now())})


@require_GET
@requires(Permission.READ_CALIBRATION)
def combination(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """One of them."""
    return _render_combination(request, combination_id)


@require_GET
@requires(Permission.READ_CALIBRATION)
def thresholds(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """What each cut-off costs and brings."""
    seen = actions.find_combination(combination_id, request.member)
    page = build_sweep(seen, request.GET.get("by", ""), request.GET.get("at", ""))
    return render(request, "calibration/thresholds.html", {"page": page}, status=422 if page.is_wrong else 200)


@require_GET
@requires(Permission.READ_CALIBRATION)
def planner(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """How many labels a claim takes, and when they will be there."""
    seen, form = actions.find_combination(combination_id, request.member), MarginForm.of(request.GET)
    page = build_planner(seen, form.claim(), timezone.now())
    return render(request, "calibration/planner.html", {"page": page, "form": form}, status=422 if form.errors else 200)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def propose(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Fit a profile and propose it, or have the worker do so where labels are many; the worker compares it."""
    actions.find_combination(combination_id, request.member)
    try:
        imports = ProposeForm(request.POST, combination_id=combination_id).imports()
        profile = propose_or_ask(combination_id=combination_id, by=request.member, now=timezone.now(), imports=imports)
    except Refused as refusal:
        return _render_combination(request, combination_id, str(refusal), 422 if isinstance(refusal, Invalid) else 409)
    return redirect("profile", profile.pk) if profile else redirect("combination", combination_id)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def transfer(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Propose the profile of another combination, shifted by the labels of this one."""
    actions.find_combination(combination_id, request.member)
    try:
        old = TransferForm(request.POST).chosen()
        made = propose_transfer(combination_id=combination_id, profile_id=old, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render_combination(request, combination_id, str(refusal), 422 if isinstance(refusal, Invalid) else 409)
    return redirect("profile", made.pk)


def _render_combination(request: MemberRequest, combination_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    seen = actions.find_combination(combination_id, request.member)
    page = build_combination(seen, timezone.now(), request.GET.get("method", ""))
    return render(request, "calibration/combination.html", {"page": page, "notice": notice}, status=status)
