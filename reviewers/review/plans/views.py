"""Views of plans, and the form of their terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.review import wording
from reviewers.review.models import MOST_REVIEWS, Draw, Plan, Rule, Stream
from reviewers.review.plans import actions, policies, queries
from reviewers.review.plans.actions import find_plan
from reviewers.review.plans.sampling import Design, PlanTerms, Preview, Triggers, design_of, preview_of, stored_of
from reviewers.review.queue.views import read_filter
from reviewers.review.visibility import hides_anything_of, viewer_of
from reviewers.web.dates import DayField

_LARGEST = 100_000
_ONCE = {"overlap": 1, "rule": Rule.UNANIMOUS}
_MEANT: Mapping[str, dict[str, Any]] = {
    Stream.AUDIT.value: _ONCE | {"name": "Audit", "stream": Stream.AUDIT, "draw": Draw.NUMBER, "is_blind": True},
    Stream.BOOST.value: _ONCE | {"name": "To learn from", "stream": Stream.BOOST, "draw": Draw.STRATIFIED, "is_blind": False},
}


class PlanForm(forms.Form):
    """The terms of a plan. ``query`` is the list of the queue from which its candidates are taken."""

    query = forms.CharField(required=False, max_length=8_000, widget=forms.HiddenInput)
    name = forms.CharField(max_length=120)
    draw = forms.ChoiceField(choices=Draw.choices, initial=Draw.NUMBER)
    share = forms.FloatField(required=False, min_value=0.01, max_value=100)
    size = forms.IntegerField(required=False, min_value=1, max_value=_LARGEST)
    below = forms.FloatField(required=False, min_value=0.01, max_value=1)
    missing = forms.CharField(required=False, max_length=2_000)
    guardrails = forms.MultipleChoiceField(required=False, choices=list(wording.GUARDRAILS.items()))
    overlap = forms.IntegerField(min_value=1, max_value=MOST_REVIEWS, initial=2)
    is_blind = forms.BooleanField(required=False, initial=True)
    rule = forms.ChoiceField(choices=Rule.choices, initial=Rule.UNANIMOUS)
    stream = forms.ChoiceField(choices=Stream.choices, initial=Stream.NONE)
    control_rows = forms.FloatField(required=False, min_value=0, max_value=50)
    guide = forms.CharField(required=False, max_length=50_000, widget=forms.Textarea(attrs={"rows": 8}))
    due_on = DayField(required=False)

    def clean(self) -> dict[str, Any]:
        """Check the fields that depend on each other."""
        data = super().clean() or {}
        wants = {Draw.SHARE.value: "share", Draw.NUMBER.value: "size", Draw.STRATIFIED.value: "size"}.get(data.get("draw", ""))
        if wants and wants not in self.errors and not data.get(wants):
            self.add_error(wants, "Say how many.")
        if data.get("control_rows") and not data.get("is_blind"):
            self.add_error(
                "control_rows", "Attention-check rows need a blind plan: in an open one everybody sees that they were not found."
            )
        if data.get("stream") == Stream.AUDIT and not self._is_simple(data):
            self.add_error("stream", "An audit is blind and simply random: no strata, no triggers.")
        if data.get("draw") == Draw.TRIGGERED and not self._triggers(data).as_data():
            self.add_error("draw", "Without a trigger this plan would wait for nothing.")
        return data

    def terms(self, candidates: dict[str, Any]) -> PlanTerms:
        """Return the terms of the plan."""
        data = self.cleaned_data
        return PlanTerms(
            name=data["name"],
            candidates=candidates,
            design=_design(data),
            triggers=self._triggers(data),
            overlap=data["overlap"],
            is_blind=data["is_blind"],
            rule=Rule(data["rule"]),
            stream=Stream(data["stream"]),
            guide=data["guide"].replace("\r\n", "\n").strip(),
            control_share=(data["control_rows"] or 0) / 100,
            due_on=data["due_on"],
        )

    @staticmethod
    def of(plan: Plan) -> dict[str, Any]:
        """Return the initial values of the form for a plan."""
        triggers = Triggers.read(plan.triggers)
        return {
            "name": plan.name,
            "draw": plan.draw,
            "share": _percent(plan.share),
            "size": plan.size,
            "below": triggers.below,
            "missing": ", ".join(triggers.missing),
            "guardrails": list(triggers.guardrails),
            "overlap": plan.overlap,
            "is_blind": plan.is_blind,
            "rule": plan.rule,
            "stream": plan.stream,
            "control_rows": _percent(plan.control_share),
            "guide": plan.guide.text if plan.guide else "",
            "due_on": plan.due_on.isoformat() if plan.due_on else "",
        }

    @staticmethod
    def asked_for(data: QueryDict) -> dict[str, Any]:
        """Return the initial values that an address asks for: the stream and the number of answers."""
        meant = _MEANT.get(data.get("for", ""), {})
        size = data.get("size", "")
        return meant | ({"size": int(size)} if meant and size.isdecimal() and 0 < int(size[:9]) <= _LARGEST else {})

    def _is_simple(self, data: dict[str, Any]) -> bool:
        is_random = data.get("draw") in (Draw.ALL, Draw.SHARE, Draw.NUMBER)
        return bool(data.get("is_blind")) and is_random and not self._triggers(data).as_data()

    def _triggers(self, data: dict[str, Any]) -> Triggers:
        missing = tuple(name.strip() for name in (data.get("missing") or "").split(",") if name.strip())
        return Triggers(data.get("below"), missing, tuple(data.get("guardrails") or ()))


def _percent(share: float | None) -> float | None:
    """Return a share in percent, without rounding errors of the multiplication: 0.07 is 7."""
    return round(100 * share, 6) if share else None


def _design(data: dict[str, Any]) -> Design:
    """Return the design with the one figure that it needs."""
    draw = Draw(data["draw"])
    share = data["share"] / 100 if draw is Draw.SHARE else None
    return Design(draw, share, data["size"] if draw in (Draw.NUMBER, Draw.STRATIFIED) else None)


# Views.


@require_GET
@requires(Permission.READ_PLANS)
def show_all(request: MemberRequest) -> HttpResponse:
    """List all plans with their progress."""
    context = {"plans": queries.list_plans(request.member, timezone.now()), "most": queries.MOST_LISTED}
    return render(request, "review/plans.html", context)


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
