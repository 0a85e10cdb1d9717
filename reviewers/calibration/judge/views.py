"""Views of the judge: its runs, starting and stopping one, and the agreement of a run with people by method, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from attribution.calibration import Interval, Powered, prediction_powered, wilson
from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused, endpoint_host
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.calibration import wording
from reviewers.calibration.judge.actions import ask_run, is_set_up, stop_run
from reviewers.calibration.labels.dataset import LABEL_COLUMNS, Place, decisions_among, effective_truths, submitted_labels
from reviewers.calibration.models import JudgeLabel, JudgeRun
from reviewers.review.forms import AnswerForm
from reviewers.review.models import Plan, PlanItem, PlanState
from reviewers.review.plans.queries import MOST_OFFERED
from reviewers.review.visibility import may_be_learned_from
from reviewers.snapshots.judged_support.queries import price_of

MOST_RUNS = 200
"""The most runs that the page of the judge lists."""


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
@requires_proof(Purpose.JUDGE)
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


@dataclass(frozen=True, slots=True)
class MethodAgreement:
    """Agreement on a method: rows that people and judge labelled, the number alike, and the share right by people and by both."""

    name: str
    both: int
    alike: int
    interval: Interval
    people: Interval
    share: float
    powered: Powered
    judged_only: int

    @property
    def helps(self) -> bool:
        """True if the judge makes the share more certain."""
        return self.powered.reliance > 0


@dataclass(frozen=True, slots=True)
class JudgePage:
    """The page of a run. ``cost`` is in the currency of the prices; None if none are set."""

    run: JudgeRun
    cost: float | None
    rows: Sequence[MethodAgreement]


def build_judge(run: JudgeRun) -> JudgePage:
    """Return the page of a run. It takes three queries, and one for the decisions of leads."""
    known = JudgeLabel.objects.filter(may_be_learned_from(), run=run, is_used__isnull=False)
    labels = known.values_list("snapshot", "section", "path", "method", "is_used")
    truths = _truths(run)
    by_method: dict[str, tuple[list[tuple[float, bool]], list[float]]] = {}
    for snapshot, section, path, method, is_used in labels:
        paired, alone = by_method.setdefault(method, ([], []))
        truth = truths.get((snapshot, section, path))
        if truth is None:
            alone.append(float(bool(is_used)))
        else:
            paired.append((float(bool(is_used)), truth))
    order = list(wording.METHODS)
    found = sorted(by_method.items(), key=lambda each: order.index(each[0]) if each[0] in order else len(order))
    return JudgePage(run, price_of(run.tokens_in, run.tokens_out), [_agreement(method, *its) for method, its in found])


def list_runs(organisation_id: UUID) -> Sequence[JudgeRun]:
    """Return the newest runs, at most ``MOST_RUNS``."""
    runs = JudgeRun.objects.filter(organisation=organisation_id).select_related("plan", "requested_by").order_by("-id")
    return list(runs[:MOST_RUNS])


def list_plans(organisation_id: UUID) -> Sequence[Plan]:
    """Return the newest plans that the judge may be asked about."""
    over = Plan.objects.filter(organisation=organisation_id).exclude(state=PlanState.DRAFT)
    return list(over.exclude(is_blind=True, state=PlanState.RUNNING).order_by("-id")[:MOST_OFFERED])


def _agreement(method: str, paired: Sequence[tuple[float, bool]], alone: Sequence[float]) -> MethodAgreement:
    alike = sum(bool(judge) is truth for judge, truth in paired)
    right = sum(truth for _, truth in paired)
    return MethodAgreement(
        name=wording.METHODS.get(method, method),
        both=len(paired),
        alike=alike,
        interval=wilson(alike, len(paired)),
        people=wilson(right, len(paired)),
        share=right / len(paired) if paired else 0.0,
        powered=prediction_powered(paired, alone),
        judged_only=len(alone),
    )


def _truths(run: JudgeRun) -> Mapping[Place, bool]:
    """Return what people found for the plan's rows, as far as it may be known; decisions of leads count before labels."""
    drawn = Q(snapshot__in=PlanItem.objects.filter(plan=run.plan_id).values("item"))
    labels = submitted_labels(run.organisation_id).filter(drawn).values(*LABEL_COLUMNS)
    return {each.place: each.is_used for each in effective_truths(labels, decisions_among(run.organisation_id, drawn))}
