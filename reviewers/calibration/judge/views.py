"""Views of the judge: its runs, starting and stopping one."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused, endpoint_host
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.calibration.judge.actions import ask_run, is_set_up, stop_run
from reviewers.calibration.judge.page import build_judge, list_plans, list_runs
from reviewers.calibration.models import JudgeRun
from reviewers.review.forms import AnswerForm


class JudgeForm(AnswerForm):
    """The plan whose answers are judged."""

    complaint = "Choose a plan."
    plan = forms.UUIDField()


@require_GET
@requires(Permission.READ_CALIBRATION)
def judges(request: MemberRequest) -> HttpResponse:
    """List the runs."""
    return _render(request)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.EXPORT)
def ask(request: MemberRequest) -> HttpResponse:
    """Have the answers of a plan judged, which sends them to the endpoint."""
    try:
        run = ask_run(plan_id=JudgeForm(request.POST).answer(), by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render(request, str(refusal), refusal.status)
    return redirect("judge", run.pk)


@require_GET
@requires(Permission.READ_CALIBRATION)
def judge(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """Show a run."""
    return _render_run(request, run_id)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def stop(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """Stop a run."""
    act = partial(stop_run, run_id=run_id, by=request.member, now=timezone.now())
    return answer_decision(act, partial(_render_run, request, run_id), "judge", run_id)


def _render_run(request: MemberRequest, run_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    own = JudgeRun.objects.filter(organisation=request.member.organisation_id).select_related("plan", "requested_by", "stopped_by")
    page = build_judge(get_object_or_404(own, pk=run_id))
    return render(request, "calibration/judge.html", {"page": page, "notice": notice}, status=status)


def _render(request: MemberRequest, notice: str = "", status: int = 200) -> HttpResponse:
    organisation_id = request.member.organisation_id
    context = {
        "runs": list_runs(organisation_id),
        "plans": list_plans(organisation_id) if is_set_up() else (),
        "is_set_up": is_set_up(),
        "host": endpoint_host(),
        "notice": notice,
    }
    return render(request, "calibration/judges.html", context, status=status)
