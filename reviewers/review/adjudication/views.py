"""Views of adjudication: the items that wait for a decision, deciding a conflict, and reopening an item."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.events import Action
from reviewers.review.adjudication import actions, queries
from reviewers.review.adjudication.decisions import load_item_reviews
from reviewers.review.forms import AnswerForm, errors_in_words
from reviewers.review.inbox import CONFLICTS, FROM, INBOX, next_address
from reviewers.review.masking.access import require_reason
from reviewers.review.models import Phase, Plan
from reviewers.review.page.views import attempt, record_view
from reviewers.review.plans.actions import find_plan
from reviewers.review.policies import MOST_CLAIMS, OWN, may_adjudicate
from reviewers.review.queries import load_item
from reviewers.web.models import read_uuid

_LONGEST_LABELS = 37 * MOST_CLAIMS * 12
"""The most characters of labels: a dozen reviewers may each have labelled every place of one claim that they can."""


class DecideForm(forms.Form):
    """A lead's decision. ``labels`` are the identifiers of the labels that were shown, separated by commas."""

    attribution = forms.UUIDField()
    labels = forms.CharField(max_length=_LONGEST_LABELS)
    verdict = forms.CharField(required=False, max_length=16)
    reason = forms.CharField(required=False, max_length=2_000)

    def clean_labels(self) -> list[UUID]:
        """Return the labels as identifiers."""
        try:
            return [UUID(each) for each in self.cleaned_data["labels"].split(",")]
        except ValueError as error:
            raise forms.ValidationError("These are no labels.") from error

    def ruling(self, item_id: UUID) -> actions.Ruling:
        """Return the decision. Raises ``Invalid`` if the form is not valid."""
        if not self.is_valid():
            raise Invalid(errors_in_words(self))
        data = self.cleaned_data
        return actions.Ruling(item_id, data["attribution"], data["labels"], data["verdict"], data["reason"])


class ReopenForm(AnswerForm):
    """The reason for reopening an item, which may be empty."""

    complaint = "A reason has at most 2,000 characters."
    reason = forms.CharField(required=False, max_length=2_000)


@require_GET
@requires(Permission.READ_PLANS)
def show_all(request: MemberRequest) -> HttpResponse:
    """List the items whose labels conflict, of one plan if the address names it."""
    plan = _plan(request)
    items = queries.awaiting(request.member.organisation, plan.pk if plan else None)
    rows = queries.list_awaiting(items, request.member)
    more = max(0, items.count() - len(rows)) if len(rows) == queries.MOST_LISTED else 0
    return render(request, "review/conflicts.html", {"rows": rows, "more": more, "plan": plan})


@require_GET
@requires(Permission.APPROVE_REVIEWS)
def show(request: MemberRequest, case_id: UUID) -> HttpResponse:
    """Show the conflicts of one item, one at a time. Opening it is an audit event."""
    return _render(request, case_id)


@require_POST
@requires(Permission.APPROVE_REVIEWS)
def decide(request: MemberRequest, case_id: UUID) -> HttpResponse:
    """Decide one conflict, and go on to the next, and after the last one to the item or to what waits next in the inbox."""
    try:
        ruling = DecideForm(request.POST).ruling(case_id)
        item_reviews = actions.decide_conflict(ruling=ruling, by=request.member, now=timezone.now())
    except Refused as refusal:
        load_item(request.member, case_id)
        return _render(request, case_id, str(refusal), refusal.status)
    is_from_inbox = request.POST.get(FROM) == INBOX
    if item_reviews.conflicts:
        return redirect(reverse("conflict", args=[case_id]) + (f"?{FROM}={INBOX}" if is_from_inbox else ""))
    if not is_from_inbox:
        return redirect("item", case_id)
    messages.success(request, "The last conflict of the answer is decided.")
    return redirect(next_address(CONFLICTS, request.member))


@require_POST
@requires(Permission.APPROVE_REVIEWS)
def reopen(request: MemberRequest, case_id: UUID) -> HttpResponse:
    """Put a reviewed item back into the queue."""
    return attempt(
        request,
        case_id,
        lambda: actions.reopen(item_id=case_id, reason=ReopenForm(request.POST).answer(), by=request.member, now=timezone.now()),
    )


def _render(request: MemberRequest, case_id: UUID, notice: str = "", status: int = 200) -> HttpResponse:
    """Show the page, or redirect to the item's own page if nothing conflicts."""
    if asked := require_reason(request, case_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, case_id)
        if found.review_status.phase is not Phase.CONSOLIDATING:
            return redirect(reverse("item", args=[case_id]))
        record_view(request, Action.SNAPSHOT_VIEWED, found)
        item_reviews = load_item_reviews(found)
    context = {
        "page": queries.build_adjudication(found, item_reviews, _number(request)),
        "why_not": "" if may_adjudicate(found.review_status, request.member.user_id) else OWN,
        "notice": notice,
        "given": request.POST,
        "origin": INBOX if INBOX in (request.GET.get(FROM), request.POST.get(FROM)) else "",
    }
    return render(request, "review/conflict.html", context, status=status)


def _number(request: MemberRequest) -> int | None:
    said = request.POST.get("at") or request.GET.get("at") or ""
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else None


def _plan(request: MemberRequest) -> Plan | None:
    plan_id = read_uuid(request.GET.get("plan", ""))
    return find_plan(plan_id, request.member) if plan_id else None
