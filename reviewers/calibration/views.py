"""Pages of calibration and their forms: the overview, a combination and its tools, and a profile with its decisions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self
from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.approval import answer_decision
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Invalid, Refused
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.calibration import queries, wording
from reviewers.calibration.labels import actions as label_actions
from reviewers.calibration.labels.thresholds import CHOSEN, shipped
from reviewers.calibration.lifecycle import actions, active_profiles
from reviewers.calibration.models import ImportedSet
from reviewers.calibration.pages.combination import build_combination
from reviewers.calibration.pages.planner import EXPECTED, MARGIN, build_planner
from reviewers.calibration.pages.profile import build_profile
from reviewers.calibration.pages.profile_details import build_changes, build_node
from reviewers.calibration.pages.thresholds import build_sweep
from reviewers.review.forms import AnswerForm


class ProposeForm(forms.Form):
    """The imported sets that a profile uses besides the labels of reviewers, and the thresholds that are chosen for it.

    No share of a long text's words is below the shipped one: what is not found tells nothing of what such a row is worth.
    """

    imported = forms.ModelMultipleChoiceField(ImportedSet.objects.none(), required=False)
    summary_share = forms.FloatField(min_value=shipped("summary_share"), max_value=1, required=False)
    summary_cap = forms.FloatField(min_value=0.05, max_value=0.99, required=False)
    common_word_cap = forms.FloatField(min_value=0.05, max_value=0.99, required=False)
    tokens_per_marker = forms.IntegerField(min_value=1, max_value=1_000, required=False)

    def __init__(self, *args: Any, combination_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["imported"].queryset = ImportedSet.objects.filter(combination=combination_id).only("pk")  # type: ignore[attr-defined]

    def imports(self) -> list[UUID]:
        """Return the chosen sets; raise ``Invalid`` if one does not exist."""
        if not self.is_valid() and "imported" in self.errors:
            raise Invalid("One of the imported sets is not there any more. Choose again.")
        return [each.pk for each in self.cleaned_data["imported"]]

    def thresholds(self) -> dict[str, float]:
        """Return the chosen thresholds; raise ``Invalid`` for one that no profile can have."""
        wrong = next((name for name in CHOSEN if name in self.errors), "")
        if wrong:
            raise Invalid(f"{wording.THRESHOLDS[wrong]}: {self.errors[wrong][0]}")
        return {name: round(self.cleaned_data[name], 4) for name in CHOSEN if self.cleaned_data[name] is not None}


class TransferForm(AnswerForm):
    """The profile to transfer."""

    complaint = "Choose the profile to take over."
    profile = forms.UUIDField()


class ApproveProfileForm(AnswerForm):
    """The number of answers that change, as the approver read it."""

    complaint = "Type how many messages change, as a whole number."
    changed = forms.IntegerField(min_value=0, max_value=2**31 - 1)


class DecisionReasonForm(AnswerForm):
    """The reason for a decision against a profile."""

    complaint = "Say why."
    reason = forms.CharField(max_length=2_000)


class MarginForm(forms.Form):
    """A claim to plan for: an expected share and its margin, in percent."""

    expected = forms.FloatField(min_value=0, max_value=100)
    margin = forms.FloatField(min_value=0.5, max_value=50)

    @classmethod
    def of(cls, data: QueryDict) -> Self:
        """Return the form with the given values, or the defaults."""
        usual = {"expected": f"{100 * EXPECTED:g}", "margin": f"{100 * MARGIN:g}"}
        return cls(usual | {name: data[name] for name in usual if name in data})

    def claim(self) -> tuple[float, float]:
        """Return share and margin as fractions; the defaults if the form is invalid."""
        if not self.is_valid():
            return EXPECTED, MARGIN
        return self.cleaned_data["expected"] / 100, self.cleaned_data["margin"] / 100


@require_GET
@requires(Permission.READ_CALIBRATION)
def overview(request: MemberRequest) -> HttpResponse:
    """List the combinations, each in a line."""
    rows, more = queries.list_scopes(request.member.organisation, timezone.now())
    return render(request, "calibration/overview.html", {"rows": rows, "more": more})


@require_GET
@requires(Permission.READ_CALIBRATION)
def combination(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Show a combination."""
    return _render_combination(request, combination_id)


@require_GET
@requires(Permission.READ_CALIBRATION)
def thresholds(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Show the costs and benefits of each cut-off."""
    seen = actions.find_combination(combination_id, request.member)
    page = build_sweep(seen, request.GET.get("by", ""), request.GET.get("at", ""))
    return render(request, "calibration/thresholds.html", {"page": page}, status=422 if page.is_wrong else 200)


@require_GET
@requires(Permission.READ_CALIBRATION)
def planner(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Show the number of labels that a claim takes, and when they will be there."""
    seen, form = actions.find_combination(combination_id, request.member), MarginForm.of(request.GET)
    page = build_planner(seen, form.claim(), timezone.now())
    return render(request, "calibration/planner.html", {"page": page, "form": form}, status=422 if form.errors else 200)


def check_combination_exists(request: MemberRequest, combination_id: UUID) -> None:
    """Raise 404 if the member's organisation has no such combination."""
    actions.find_combination(combination_id, request.member)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.PROPOSE, first=check_combination_exists)
def propose(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Fit a profile and propose it, or have the worker do so if there are many labels; the worker compares it.

    It takes a proof like the approval: otherwise one person at somebody's open browser could be both.
    """
    try:
        form = ProposeForm(request.POST, combination_id=combination_id)
        chosen: dict[str, Any] = {"imports": form.imports(), "thresholds": form.thresholds()}
        profile = actions.propose_or_ask(combination_id=combination_id, by=request.member, now=timezone.now(), **chosen)
    except Refused as refusal:
        return _render_combination(request, combination_id, str(refusal), refusal.status)
    return redirect("profile", profile.pk) if profile else redirect("combination", combination_id)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.PROPOSE, first=check_combination_exists)
def transfer(request: MemberRequest, combination_id: UUID) -> HttpResponse:
    """Propose the profile of another combination, shifted by the labels of this one."""
    try:
        old = TransferForm(request.POST).answer()
        made = actions.propose_transfer(combination_id=combination_id, profile_id=old, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render_combination(request, combination_id, str(refusal), refusal.status)
    return redirect("profile", made.pk)


def _render_combination(request: MemberRequest, combination_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    seen = actions.find_combination(combination_id, request.member)
    page = build_combination(seen, timezone.now(), request.GET.get("method", ""), masks_keys=request.member.is_external)
    return render(request, "calibration/combination.html", {"page": page, "notice": notice}, status=status)


@require_GET
@requires(Permission.READ_CALIBRATION)
def profile(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Show a profile."""
    return _render_profile(request, profile_id)


@require_GET
@requires(Permission.READ_CALIBRATION)
def node(request: MemberRequest, profile_id: UUID, number: int) -> HttpResponse:
    """Show how a confidence came about."""
    found = build_node(actions.find_profile(profile_id, request.member), number, masks_keys=request.member.is_external)
    if found is None:
        raise Http404
    return render(request, "calibration/node.html", {"page": found})


@require_GET
@requires(Permission.READ_CALIBRATION)
def changes(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """List the answers that a profile changes."""
    found = actions.find_profile(profile_id, request.member)
    page = build_changes(found, request.member, request.GET.get("method", ""), request.GET.get("page", ""))
    return render(request, "calibration/changes.html", {"page": page})


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def compare(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Have the worker compare a profile again."""
    actions.ask_comparison(profile_id=profile_id, by=request.member, now=timezone.now())
    return redirect("profile", profile_id)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.APPROVE)
def approve(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Make a profile the active one."""
    return _decide(
        request,
        profile_id,
        lambda: actions.approve(
            profile_id=profile_id, changed=ApproveProfileForm(request.POST).answer(), by=request.member, now=timezone.now()
        ),
    )


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def reject(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Reject a proposal."""
    return _decide_because(request, profile_id, actions.reject)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def retire(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Retire a profile."""
    return _decide_because(request, profile_id, actions.retire)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def suspend(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Suspend an active profile. No proof of identity is asked for: showing scores is the safe side."""
    return _decide_because(request, profile_id, active_profiles.suspend_by_hand)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
@requires_proof(Purpose.APPROVE)
def lift(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Lift the suspension of a profile."""
    return _decide_because(request, profile_id, active_profiles.lift_suspension)


@require_POST
@requires(Permission.MANAGE_CALIBRATION)
def recompute(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Attribute stored answers again under a profile, in the background."""
    return _decide(
        request, profile_id, lambda: active_profiles.ask_recomputation(profile_id=profile_id, by=request.member, now=timezone.now())
    )


BLIND_LABELS = "Some of its labels were imported on answers that you review blind: they are available once you have submitted your reviews."


@require_GET
@requires(Permission.EXPORT_LABELS)
@requires_proof(Purpose.EXPORT)
def export_labels(request: MemberRequest, profile_id: UUID) -> HttpResponse:
    """Download the labels of a profile as JSON lines, from which the same profile can be fitted. This is an audit event."""
    found = actions.find_profile(profile_id, request.member)
    if label_actions.has_hidden_imports(found, request.member):
        raise PermissionDenied(BLIND_LABELS)
    response = HttpResponse(label_actions.export(profile=found, by=request.member, now=timezone.now()), content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="labels-{found.name}.jsonl"'
    return response


def _decide(request: MemberRequest, profile_id: UUID, act: Callable[[], object]) -> HttpResponse:
    actions.find_profile(profile_id, request.member)
    return answer_decision(act, partial(_render_profile, request, profile_id), "profile", profile_id)


def _decide_because(request: MemberRequest, profile_id: UUID, act: Callable[..., object]) -> HttpResponse:
    """Make a decision that takes a reason."""
    return _decide(
        request,
        profile_id,
        lambda: act(profile_id=profile_id, reason=DecisionReasonForm(request.POST).answer(), by=request.member, now=timezone.now()),
    )


def _render_profile(request: MemberRequest, profile_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    page = build_profile(actions.find_profile(profile_id, request.member), request.member, timezone.now())
    return render(request, "calibration/profile.html", {"page": page, "notice": notice}, status=status)
