"""View of the page on judged support: its cost, and its agreement with people."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import endpoint_host
from reviewers.review.agreement.model_agreement import KNOWN_FOR, agreement_with_people
from reviewers.review.agreement.statistics import FEWEST
from reviewers.review.models import QueueItem
from reviewers.review.plans.visibility import hides_engine_from, viewer_of
from reviewers.snapshots.judged_support.judging import requests_lately
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
