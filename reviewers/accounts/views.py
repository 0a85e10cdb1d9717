"""Pages of an organisation: settings, the choice of organisation, retention, the session's end, drafts, and the table of texts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings as deployment
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.forms import Form
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts import actions, queries, retention, sessions
from reviewers.accounts import texts as matrix
from reviewers.accounts.audit import user_actor
from reviewers.accounts.forms import DraftForm, PageForm, PeriodForm, QuotesForm, SearchUnitForm, SearchWayForm, ServiceKeyForm, SwitchForm
from reviewers.accounts.hooks import waiting_counters
from reviewers.accounts.middleware import is_signed_out, lead_to_sign_in_again
from reviewers.accounts.models import Role, ServiceKey
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused, endpoint_host
from reviewers.accounts.sign_in import receivers
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.web.http.responses import local_url

HOME_BY_ROLE = {Role.ADMINISTRATOR: "settings", Role.COORDINATOR: "suggestions"}


@require_GET
@requires(Permission.READ_HOME)
def home(request: MemberRequest) -> HttpResponse:
    """Redirect to the page where each role's work begins."""
    return redirect(HOME_BY_ROLE.get(Role(request.member.role), "queue"))


@require_GET
@requires(Permission.READ_HOME)
def glossary(request: MemberRequest) -> HttpResponse:
    """Explain the terms of all pages."""
    return render(request, "accounts/glossary.html")


@require_GET
@requires(Permission.READ_SETTINGS)
def settings(request: MemberRequest) -> HttpResponse:
    """Show switches and keys, read-only for those who may not change them."""
    return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()))


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_citations(request: MemberRequest) -> HttpResponse:
    """Switch asking the assistant for citations."""
    return _switch(request, actions.switch_citations)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_repair(request: MemberRequest) -> HttpResponse:
    """Switch attaching evidence to answers that cite nothing."""
    return _switch(request, actions.switch_repair)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_citation_search(request: MemberRequest) -> HttpResponse:
    """Choose how citations are looked for in answers without any."""
    return _choose(request, SearchWayForm(request.POST), actions.switch_citation_search)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_search_unit(request: MemberRequest) -> HttpResponse:
    """Choose the part of an answer that citations found afterwards are for."""
    return _choose(request, SearchUnitForm(request.POST), actions.switch_search_unit)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_judged_support(request: MemberRequest) -> HttpResponse:
    """Switch having a model judge whether sources support what cites them. Without a model it can only be turned off."""
    if request.POST.get("on") != "0" and not endpoint_host():
        messages.error(request, "This deployment has no model endpoint set up, so nothing was switched.")
        return redirect("settings")
    return _switch(request, actions.switch_judged_support)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_required_citations(request: MemberRequest) -> HttpResponse:
    """Switch whether it is an issue that an answer cites nothing."""
    return _switch(request, actions.switch_required_citations)


@require_POST
@requires(Permission.CHANGE_SWITCHES)
def switch_quotes(request: MemberRequest) -> HttpResponse:
    """Choose what is asked of quotes in citations."""
    return _choose(request, QuotesForm(request.POST), actions.switch_quotes)


@require_POST
@requires(Permission.MANAGE_SIGN_IN)
@requires_proof(Purpose.MANAGE)
def switch_second_factor(request: MemberRequest) -> HttpResponse:
    """Switch requiring a second factor. If the deployment requires it of everybody there is nothing to switch."""
    if deployment.SECOND_FACTOR_REQUIRED:
        messages.error(request, "A second factor is required of everybody in this deployment, so nothing was switched.")
        return redirect("settings")
    return _switch(request, actions.switch_second_factor)


@require_POST
@requires(Permission.MANAGE_SIGN_IN)
def switch_asking_why(request: MemberRequest) -> HttpResponse:
    """Switch asking for a reason before a record is opened that is not in one's own queue."""
    return _switch(request, actions.switch_asking_why)


def _switch(request: MemberRequest, switch: Callable[..., None]) -> HttpResponse:
    form = SwitchForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()), status=422)
    switch(organisation=request.member.organisation, on=form.cleaned_data["on"], at=timezone.now(), by=user_actor(request.member.user_id))
    return redirect("settings")


def _choose(request: MemberRequest, form: Form, choose: Callable[..., None]) -> HttpResponse:
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm()), status=422)
    by = user_actor(request.member.user_id)
    choose(organisation=request.member.organisation, to=form.cleaned_data["to"], at=timezone.now(), by=by)
    return redirect("settings")


@require_POST
@requires(Permission.MANAGE_KEYS)
@requires_proof(Purpose.MANAGE)
def create_key(request: MemberRequest) -> HttpResponse:
    """Create a key and show its secret, this once."""
    form = ServiceKeyForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/settings.html", _settings(request, form), status=422)
    now, days = timezone.now(), form.cleaned_data["days"]
    try:
        _, secret = actions.create_service_key(
            organisation=request.member.organisation,
            owner=request.member.user,
            name=form.cleaned_data["name"],
            scopes=form.cleaned_data["scopes"],
            at=now,
            expires_at=now + timedelta(days=days) if days else None,
            by=user_actor(request.member.user_id),
        )
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return render(request, "accounts/settings.html", _settings(request, form), status=refusal.status)
    return render(request, "accounts/settings.html", _settings(request, ServiceKeyForm(), secret))


@require_POST
@requires(Permission.MANAGE_KEYS)
def revoke_key(request: MemberRequest, key_id: UUID) -> HttpResponse:
    """Revoke a key."""
    key = get_object_or_404(ServiceKey, pk=key_id, organisation=request.member.organisation)
    actions.revoke_service_key(key=key, at=timezone.now(), by=user_actor(request.member.user_id))
    messages.success(request, f"“{key.name}” no longer works.")
    return redirect("settings")


def _settings(request: MemberRequest, form: ServiceKeyForm, secret: str = "") -> dict[str, Any]:
    organisation = request.member.organisation
    return {
        "organisation": organisation,
        "is_required_of_everybody": deployment.SECOND_FACTOR_REQUIRED,
        "ways": queries.list_search_ways(organisation),
        "quotes": queries.QUOTE_DEMANDS,
        "units": queries.CITED_UNITS,
        "endpoint": endpoint_host(),
        "keys": queries.list_service_keys(organisation, timezone.now()),
        "form": form,
        "secret": secret,
    }


@require_GET
@requires(Permission.READ_HOME)
def choose(request: MemberRequest) -> HttpResponse:
    """List the organisations to choose from."""
    memberships = sessions.opened_by(request.session, queries.list_memberships(request.member.user_id))
    waiting = {each.pk: 0 if is_signed_out(request, each) else sum(count(each) for count in waiting_counters) for each in memberships}
    context = {"memberships": memberships, "waiting": waiting, "leads_to": request.GET.get("next", "")}
    return render(request, "accounts/organisations.html", context)


@require_POST
@requires(Permission.READ_HOME)
def enter(request: MemberRequest, organisation_id: UUID) -> HttpResponse:
    """Enter one of them for the rest of this session. Forms that other windows show of the one before are refused from now on."""
    memberships = sessions.opened_by(request.session, queries.list_memberships(request.member.user_id))
    chosen = next((each for each in memberships if each.organisation_id == organisation_id), None)
    if chosen is None:
        raise Http404
    if is_signed_out(request, chosen):
        return lead_to_sign_in_again(request)
    sessions.work_in(request, organisation_id)
    receivers.enter(request, chosen)
    return redirect(local_url(request, request.POST.get("next", "")) or "home")


@require_GET
@requires(Permission.READ_SETTINGS)
def periods(request: MemberRequest) -> HttpResponse:
    """Show the retention periods."""
    return _render(request, PeriodForm())


@require_POST
@requires(Permission.MANAGE_RETENTION)
@requires_proof(Purpose.MANAGE)
def set_period(request: MemberRequest) -> HttpResponse:
    """Set the retention period of a kind of record."""
    form = PeriodForm(request.POST)
    if not form.is_valid():
        return _render(request, form, status=422)
    by = user_actor(request.member.user_id)
    retention.set_period(organisation=request.member.organisation, **form.cleaned_data, at=timezone.now(), by=by)
    messages.success(request, f"{retention.RecordKind(form.cleaned_data['kind']).label}: {form.cleaned_data['years']} years from now on.")
    return redirect("periods")


def _render(request: MemberRequest, form: PeriodForm, *, status: int = 200) -> HttpResponse:
    limits = {"shortest": retention.SHORTEST_YEARS, "longest": retention.LONGEST_YEARS}
    context = {"periods": retention.list_periods(request.member.organisation), "form": form, **limits}
    return render(request, "accounts/retention.html", context, status=status)


# Requests that pages send by themselves: the session's time left, extending it, and drafts.


@require_GET
@requires(Permission.READ_HOME)
def time_left(request: MemberRequest) -> HttpResponse:
    """Return the time left in the session, and whether using it makes that longer."""
    return _tell(request)


@require_POST
@requires(Permission.READ_HOME)
def stay(request: MemberRequest) -> HttpResponse:
    """Extend the session: the request itself is a use of it."""
    return _tell(request)


@require_GET
@requires(Permission.READ_HOME)
def read_drafts(request: MemberRequest) -> HttpResponse:
    """Return one's drafts on a page."""
    form = PageForm(request.GET)
    return JsonResponse(actions.read_drafts(page=form.cleaned_data["page"], by=request.member) if form.is_valid() else {})


@require_POST
@requires(Permission.READ_HOME)
def keep_draft(request: MemberRequest) -> HttpResponse:
    """Save a draft."""
    form = DraftForm(request.POST)
    if not form.is_valid():
        raise BadRequest("a draft has a page, a field and at most 5,000 characters")
    actions.keep_draft(**form.cleaned_data, by=request.member, now=timezone.now())
    return JsonResponse({})


def _tell(request: MemberRequest) -> HttpResponse:
    left = {"left": sessions.seconds_left(request.session), "extends": sessions.can_be_extended(request.session)}
    return JsonResponse(left)


@require_GET
@requires(Permission.READ_ACCESS)
def texts(request: MemberRequest) -> HttpResponse:
    """Show the table of protected texts."""
    rows = [
        (surface.value, [(viewer.value, texts is not None, matrix.words_of(surface, viewer, texts)) for viewer, texts in cells])
        for surface, cells in matrix.table()
    ]
    context = {
        "rows": rows,
        "viewers": [viewer.value for viewer in matrix.TextViewer],
        "kinds": [(each.name.lower(), each.value) for each in matrix.Text],
    }
    return render(request, "accounts/texts.html", context)
