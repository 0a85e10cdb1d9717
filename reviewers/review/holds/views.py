"""The pages on which a lead places a legal hold, two people lift one, and all see which there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.stepping_up import Purpose, requires_proof
from reviewers.review.hold_models import HoldKind
from reviewers.review.holds import actions, queries
from reviewers.review.holds.forms import HoldForm, LiftForm, SubjectForm
from reviewers.review.item_loading import load_item
from reviewers.review.policies import Invalid, Refused


@require_GET
@requires(Permission.READ_HOLDS)
def show_all(request: MemberRequest) -> HttpResponse:
    """All holds of the organisation."""
    return render(request, "review/holds.html", {"rows": queries.list_holds(request.member)})


@require_GET
@requires(Permission.PLACE_HOLDS)
def new(request: MemberRequest) -> HttpResponse:
    """The form of a hold; an answer that the address names fills in its client and its conversation, a plan itself."""
    return _render_form(request, HoldForm(initial=_initial(request), organisation_id=request.member.organisation_id))


@require_POST
@requires(Permission.PLACE_HOLDS)
@requires_proof(Purpose.HOLD)
def place(request: MemberRequest) -> HttpResponse:
    """Place a hold, and lead to it."""
    form = HoldForm(request.POST, organisation_id=request.member.organisation_id)
    if not form.is_valid():
        return _render_form(request, form, status=422)
    try:
        hold = actions.place(terms=form.terms(), by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render_form(request, form, notice=str(refusal), status=422)
    return redirect("hold", hold.pk)


@require_GET
@requires(Permission.READ_HOLDS)
def show(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """One hold: what it covers, why, and what became of it."""
    return _render(request, hold_id, LiftForm())


@require_POST
@requires(Permission.PLACE_HOLDS)
def propose_lift(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """Propose to lift a hold."""
    actions.find_hold(hold_id, request.member)
    form = LiftForm(request.POST)
    if not form.is_valid():
        return _render(request, hold_id, form, status=422)
    reason = form.cleaned_data["reason"]
    return _decide(request, hold_id, lambda **given: actions.propose_lift(reason=reason, **given))


@require_POST
@requires(Permission.PLACE_HOLDS)
@requires_proof(Purpose.HOLD)
def lift(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """Agree to lift a hold, as somebody else has proposed."""
    return _decide(request, hold_id, actions.lift)


@require_POST
@requires(Permission.PLACE_HOLDS)
def keep(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """Leave a hold in force: decline what somebody else proposed, or withdraw one's own proposal."""
    return _decide(request, hold_id, actions.keep)


def _decide(request: MemberRequest, hold_id: UUID, decide: Callable[..., object]) -> HttpResponse:
    try:
        decide(hold_id=hold_id, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render(request, hold_id, LiftForm(), notice=str(refusal), status=422 if isinstance(refusal, Invalid) else 409)
    return redirect("hold", hold_id)


def _initial(request: MemberRequest) -> dict[str, Any]:
    subject = SubjectForm(request.GET)
    if not subject.is_valid():
        return {}
    if item_id := subject.cleaned_data["item"]:
        snapshot = load_item(request.member, item_id).row.snapshot
        kind = HoldKind.CLIENT if snapshot.client_reference else HoldKind.CONVERSATION
        return {"kind": kind.value, "client": snapshot.client_reference, "conversation": snapshot.conversation_id}
    plan_id = subject.cleaned_data["plan"]
    return {"kind": HoldKind.PLAN.value, "plan": str(plan_id)} if plan_id else {}


def _render_form(request: MemberRequest, form: HoldForm, *, notice: str = "", status: int = 200) -> HttpResponse:
    context = {"form": form, "notice": notice, "chosen": form["kind"].value()}
    return render(request, "review/hold_form.html", context, status=status)


def _render(request: MemberRequest, hold_id: UUID, form: LiftForm, *, notice: str = "", status: int = 200) -> HttpResponse:
    hold = actions.find_hold(hold_id, request.member)
    row = queries.find_row(request.member, hold.pk)
    is_own = row.waiting is not None and row.waiting.proposed_by == request.member.user_id
    covered = queries.count_covered(hold.pk, hold.organisation_id)
    context = {"row": row, "covered": covered, "is_own": is_own, "form": form, "notice": notice}
    return render(request, "review/hold.html", context, status=status)
