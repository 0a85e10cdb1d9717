"""Views of legal holds: a lead places one, two people lift one, and members read them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.review.legal_holds import actions, queries
from reviewers.review.legal_holds.actions import HoldTerms
from reviewers.review.models import HoldKind, Plan
from reviewers.review.plans.queries import MOST_OFFERED
from reviewers.review.queries import load_item
from reviewers.snapshots.models import Snapshot
from reviewers.web.models import read_uuid

_LONGEST_REASON = 2_000


class HoldForm(forms.Form):
    """The terms of a hold and its reason. Only the field of the chosen kind is read.

    References keep their spaces: answers are held by exactly the reference that they came with.
    """

    kind = forms.ChoiceField(choices=HoldKind.choices, initial=HoldKind.CLIENT.value)
    client = forms.CharField(max_length=200, required=False, strip=False)
    conversation = forms.CharField(max_length=200, required=False, strip=False)
    plan = forms.ChoiceField(required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    reason = forms.CharField(max_length=_LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, *args: Any, organisation_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._organisation_id = organisation_id
        plans = _plans_to_offer(organisation_id, str(self["plan"].value() or ""))
        self.fields["plan"].choices = [("", "Choose a plan"), *((str(key), name) for key, name in plans)]  # type: ignore[attr-defined]  # a choice field

    def clean_client(self) -> str:
        """Return the client's reference."""
        return self._reference("client", "client_reference")

    def clean_conversation(self) -> str:
        """Return the conversation's reference."""
        return self._reference("conversation", "conversation_id")

    def _reference(self, name: str, column: str) -> str:
        """Return a reference as answers have it; without the spaces around it if none has it as it was typed."""
        typed: str = self.cleaned_data[name]
        answers = Snapshot.objects.filter(organisation=self._organisation_id, **{column: typed})
        return typed if answers.exists() else typed.strip()

    def terms(self) -> HoldTerms:
        """Return the terms of the hold."""
        data, kind = self.cleaned_data, HoldKind(self.cleaned_data["kind"])
        if kind is HoldKind.PLAN:
            return HoldTerms(kind, data["reason"], plan_id=UUID(data["plan"]) if data["plan"] else None)
        if kind is HoldKind.PERIOD:
            return HoldTerms(kind, data["reason"], since=data["since"], until=data["until"])
        return HoldTerms(kind, data["reason"], reference=data[kind.value])


def _plans_to_offer(organisation_id: UUID, chosen: str) -> list[tuple[UUID, str]]:
    """Return the newest plans and the chosen one, whose page leads to the form."""
    own = Plan.objects.filter(organisation=organisation_id).order_by("-id")
    newest = own.values("pk")[:MOST_OFFERED]
    return list(own.filter(Q(pk__in=newest) | Q(pk=read_uuid(chosen))).values_list("pk", "name"))


class SubjectForm(forms.Form):
    """The subject in the address of an empty form: an answer, whose client or conversation is held, or a plan."""

    item = forms.UUIDField(required=False)
    plan = forms.UUIDField(required=False)


class LiftForm(forms.Form):
    """The reason for lifting a hold."""

    reason = forms.CharField(max_length=_LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}))


@require_GET
@requires(Permission.READ_HOLDS)
def show_all(request: MemberRequest) -> HttpResponse:
    """List all holds of the organisation."""
    return render(request, "review/holds.html", {"rows": queries.list_holds(request.member)})


@require_GET
@requires(Permission.PLACE_HOLDS)
def new(request: MemberRequest) -> HttpResponse:
    """Show the form, filled in for the answer or plan that the address names."""
    return _render_form(request, HoldForm(initial=_initial(request), organisation_id=request.member.organisation_id))


@require_POST
@requires(Permission.PLACE_HOLDS)
@requires_proof(Purpose.HOLD)
def place(request: MemberRequest) -> HttpResponse:
    """Place a hold and redirect to it."""
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
    """Show one hold: what it covers, its reason, and the proposals to lift it."""
    return _render(request, hold_id, LiftForm())


def show_incomplete(request: MemberRequest, hold_id: UUID) -> HttpResponse | None:
    """Return the page with what the form lacks, or None. Raise 404 if there is no such hold."""
    actions.find_hold(hold_id, request.member)
    form = LiftForm(request.POST)
    return None if form.is_valid() else _render(request, hold_id, form, status=422)


@require_POST
@requires(Permission.PLACE_HOLDS)
@requires_proof(Purpose.HOLD, first=show_incomplete)
def propose_lift(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """Propose to lift a hold, and redirect to it."""
    form = LiftForm(request.POST)
    form.full_clean()
    return _decide(request, hold_id, partial(actions.propose_lift, reason=form.cleaned_data["reason"]))


@require_POST
@requires(Permission.PLACE_HOLDS)
@requires_proof(Purpose.HOLD)
def lift(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """Lift a hold that somebody else has proposed to lift."""
    return _decide(request, hold_id, actions.lift)


@require_POST
@requires(Permission.PLACE_HOLDS)
def keep(request: MemberRequest, hold_id: UUID) -> HttpResponse:
    """Keep a hold in force: decline somebody else's proposal, or withdraw one's own."""
    return _decide(request, hold_id, actions.keep)


def _decide(request: MemberRequest, hold_id: UUID, decide: Callable[..., object]) -> HttpResponse:
    act = partial(decide, hold_id=hold_id, by=request.member, now=timezone.now())
    return answer_decision(act, partial(_render, request, hold_id, LiftForm()), "hold", hold_id)


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
