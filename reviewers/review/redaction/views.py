"""Views of redaction: one person proposes a redaction and another approves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Invalid, Refused
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.ledger.models import RedactionBasis
from reviewers.review.items import ReviewItem
from reviewers.review.masking.access import require_reason, write_down
from reviewers.review.queries import load_item
from reviewers.review.redaction import actions, queries
from reviewers.review.redaction.actions import check_is_anything
from reviewers.review.redaction.parts import Part, parts_of
from reviewers.review.redaction.repetitions import named_elsewhere, repetitions_of


class RedactionForm(forms.Form):
    """The parts to redact, the basis and the reason. The proposal itself checks that the parts exist."""

    parts = forms.MultipleChoiceField(required=False)
    basis = forms.ChoiceField(choices=RedactionBasis.choices, label="On which basis")
    reason = forms.CharField(max_length=1_000, label="Why", widget=forms.Textarea(attrs={"rows": 3}))


class FindForm(forms.Form):
    """The identifier of a snapshot, as in the ledger and in the API."""

    item = forms.UUIDField(required=False)


_EXPLAINED_AT = "explain_redaction"
"""A URL of its own, because members who may redact may not always read items."""


@require_GET
@requires(Permission.REDACT)
def show_all(request: MemberRequest) -> HttpResponse:
    """List all proposals. With an identifier, redirect to the page on which parts of its record are chosen."""
    form = FindForm(request.GET)
    if form.is_valid() and form.cleaned_data["item"]:
        return redirect("redact", form.cleaned_data["item"])
    return render(request, "review/redactions.html", {"rows": queries.list_rows(request.member), "form": form})


@require_GET
@requires(Permission.REDACT)
def choose(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show the redactable parts of an item, by name."""
    if asked := require_reason(request, item_id, _EXPLAINED_AT):
        return asked
    return _render_choice(request, load_item(request.member, item_id), RedactionForm())


@require_POST
@requires(Permission.REDACT)
def propose(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Propose a redaction. A form that lacks something comes back before anybody is asked who they are."""
    if asked := require_reason(request, item_id, _EXPLAINED_AT):
        return asked
    form, notice = _form(request), ""
    try:
        check_is_anything(request.POST.getlist("parts"))
    except Invalid as refusal:
        notice = str(refusal)
    if notice or not form.is_valid():
        return _render_choice(request, load_item(request.member, item_id), form, notice=notice, status=422)
    return _propose(request, item_id)


@requires_proof(Purpose.REDACT)
def _propose(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Save a proposal and redirect to it."""
    item, form = load_item(request.member, item_id), _form(request)
    form.full_clean()
    data = form.cleaned_data
    wanted = {"parts": request.POST.getlist("parts"), "basis": RedactionBasis(data["basis"]), "reason": data["reason"]}
    try:
        proposed = actions.propose(item_id=item_id, **wanted, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render_choice(request, item, form, notice=str(refusal), status=refusal.status)
    return redirect("redaction", proposed.pk)


@require_POST
@requires(Permission.REDACT)
def explain(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Record the reason for looking at the redactable parts of an item."""
    return write_down(request, item_id, _EXPLAINED_AT, "redact")


@require_GET
@requires(Permission.REDACT)
def show(request: MemberRequest, redaction_id: UUID) -> HttpResponse:
    """Show one proposal: its parts, its reason and its outcome."""
    return _render(request, redaction_id)


@require_POST
@requires(Permission.REDACT)
@requires_proof(Purpose.REDACT)
def approve(request: MemberRequest, redaction_id: UUID) -> HttpResponse:
    """Redact what somebody else has proposed."""
    return _decide(request, redaction_id, actions.approve)


@require_POST
@requires(Permission.REDACT)
def decline(request: MemberRequest, redaction_id: UUID) -> HttpResponse:
    """Decline a proposal, or withdraw one's own."""
    return _decide(request, redaction_id, actions.decline)


def _decide(request: MemberRequest, redaction_id: UUID, decide: Callable[..., object]) -> HttpResponse:
    act = partial(decide, redaction_id=redaction_id, by=request.member, now=timezone.now())
    return answer_decision(act, partial(_render, request, redaction_id), "redaction", redaction_id)


def _form(request: MemberRequest) -> RedactionForm:
    form = RedactionForm(request.POST)
    form.fields["parts"].choices = [(name, name) for name in request.POST.getlist("parts")]  # type: ignore[attr-defined]  # a choice field
    return form


def _render_choice(request: MemberRequest, item: ReviewItem, form: RedactionForm, *, notice: str = "", status: int = 200) -> HttpResponse:
    snapshot, chosen = item.row.snapshot, request.POST.getlist("parts")
    context = {
        "item_id": item.id,
        "title": snapshot.conversation_id or snapshot.external_id,
        "holds": item.holds,
        "groups": _grouped(parts_of(item)),
        "chosen": chosen,
        "form": form,
        "notice": notice,
    }
    return render(request, "review/redact.html", context, status=status)


def _grouped(parts: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    groups: dict[str, list[Part]] = {}
    for part in parts:
        groups.setdefault(part.group, []).append(part)
    return list(groups.items())


def _render(request: MemberRequest, redaction_id: UUID, *, notice: str = "", status: int = 200) -> HttpResponse:
    found = actions.find_redaction(redaction_id, request.member)
    if asked := require_reason(request, found.object_id, _EXPLAINED_AT):
        return asked
    item = load_item(request.member, found.object_id)
    named = named_elsewhere(request.member.organisation_id, found.parts)
    known = {part.name: part.words for part in (*parts_of(item), *named)}
    row = queries.find_row(request.member.organisation_id, redaction_id, known)
    context: dict[str, Any] = {"row": row, "is_own": row.proposed_by == request.member.user_id, "notice": notice, "holds": item.holds}
    context["elsewhere"] = [] if row.outcome else repetitions_of(item, found.parts, request.member)
    return render(request, "review/redaction.html", context, status=status)
