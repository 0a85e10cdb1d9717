"""Views of plans and of reviewer agreement."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.review.agreement.queries import LOOKED_BACK, build_agreement
from reviewers.review.models import Plan
from reviewers.review.plans import actions, policies, queries
from reviewers.review.plans.actions import find_plan
from reviewers.review.plans.forms import PlanForm
from reviewers.review.plans.sampling import Preview, design_of, preview_of, stored_of
from reviewers.review.plans.visibility import hides_anything_of, viewer_of
from reviewers.review.queue.views import read_filter


@require_GET
@requires(Permission.READ_PLANS)
def show_all(request: MemberRequest) -> HttpResponse:
    """List all plans with their progress."""
    return render(request, "review/plans.html", {"plans": queries.list_plans(request.member, timezone.now())})


@require_GET
@requires(Permission.READ_PLANS)
def show(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Show one plan: its terms, what it drew, its progress."""
    return _render_plan(request, plan_id)


@require_GET
@requires(Permission.MANAGE_PLANS)
def new(request: MemberRequest) -> HttpResponse:
    """Show an empty form, filled in as far as the address asks. The rest of the address is the list of candidates."""
    query = request.GET.copy()
    for name in ("for", "size"):
        query.pop(name, None)
    form = PlanForm(initial={"query": query.urlencode()} | PlanForm.asked_for(request.GET))
    return _render_form(request, form, query.urlencode())


@require_POST
@requires(Permission.MANAGE_PLANS)
def preview(request: MemberRequest) -> HttpResponse:
    """Show the form with what the plan would draw. Nothing is saved."""
    form = PlanForm(request.POST)
    if not form.is_valid():
        return _render_form(request, form, request.POST.get("query", ""), status=422)
    terms = form.terms(_candidates(request, form))
    drawn = preview_of(request.member.organisation, terms.candidates, terms.design, terms.overlap, timezone.now())
    return _render_form(request, form, form.cleaned_data["query"], preview=drawn)


@require_POST
@requires(Permission.MANAGE_PLANS)
def create(request: MemberRequest) -> HttpResponse:
    """Save the plan as a draft and redirect to it."""
    form = PlanForm(request.POST)
    if not form.is_valid():
        return _render_form(request, form, request.POST.get("query", ""), status=422)
    plan = actions.create_plan(terms=form.terms(_candidates(request, form)), by=request.member, now=timezone.now())
    return redirect("plan", plan.pk)


@require_GET
@requires(Permission.MANAGE_PLANS)
def edit(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Show the form of a draft. A started plan has none, so this redirects to it."""
    plan = find_plan(plan_id, request.member)
    if not policies.may_start(plan):
        return redirect("plan", plan_id)
    return _render_edit(request, plan, PlanForm(initial=PlanForm.of(plan)))


@require_POST
@requires(Permission.MANAGE_PLANS)
def change(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Change the terms of a draft."""
    plan, form = find_plan(plan_id, request.member), PlanForm(request.POST)
    if not form.is_valid():
        return _render_edit(request, plan, form, status=422)
    terms = form.terms(plan.candidates)
    return _attempt(request, plan_id, lambda: actions.change_plan(plan_id=plan_id, terms=terms, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.MANAGE_PLANS)
def start(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Draw the sample and start the plan."""
    return _attempt(request, plan_id, lambda: actions.start_plan(plan_id=plan_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.MANAGE_PLANS)
def stop(request: MemberRequest, plan_id: UUID) -> HttpResponse:
    """Stop the plan."""
    return _attempt(request, plan_id, lambda: actions.stop_plan(plan_id=plan_id, by=request.member, now=timezone.now()))


def _attempt(request: MemberRequest, plan_id: UUID, write: Callable[[], Plan]) -> HttpResponse:
    return answer_decision(write, partial(_render_plan, request, plan_id), "plan", plan_id)


def _candidates(request: MemberRequest, form: PlanForm) -> dict[str, Any]:
    return stored_of(read_filter(request, QueryDict(form.cleaned_data["query"])))


def _render_form(request: MemberRequest, form: PlanForm, query: str, status: int = 200, **more: Any) -> HttpResponse:
    chosen = stored_of(read_filter(request, QueryDict(query)))
    context = {"form": form, "candidates": queries.from_in_words(chosen), "plan": None, "preview": None}
    return render(request, "review/plan_form.html", context | more, status=status)


def _render_edit(request: MemberRequest, plan: Plan, form: PlanForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "candidates": queries.from_in_words(plan.candidates), "plan": plan, "preview": None}
    return render(request, "review/plan_form.html", context, status=status)


def _render_plan(request: MemberRequest, plan_id: UUID, *, notice: str = "", status: int = 200) -> HttpResponse:
    plan, now = find_plan(plan_id, request.member), timezone.now()
    is_draft, is_blind = policies.may_start(plan), hides_anything_of(plan, viewer_of(request.member))
    context = {
        "plan": plan,
        "row": queries.row_of(plan, queries.progress_of(request.member, [plan]).get(plan.pk, queries.PlanProgress()), now),
        "facts": queries.facts_of(plan, is_blind=is_blind, masks_keys=request.member.is_external),
        "is_blind": is_blind,
        "strata": [] if is_draft or is_blind else queries.strata_of_plan(plan, masks_keys=request.member.is_external),
        "preview": _preview_of(request, plan) if is_draft and not is_blind else None,
        "can_start": is_draft,
        "can_stop": policies.may_stop(plan),
        "notice": notice,
    }
    return render(request, "review/plan.html", context, status=status)


def _preview_of(request: MemberRequest, plan: Plan) -> Preview:
    return preview_of(request.member.organisation, plan.candidates, design_of(plan), plan.overlap, timezone.now(), plan.seed)


# Agreement.


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
