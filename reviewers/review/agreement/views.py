"""Views of the agreement of reviewers, and of a model’s judgements: their cost, and their agreement with people."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import endpoint_host
from reviewers.review.agreement.queries import KNOWN_FOR, LOOKED_BACK, agreement_with_people, build_agreement
from reviewers.review.agreement.statistics import FEWEST
from reviewers.review.models import Plan, QueueItem
from reviewers.review.plans.actions import find_plan
from reviewers.review.visibility import hides_engine_from, viewer_of
from reviewers.snapshots.judged_support.actions import requests_lately
from reviewers.snapshots.judged_support.queries import cost_of_support, judgements_of


@require_GET
@requires(Permission.READ_SETTINGS)
def judged_support(request: MemberRequest) -> HttpResponse:
    """Show what a model's judgements cost, and how far they agree with the labels of people.

    Judgements on answers that the member reviews blind are left out: their number tells how many citations there are, and of which kind.
    """
    organisation, now = request.member.organisation, timezone.now()
    hidden = QueueItem.objects.filter(hides_engine_from(viewer_of(request.member)), organisation=organisation)
    judgements = judgements_of(organisation.pk, without=hidden.values("pk"))
    context = {
        "organisation": organisation,
        "endpoint": endpoint_host(),
        "model": settings.MODEL_NAME,
        "cost": cost_of_support(judgements),
        "lately": requests_lately(judgements, now),
        "leaves_out": hidden.exists(),
        "most": settings.MODEL_REQUESTS_A_DAY,
        "agreement": agreement_with_people(organisation, now),
        "fewest": FEWEST,
        "days": KNOWN_FOR.days,
    }
    return render(request, "review/judged_support.html", context)


@require_GET
@requires(Permission.READ_PLANS)
def show_agreement_of_all(request: MemberRequest) -> HttpResponse:
    """Show the agreement over all recent reviews."""
    return _render_agreement(request, None)


@require_GET
@requires(Permission.READ_PLANS)
def show_agreement_of_plan(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Show the agreement over one plan."""
    return _render_agreement(request, find_plan(plan_id, request.member))


def _render_agreement(request: MemberRequest, plan: Plan | None) -> HttpResponse:
    page = build_agreement(request.member, plan, timezone.now())
    return render(request, "review/agreement.html", {"page": page, "plan": plan, "days": LOOKED_BACK.days})
