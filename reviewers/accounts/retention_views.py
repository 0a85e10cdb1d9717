"""The page on which an organisation says how long it keeps what."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts import retention
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.forms import PeriodForm
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.stepping_up import Purpose, requires_proof


@require_GET
@requires(Permission.READ_SETTINGS)
def periods(request: MemberRequest) -> HttpResponse:
    """How long each kind of record is kept."""
    return _render(request, PeriodForm())


@require_POST
@requires(Permission.MANAGE_RETENTION)
@requires_proof(Purpose.MANAGE)
def set_period(request: MemberRequest) -> HttpResponse:
    """Keep a kind of record for longer or shorter."""
    form = PeriodForm(request.POST)
    if not form.is_valid():
        return _render(request, form, status=422)
    by = user_actor(request.member.user_id)
    retention.set_period(organisation=request.member.organisation, **form.cleaned_data, at=timezone.now(), by=by)
    messages.success(request, f"{retention.Kind(form.cleaned_data['kind']).label}: {form.cleaned_data['years']} years from now on.")
    return redirect("periods")


def _render(request: MemberRequest, form: PeriodForm, *, status: int = 200) -> HttpResponse:
    limits = {"shortest": retention.SHORTEST_YEARS, "longest": retention.LONGEST_YEARS}
    context = {"periods": retention.list_periods(request.member.organisation), "form": form, **limits}
    return render(request, "accounts/retention.html", context, status=status)
