"""Agreement of a plan, and of all of them."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.review.agreement.page import LOOKED_BACK, build_agreement
from reviewers.review.plan_models import Plan
from reviewers.review.plans.actions import find_plan


@require_GET
@requires(Permission.READ_PLANS)
def show_all(request: MemberRequest) -> HttpResponse:
    """Of everything lately."""
    return _render(request, None)


@require_GET
@requires(Permission.READ_PLANS)
def show(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Of one plan."""
    return _render(request, find_plan(plan_id, request.member))


def _render(request: MemberRequest, plan: Plan | None) -> HttpResponse:
    page = build_agreement(request.member, plan, timezone.now())
    return render(request, "review/agreement.html", {"page": page, "plan": plan, "days": LOOKED_BACK.days})
